package dp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/randmodel"
)

// TestExpectedAll: it gives what Expected gives action by action, for tables, grids and other values, and
// for states that the model does not have.
func TestExpectedAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range 12 {
		var m bcpace.Enumerator = randmodel.New(rng, randmodel.Options{})
		if i%2 == 1 {
			m = randmodel.SmallGoal(1+i/2%3, 0.1)
		}
		spec := m.Spec()
		q, err := dp.SolveLatentOn(t.Context(), m, dp.GridOptions{MaxPoints: 1000, NoError: true})
		if err != nil {
			t.Fatal(err)
		}
		all := make([]float64, len(spec.Actions))
		s, b := make([]float64, len(spec.Axes)), make(bcpace.Belief, len(spec.Latents))
		for k := range 50 {
			for i, a := range spec.Axes {
				if s[i] = a.Min + (a.Max-a.Min)*rng.Float64(); a.Whole() {
					s[i] = math.Round(s[i])
				}
			}
			if k == 0 {
				s[0] = spec.Axes[0].Max + 1
			}
			for φ := range b {
				b[φ] = rng.ExpFloat64() * float64(rng.IntN(2))
			}
			b[0]++
			floats.Scale(1/floats.Sum(b), b)
			for _, v := range []bcpace.LatentValues{q, dp.LatentFunc(q.Q)} {
				dp.ExpectedAll(all, v, s, b)
				for a, got := range all {
					if want := dp.Expected(q, s, b, a); math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
						t.Fatalf("%s at %v, %v, action %d: %v, want %v", spec.Name, s, b, a, got, want)
					}
				}
			}
		}
	}
}
