package dp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/pomdp"
)

// TestInformed: the fast informed bound is that of the POMDP of the model, as it is defined.
func TestInformed(t *testing.T) {
	for _, kind := range kinds {
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
			want := pomdptest.Informed(p, tol)
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
