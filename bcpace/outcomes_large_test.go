package bcpace_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/fingerprint"
	"bayescpace/bcpace/internal/randmodel"

	"pgregory.net/rapid"
)

// roads is a square grid of so many cells a side whose hidden goal is in one of so many places. The
// last axis is what a noisy sensor has read.
func roads(side, latents int) bcpace.Outcomes {
	spec := bcpace.Spec{Name: "roads", Discount: 0.99, Actions: bcpace.Actions("north", "east", "south", "west"),
		Axes: []bcpace.Axis{{Name: "x", Max: float64(side - 1), Discrete: true}, {Name: "y", Max: float64(side - 1), Discrete: true}, {Name: "reading", Max: 2, Discrete: true}}}
	for φ := range latents {
		spec.Latents = append(spec.Latents, strconv.Itoa(φ))
	}
	move := [4][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
	return bcpace.Outcomes{Spec: spec, Transitions: func(s []float64, latent, action int) (list []bcpace.Transition) {
		goal := [2]int{side - 1 - latent*side/latents/2, side / 2}
		for k, p := range [3]float64{0.8, 0.1, 0.1} {
			m := move[(action+[3]int{0, 1, 3}[k])%4]
			x, y := max(0, min(side-1, int(s[0])+m[0])), max(0, min(side-1, int(s[1])+m[1]))
			if [2]int{x, y} == goal {
				list = append(list, bcpace.Transition{Next: []float64{float64(x), float64(y), 2}, Prob: p, Reward: 10, Done: true})
				continue
			}
			right := 0.5 // the probability of the reading 1
			if (x-goal[0])*(x-goal[0])+(y-goal[1])*(y-goal[1]) < side*side/100 {
				right = 0.9
			}
			for r, q := range [2]float64{1 - right, right} {
				list = append(list, bcpace.Transition{Next: []float64{float64(x), float64(y), float64(r)}, Prob: p * q, Reward: -0.05})
			}
		}
		return list
	}}
}

// TestOutcomesSideBySide: any number of goroutines lists the same model.
//
//test:race
func TestOutcomesSideBySide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := roads(rapid.IntRange(2, 12).Draw(t, "side"), rapid.IntRange(1, 3).Draw(t, "latents"))
		if rapid.Bool().Draw(t, "random") {
			o = outcomesOf(randmodel.New(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), randmodel.Options{}))
		}
		want, err := bcpace.FromOutcomes(o)
		if err != nil {
			t.Fatal(err)
		}
		first, err := fingerprint.Of(want, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{2, 8} {
			m, err := o.Model(t.Context(), bcpace.Control{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if again, err := fingerprint.Of(m, nil); err != nil || again != first {
				t.Fatalf("%d workers: fingerprint %v, %v, want %v", workers, again, err, first)
			}
		}
	})
}

// TestOutcomesListed: what follows every state is what a plain list of the transitions says, to the
// last bit.
func TestOutcomesListed(t *testing.T) {
	o := roads(9, 3)
	m, err := bcpace.FromOutcomes(o)
	if err != nil {
		t.Fatal(err)
	}
	s, to := make([]float64, 3), make([]float64, 3)
	var z bcpace.Successors
	for k := range m.NumStates() {
		m.StateAt(s, k)
		if s[2] == 2 { // an end
			continue
		}
		for action := range o.Spec.Actions {
			z.Reset(3, 3)
			m.Successors(&z, s, action)
			for i := range z.Len() {
				next, prob, reward := z.Row(i)
				copy(to, next)
				for φ := range prob {
					p, r := 0.0, 0.0
					for _, x := range o.Transitions(s, φ, action) {
						if x.Next[0] == to[0] && x.Next[1] == to[1] && x.Next[2] == to[2] {
							r += (x.Reward - r) * x.Prob / (p + x.Prob)
							p += x.Prob
						}
					}
					if prob[φ] != p || p > 0 && (reward[φ] != r || z.Done[i] != (to[2] == 2)) {
						t.Fatalf("%v, %d, latent %d: %v follows with %v, %v, %v, want %v, %v", s, action, φ, to, prob[φ], reward[φ], z.Done[i], p, r)
					}
				}
			}
		}
	}
}

// TestOutcomesCancelled: the list of a model ends with its context, and tells how far it is before.
//
//test:race
func TestOutcomesCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o, calls, share := roads(100, 2), 0, 0.0
	inner := o.Transitions
	o.Transitions = func(s []float64, latent, action int) []bcpace.Transition {
		calls++
		return inner(s, latent, action)
	}
	_, err := o.Model(ctx, bcpace.Control{Workers: 1, Progress: func(p bcpace.Progress) {
		if p.Phase != "outcomes" || p.Share < share || p.Share > 1 {
			t.Errorf("phase %q, share %v after %v", p.Phase, p.Share, share)
		}
		if share = p.Share; share > 0.05 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || calls > 100*100*2*4 {
		t.Errorf("error %v after %d calls, want that of the context after a part of %d", err, calls, 3*100*100*2*4)
	}
	if _, err := o.Model(t.Context(), bcpace.Control{Workers: -1}); !errors.As(err, new(*bcpace.InputError)) {
		t.Errorf("error %v, want an InputError", err)
	}
}

// TestOutcomesFirstFault: the error is that of the first state at fault, whatever the number of
// goroutines.
//
//test:race
func TestOutcomesFirstFault(t *testing.T) {
	o := roads(60, 2)
	inner := o.Transitions
	o.Transitions = func(s []float64, latent, action int) []bcpace.Transition {
		if s[0]+s[1] > 40 {
			panic("too far")
		}
		return inner(s, latent, action)
	}
	_, want := bcpace.FromOutcomes(o)
	for range 5 {
		if _, err := o.Model(t.Context(), bcpace.Control{Workers: 8}); err == nil || err.Error() != want.Error() || !strings.Contains(err.Error(), "too far") {
			t.Fatalf("error %v, want %v", err, want)
		}
	}
}

// BenchmarkOutcomes lists a grid of 20,000 states with 8 latents.
func BenchmarkOutcomes(b *testing.B) {
	o := roads(100, 8)
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		begin := time.Now()
		m, err := o.Model(b.Context(), bcpace.Control{})
		if err != nil {
			b.Fatal(err)
		}
		took := time.Since(begin)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(m.NumStates()), "B/state")
		b.ReportMetric(float64(took.Nanoseconds())/float64(m.NumStates()), "ns/state")
		runtime.KeepAlive(m)
	}
}
