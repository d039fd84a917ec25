package check

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
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

// deed is a call of a model, what makes it and returns a key of what it gives, and what says it in words, which may be the same where the keys are not.
type deed struct {
	call    string
	do, say func() string
}

// sharing says when a model does not give what it gives alone, and what would be right.
const sharing = "when several goroutines call the model at once: " +
	"want nothing shared that a call writes to, such as a slice for intermediate results; make it in the call, or take it from a sync.Pool"

// sideBySide has goroutines do the deeds of n plays side by side, many times and each in an order of its own, until one gives something else than
// alone, or ctx ends. player makes what lists the deeds of a play, for one goroutine. What is done alone is done in in, and fault makes the error.
func sideBySide(ctx context.Context, n int, player func() func(i int) []deed, in func(i int, do func()), fault func(i int, what string) error) error {
	alone, gave := player(), make([][][2]string, n)
	for i := range gave {
		in(i, func() {
			for _, d := range alone(i) {
				gave[i] = append(gave[i], [2]string{d.do(), d.say()})
			}
		})
	}
	compare := func(deeds []deed, gave [][2]string) (what string) {
		call := ""
		defer func() {
			if p := recover(); p != nil {
				what = fmt.Sprintf("%s panics (%v)", call, p)
			}
		}()
		for k, d := range deeds {
			call = d.call
			if d.do() != gave[k][0] {
				if d.say() == gave[k][1] {
					return d.call + " gives something else"
				}
				return fmt.Sprintf("%s gives %s in place of %s", d.call, d.say(), gave[k][1])
			}
		}
		return ""
	}
	found := make([]error, concurrentGoroutines)
	var wg sync.WaitGroup
	for g := range found {
		wg.Go(func() {
			deeds := player()
			for k := 0; k < concurrentRounds*n && found[g] == nil && ctx.Err() == nil; k++ {
				i := (k*(2*g+1) + g) % n
				if what := compare(deeds(i), gave[i]); what != "" {
					found[g] = fault(i, what+" "+sharing)
				}
			}
		})
	}
	wg.Wait()
	return cmp.Or(found...)
}

// play is a step with the seed of its random numbers.
type play struct {
	attempt
	seed uint64
}

// goroutines checks that goroutines side by side get what one alone gets. That something
// is shared shows only if two of them meet at it; a difference is never a false alarm.
func (c *checker) goroutines() {
	rng, seed := c.stream(3), maphash.MakeSeed()
	places := slices.Concat(c.places, c.far)
	plays := make([]play, concurrentPlays)
	for i := range plays {
		plays[i] = play{attempt{places[rng.IntN(len(places))], rng.IntN(len(c.spec.Actions))}, rng.Uint64()}
	}
	c.tried[Goroutines] = concurrentGoroutines * concurrentRounds * concurrentPlays
	lister, lists := c.m.(bcpace.Enumerator)
	player := func() func(i int) []deed {
		next, z, list, out, logs := make([]float64, len(c.spec.Axes)), new(bcpace.Successors), []byte(nil), bcpace.Outcome{}, []float64(nil)
		return func(i int) []deed {
			p, action := plays[i].p, plays[i].action
			deeds := []deed{{"Step", func() string {
				fillWith(next, marks[1])
				out = c.m.Step(next, p.s, p.latent, action, rand.New(yielding{rand.NewPCG(plays[i].seed, 1)}))
				list = num.AppendKey(num.AppendKey(list[:0], next), []float64{out.Reward, num.OfBool(out.Done)})
				return string(list)
			}, func() string { return fmt.Sprintf("%v, %+v", next, out) }}, {"LogLikelihood", func() string {
				logs = logs[:0]
				for _, latent := range p.latents {
					logs = append(logs, c.m.LogLikelihood(p.s, action, next, latent))
				}
				return string(num.AppendKey(list[:0], logs))
			}, func() string { return fmt.Sprint(logs) }}}
			if !lists {
				return deeds
			}
			return append(deeds, deed{"Successors", func() string {
				z.Reset(len(next), len(c.spec.Latents))
				lister.Successors(z, p.s, action)
				list = num.AppendKey(num.AppendKey(num.AppendKey(list[:0], z.States), z.Prob), z.Reward)
				for _, done := range z.Done {
					list = append(list, byte(num.OfBool(done)))
				}
				return strconv.FormatUint(maphash.Bytes(seed, list), 16)
			}, func() string { return "a list" }})
		}
	}
	c.must(sideBySide(c.ctx, len(plays), player,
		func(i int, do func()) {
			c.in("Step, LogLikelihood or Successors", plays[i].p.s, plays[i].action, plays[i].p.latent, do)
		},
		func(i int, what string) error {
			return c.spec.Fault(plays[i].p.s, plays[i].action, plays[i].p.latent, "%s", what)
		}))
}
