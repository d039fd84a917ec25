package num

import (
	"hash/maphash"
	"math"
	"slices"
	"sync/atomic"
)

// Recent keeps what was computed last for some states, actions and next states. Many goroutines may use it.
type Recent[T any] struct{ slots []atomic.Pointer[recent[T]] }

type recent[T any] struct {
	state, next []float64
	action      int
	value       T
}

// NewRecent returns one that keeps up to n values.
func NewRecent[T any](n int) *Recent[T] {
	return &Recent[T]{make([]atomic.Pointer[recent[T]], n)}
}

var seed = maphash.MakeSeed() // which slot keeps a value changes nothing but the time

// At returns what is kept there, or computes it.
func (r *Recent[T]) At(state []float64, action int, next []float64, compute func() T) T {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, x := range [2][]float64{state, next} {
		for _, v := range x {
			maphash.WriteComparable(&h, math.Float64bits(v))
		}
	}
	maphash.WriteComparable(&h, action)
	slot := &r.slots[h.Sum64()%uint64(len(r.slots))]
	if x := slot.Load(); x != nil && x.action == action && slices.Equal(x.state, state) && slices.Equal(x.next, next) {
		return x.value
	}
	value := compute()
	slot.Store(&recent[T]{slices.Clone(state), slices.Clone(next), action, value})
	return value
}
