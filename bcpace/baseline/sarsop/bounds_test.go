package sarsop_test

import (
	"bayescpace/bcpace/baseline/sarsop"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/pomdp"
)

// TestInformedOfBAMDP: the fast informed bound is that of the POMDP of the model, as it is defined.
func TestInformedOfBAMDP(t *testing.T) {
	for _, kind := range []bcpace.LatentKind{bcpace.Static, bcpace.Deterministic, bcpace.Redrawn} {
		for seed := range uint64(30) {
			m := randmodel.New(rand.New(rand.NewPCG(seed, uint64(kind))), randmodel.Options{Kind: kind})
			p, err := pomdp.FromBAMDP(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			fib, err := dp.SolveFIB(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			const tol = 1e-9
			want := sarsop.Informed(p, tol)
			latents, ends := p.NumHidden(), p.Ends()
			for n := range m.NumStates() {
				if ends[n*latents] { // of which dp has no values
					continue
				}
				for a := range p.Actions {
					for y, got := range fib.Vector(n, a) {
						if w := want[(n*latents+y)*len(p.Actions)+a]; math.Abs(got-w) > fib.Error+tol {
							t.Fatalf("%v, seed %d: state %d, latent %d, action %d: %v, want %v", kind, seed, n, y, a, got, w)
						}
					}
				}
			}
		}
	}
}

// TestOneStepOfBAMDP: the tighter informed bound is that of the POMDP of the model, as it is defined, at random beliefs.
func TestOneStepOfBAMDP(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 0))
		m := randmodel.New(rng, randmodel.Options{Kind: bcpace.Redrawn})
		p, err := pomdp.FromBAMDP(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		tib, err := dp.SolveTIB(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		const tol = 1e-5
		want := sarsop.OneStep(p, tol)
		latents, ends, state := p.NumHidden(), p.Ends(), make([]float64, 1)
		for n := range m.NumStates() {
			if ends[n*latents] { // of which dp has no values
				continue
			}
			m.StateAt(state, n)
			b, all := make(bcpace.Belief, latents), make([]float64, p.NumStates())
			b.SampleSimplex(rng)
			copy(all[n*latents:], b)
			for a := range p.Actions {
				if got, w := tib.Upper(state, b, a), want(all, a); got < w-tol || got > w+tib.Error+tol {
					t.Fatalf("seed %d: state %d, belief %v, action %d: %v, want %v with an error of %v", seed, n, b, a, got, w, tib.Error)
				}
			}
		}
	}
}
