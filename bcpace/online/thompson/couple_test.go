package thompson

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
)

// TestCouple: at each step what is drawn is distributed as the belief, and it changes with the least probability that allows this, half of the sum of the
// differences. Five standard errors are missed by one of 2,000 frequencies with a probability of 0.0012.
func TestCouple(t *testing.T) {
	const episodes, steps = 4000, 10
	rng := rand.New(rand.NewPCG(1, 1))
	for range 40 {
		n := 2 + rng.IntN(4)
		beliefs := make([]bcpace.Belief, steps)
		for i := range beliefs {
			b, sum := make(bcpace.Belief, n), 0.0
			for b[rng.IntN(n)] = .1; sum == 0; { // some are ruled out, and come back
				for k := range b {
					b[k] = max(b[k], rng.Float64()-.3)
					sum += b[k]
				}
			}
			for k := range b {
				b[k] /= sum
			}
			beliefs[i] = b
		}
		met, changes := make([]float64, steps*n), make([]float64, steps)
		p := newPolicy(bcpace.PolicyFunc(func(_ []float64, b bcpace.Belief, _ *rand.Rand) int {
			for k := range b {
				if b[k] == 1 {
					return k
				}
			}
			return -1
		}), 0, n)
		for range episodes {
			p.Begin(nil, nil)
			last := -1
			for i, b := range beliefs {
				k := p.Act(nil, b, rng)
				if met[i*n+k]++; i > 0 && k != last {
					changes[i]++
				}
				last = k
				p.Observe(0, 0, nil)
			}
		}
		near := func(count, prob float64) bool {
			return math.Abs(count-episodes*prob) <= 5*math.Sqrt(episodes*prob*(1-prob))+1e-9*episodes
		}
		for i, b := range beliefs {
			moved := 0.0
			for k, prob := range b {
				if !near(met[i*n+k], prob) {
					t.Errorf("step %d, latent %d: drawn in %v of %d episodes, want a share of %v", i, k, met[i*n+k], episodes, prob)
				}
				if i > 0 {
					moved += math.Abs(prob-beliefs[i-1][k]) / 2
				}
			}
			if !near(changes[i], moved) {
				t.Errorf("step %d: %v changes in %d episodes, want a share of %v", i, changes[i], episodes, moved)
			}
		}
	}
}
