package check

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
)

const (
	concurrentGoroutines = 8
	concurrentPlays      = 64
	concurrentRounds     = 20
)

// yielding are random numbers that let other goroutines run between any two of them, so
// that those which share something in Step meet.
type yielding struct{ rand.Source }

// Uint64 implements rand.Source.
func (y yielding) Uint64() uint64 {
	runtime.Gosched()
	return y.Source.Uint64()
}

// play is a step with its random numbers, and what it gave.
type play struct {
	p      place
	action int
	seed   uint64

	next []float64
	out  bcpace.Outcome
	logs []float64 // LogLikelihood, by latent
	list uint64    // hash of Successors
}

// player plays for one goroutine.
type player struct {
	m     bcpace.Model
	next  []float64
	z     bcpace.Successors
	seed  maphash.Seed
	bytes []byte // of the list that is hashed
}

// goroutines checks that goroutines side by side get what one alone gets. That something
// is shared shows only if two of them meet at it; a difference is never a false alarm.
func (c *checker) goroutines() error {
	rng := c.stream(3)
	places := append(append([]place(nil), c.places...), c.far...)
	seed := maphash.MakeSeed()
	alone := &player{m: c.m, next: make([]float64, len(c.spec.Axes)), seed: seed}
	plays := make([]play, concurrentPlays)
	for i := range plays {
		x := &plays[i]
		x.p, x.action, x.seed = places[rng.IntN(len(places))], rng.IntN(len(c.spec.Actions)), rng.Uint64()
		c.in("Step, LogLikelihood or Successors", x.p.s, x.action, x.p.latent, func() { alone.play(x) })
	}
	c.tried[Goroutines] = concurrentGoroutines * concurrentRounds * concurrentPlays
	return together(c.ctx, concurrentPlays, func() func(i int) error {
		one := &player{m: c.m, next: make([]float64, len(c.spec.Axes)), seed: seed}
		return func(i int) error {
			if what := one.compare(&plays[i]); what != "" {
				return c.fault(plays[i].p.s, plays[i].action, plays[i].p.latent, "%s %s", what, sharing)
			}
			return nil
		}
	})
}

// sharing says when a model does not give what it gives alone, and what would be right.
const sharing = "when several goroutines call the model at once: " +
	"want nothing shared that a call writes to, such as a slice for intermediate results; make it in the call, or take it from a sync.Pool"

// together has goroutines compare n plays side by side with what they gave, many times and each in an order of its own, until one finds an
// error, which it returns, or ctx ends. Each calls player once, for what compares a play.
func together(ctx context.Context, n int, player func() func(i int) error) error {
	found := make([]error, concurrentGoroutines)
	var wg sync.WaitGroup
	for g := range found {
		wg.Go(func() {
			compare := player()
			for i := 0; i < concurrentRounds*n && found[g] == nil && ctx.Err() == nil; i++ {
				found[g] = compare((i*(2*g+1) + g) % n)
			}
		})
	}
	wg.Wait()
	return cmp.Or(found...)
}

// play takes the step of x, and notes what it gave.
func (a *player) play(x *play) {
	x.next, x.logs = make([]float64, len(a.next)), nil
	x.out = a.step(x)
	copy(x.next, a.next)
	for _, latent := range x.p.latents {
		x.logs = append(x.logs, a.m.LogLikelihood(x.p.s, x.action, x.next, latent))
	}
	x.list = a.list(x)
}

// step takes the step of x into a.next.
func (a *player) step(x *play) bcpace.Outcome {
	fillWith(a.next, marks[1])
	return a.m.Step(a.next, x.p.s, x.p.latent, x.action, rand.New(yielding{rand.NewPCG(x.seed, 1)}))
}

// compare plays x again, and says how it differs from what it gave; "" if it does not.
func (a *player) compare(x *play) (what string) {
	call := "Step"
	defer func() {
		if p := recover(); p != nil {
			what = fmt.Sprintf("%s panics (%v)", call, p)
		}
	}()
	if out := a.step(x); out != x.out || !slices.Equal(a.next, x.next) {
		return fmt.Sprintf("Step gives %v, %+v in place of %v, %+v", a.next, out, x.next, x.out)
	}
	call = "LogLikelihood"
	for i, latent := range x.p.latents {
		if got := a.m.LogLikelihood(x.p.s, x.action, x.next, latent); math.Float64bits(got) != math.Float64bits(x.logs[i]) {
			return fmt.Sprintf("LogLikelihood of %v is %v in place of %v", x.next, got, x.logs[i])
		}
	}
	call = "Successors"
	if a.list(x) != x.list {
		return "Successors lists something else"
	}
	return ""
}

// list returns a hash of the successors of x; 0 for a model that lists none.
func (a *player) list(x *play) uint64 {
	e, ok := a.m.(bcpace.Enumerator)
	if !ok {
		return 0
	}
	a.z.Reset(len(a.next), len(a.m.Spec().Latents))
	e.Successors(&a.z, x.p.s, x.action)
	a.bytes = a.bytes[:0]
	for _, column := range [...][]float64{a.z.States, a.z.Prob, a.z.Reward} {
		for _, v := range column {
			a.bytes = binary.LittleEndian.AppendUint64(a.bytes, math.Float64bits(v))
		}
	}
	for _, done := range a.z.Done {
		a.bytes = append(a.bytes, byte(num.OfBool(done)))
	}
	return maphash.Bytes(a.seed, a.bytes)
}
