package sparse_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/online/sparse"
	"bayescpace/envs"
)

// With one step to go, the estimates are means of rewards, and with two, of what the best
// second action earns: as dynamic programming over as many steps says, to within the error of
// so many draws. With a finite width the maximum over noisy means is too large; of one step
// behind the root it is by less than 5 % of the range here. The seeds are fixed.
func TestShortHorizons(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 9))
		m, at := plannertest.Random(t, rng, seed, 2, 0.8)
		for depth := 1; depth <= 2; depth++ {
			best, err := eval.Optimal(t.Context(), m, eval.ExactOptions{State: at.State, Belief: at.Belief, Horizon: depth})
			if err != nil {
				t.Fatal(err)
			}
			d := plannertest.Decide(t, sparse.Solver{Width: 100, Budget: bcpace.Budget{Simulations: 4000, Depth: depth}}, m, at, rng)
			for a, q := range d.Q {
				if math.Abs(q-best.Q[a]) > 0.05*20*float64(depth) {
					t.Errorf("model %d, depth %d: action %d is worth %v, want %v", seed, depth, a, q, best.Q[a])
				}
			}
			if d.Depth != depth || d.Simulations != 4000 || d.Visits[0] != 4000 {
				t.Errorf("depth %d, %d simulations, visits %v", d.Depth, d.Simulations, d.Visits)
			}
		}
	}
}

// What cannot be used is an error that says what would be right.
func TestBadInput(t *testing.T) {
	plannertest.Refuses(t, envs.Tiger{}, []sparse.Solver{{Width: -1}, {Budget: bcpace.Budget{Depth: -1}}, {Budget: bcpace.Budget{Depth: 1 << 40}}})
}
