package constrained_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/constrained"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/bruteforce"
	"bayescpace/bcpace/stop"
)

// TestVertices: a limit that is just what some policy costs is kept, as 0 is, and nothing is bought with what rounding would allow. In the
// models, many actions cost nothing and many steps rule something out.
func TestVertices(t *testing.T) {
	models := uint64(150)
	if testing.Short() {
		models = 20
	}
	free, refused := 0, 0
	for seed := range models {
		rng := rand.New(rand.NewPCG(seed, 2))
		tab := bruteforce.Random(rng)
		m, err := bcpace.FromTables(tab)
		if err != nil {
			t.Fatal(err)
		}
		costs, pairs, least := priced(rng, tab, -3, 2)
		const epsilon = 0.05
		s := constrained.Solver{Epsilon: epsilon, Cost: constrained.Cost{Most: math.Pow(10, 9*rng.Float64()) * 2, Of: func(x constrained.Step) float64 {
			return costs[x.Latent][x.Action][int(x.State[0])]
		}}}
		for _, d := range []float64{0, least, -pairs[rng.IntN(len(pairs))][1]} {
			s.Limit = d
			found, err := s.Solve(t.Context(), m, bcpace.Control{})
			want, above := optimum(pairs, d), optimum(pairs, d+1e-12) // with the rounding of what policies cost
			if d == 0 {
				above = want
			}
			if math.IsInf(want, -1) {
				refused++
				var none *constrained.InfeasibleError
				if !errors.As(err, &none) || !(none.Least > 0) || none.Least > least+1e-9 || none.Most < least-1e-9 {
					t.Errorf("seed %d: %v, want that 0 is less than %v", seed, err, least)
				}
				continue
			}
			if err != nil {
				t.Errorf("seed %d: limit %v, least %v: %v", seed, d, least, err)
				continue
			}
			c := found.Certificate
			if c.Lower > above+1e-9 || c.Upper < want-1e-9 || found.Cost > d+1e-10 || d == 0 && found.Cost != 0 || found.Stop != stop.Certified {
				t.Errorf("seed %d: [%v, %v] (%s) at a cost of %v, want around %v at %v of %v or more", seed, c.Lower, c.Upper, found.Stop, found.Cost, want, d, least)
			}
			if d > 0 || seed%5 > 0 {
				continue
			}
			free++
			r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 2000, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if r.Mean < c.Lower-5*r.StdErr-1e-9 { // one in millions
				t.Errorf("seed %d: earns %v ± %v, want %v at least", seed, r.Mean, r.StdErr, c.Lower)
			}
		}
	}
	t.Logf("%d limits of 0 are impossible; %d policies without a cost were played", refused, free)
}
