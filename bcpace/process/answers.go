package process

import (
	"hash/maphash"
	"math"
	"slices"
	"sync/atomic"
)

// answers keeps likelihoods for a while: a belief is updated with those of all latents, one after
// the other. The zero value is empty.
type answers struct {
	slots [1 << 12]atomic.Pointer[answer]
}

// answer is the log likelihoods of all latents at one place.
type answer struct {
	state, next []float64
	action      int
	log         []float64
}

var hashSeed = maphash.MakeSeed() // which slot holds an answer changes nothing but the time

func (a *answers) slot(s []float64, action int, next []float64) *atomic.Pointer[answer] {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	for _, x := range [2][]float64{s, next} {
		for _, v := range x {
			maphash.WriteComparable(&h, math.Float64bits(v))
		}
	}
	maphash.WriteComparable(&h, action)
	return &a.slots[h.Sum64()%uint64(len(a.slots))]
}

// find returns the log likelihoods of all latents, nil where they are not kept.
func (a *answers) find(s []float64, action int, next []float64) []float64 {
	x := a.slot(s, action, next).Load()
	if x == nil || x.action != action || !slices.Equal(x.state, s) || !slices.Equal(x.next, next) {
		return nil
	}
	return x.log
}

// keep keeps the log likelihoods of all latents.
func (a *answers) keep(s []float64, action int, next, log []float64) {
	a.slot(s, action, next).Store(&answer{slices.Clone(s), slices.Clone(next), action, log})
}
