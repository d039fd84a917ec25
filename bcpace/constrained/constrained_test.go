package constrained_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/constrained"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/stop"
)

// optimum returns the most that a mixture of policies earns whose costs are at most d, of pairs of return and minus the cost; −Inf where there is none.
func optimum(pairs [][2]float64, d float64) float64 {
	best := math.Inf(-1)
	for _, p := range pairs {
		if -p[1] > d {
			continue
		}
		best = max(best, p[0])
		for _, q := range pairs {
			if -q[1] > d {
				w := (-q[1] - d) / (p[1] - q[1])
				best = max(best, w*p[0]+(1-w)*q[0])
			}
		}
	}
	return best
}

// priced draws costs from low to high, those below 0 being 0, and returns by latent, action and state what they are, the pairs of return and
// minus the cost of all policies, and the least cost.
func priced(rng *rand.Rand, tab bcpace.Tables, low, high float64) (costs [][][]float64, pairs [][2]float64, least float64) {
	costs = pomdptest.RandomNumbers(rng, len(tab.P), 2, 2, low, high)
	saved := pomdptest.RandomNumbers(rng, len(tab.P), 2, 2, 0, 0)
	for φ := range costs {
		for a := range costs[φ] {
			for s, c := range costs[φ][a] {
				costs[φ][a][s] = max(c, 0)
				saved[φ][a][s] = -max(c, 0)
			}
		}
	}
	least = math.Inf(1)
	for _, v := range pomdptest.EveryPolicy(tab, tab.R, saved) {
		var p [2]float64
		for φ, b := range tab.Prior {
			p[0], p[1] = p[0]+b*v[φ], p[1]+b*v[len(tab.P)+φ]
		}
		pairs, least = append(pairs, p), min(least, -p[1])
	}
	return costs, pairs, least
}

// TestAgainstAllPolicies: bounds of the constrained optimum of random models hold and close, limits below the least cost are refused with bounds of that,
// and mixtures earn and cost what they promise. Limits are drawn, or just what some policy costs, the least cost and 0 among them: nothing is
// bought with what rounding would allow. In every other model many actions cost nothing, and Cost.Most is far above what is paid.
func TestAgainstAllPolicies(t *testing.T) {
	models := uint64(80)
	if testing.Short() {
		models = 40
	}
	refused, free := 0, 0
	for seed := range models {
		rng := rand.New(rand.NewPCG(seed, 1))
		tab := pomdptest.RandomTables(rng)
		m, err := bcpace.FromTables(tab)
		if err != nil {
			t.Fatal(err)
		}
		low, most := 0.0, 4.0
		if seed%2 > 0 {
			low, most = -3, 2
		}
		costs, pairs, least := priced(rng, tab, low, most)
		if seed%2 > 0 {
			most *= math.Pow(10, 9*rng.Float64())
		}
		const epsilon = 0.05
		s := constrained.Solver{Epsilon: epsilon, Cost: constrained.Cost{Most: most, Of: func(x constrained.Step) float64 {
			return costs[x.Latent][x.Action][int(x.State[0])]
		}}}
		for k, d := range []float64{0, least, -pairs[rng.IntN(len(pairs))][1], max(least+rng.Float64()*2-0.2, 0)} {
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
					t.Errorf("seed %d: %v, want that %v is less than %v", seed, err, d, least)
				}
				continue
			}
			if err != nil {
				t.Errorf("seed %d: limit %v, least %v: %v", seed, d, least, err)
				continue
			}
			c := found.Certificate
			if c.Lower > above+1e-9 || c.Upper < want-1e-9 || constrained.Of(found).Cost > d+1e-10 || d == 0 && constrained.Of(found).Cost != 0 || found.Stop != stop.Certified {
				t.Errorf("seed %d: [%v, %v] (%s) at a cost of %v, want around %v at %v of %v or more", seed, c.Lower, c.Upper, found.Stop, constrained.Of(found).Cost, want, d, least)
			}
			if seed%10 > 1 || k == 1 || k == 2 {
				continue
			}
			if d == 0 {
				free++
			}
			r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 2000, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if r.Mean < c.Lower-5*r.StdErr-1e-9 { // one in millions
				t.Errorf("seed %d: earns %v ± %v, want %v at least", seed, r.Mean, r.StdErr, c.Lower)
			}
		}
	}
	if refused == 0 || free == 0 {
		t.Errorf("%d limits were refused, and %d policies without a cost played", refused, free)
	}
}
