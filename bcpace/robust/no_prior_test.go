package robust_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/robust"
)

// TestLatentsWithoutPrior: a hidden value to which the model's own prior gives 0 goes on where the others end. There is one action, so
// that the worst prior of all is the worst hidden value.
func TestLatentsWithoutPrior(t *testing.T) {
	const gamma, seen, hidden = 0.8, 2, 3
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 3))
		start := make([]float64, seen*hidden)
		sight, prior := pomdptest.Row(rng, seen, 0), pomdptest.Row(rng, hidden, 0)
		prior[rng.IntN(hidden)] = 0
		total := 0.0
		for _, p := range prior {
			total += p
		}
		for x, p := range sight {
			for y, q := range prior {
				start[x*hidden+y] = p * q / total
			}
		}
		var moves, senses [][]float64
		rewards := make([]float64, seen*hidden)
		for s := range rewards {
			x, y := s/hidden, s%hidden
			row := make([]float64, seen*hidden)
			if prior[y] > 0 && rng.IntN(2) == 0 { // an end under the hidden values that the prior holds possible
				row[s] = 1
			} else {
				p := rng.Float64()
				row[x*hidden+y], row[(1-x)*hidden+y] = p, 1-p
				rewards[s] = 4*rng.Float64() - 3
			}
			moves, senses = append(moves, row), append(senses, []float64{1})
		}
		m := pomdptest.New(seen, hidden, 1, 1, gamma, start)
		pomdptest.Append(m, moves, senses, rewards)
		v := make([]float64, len(rewards))
		for range 200 {
			next := make([]float64, len(v))
			for s := range v {
				next[s] = rewards[s]
				for to, p := range moves[s] {
					next[s] += gamma * p * v[to]
				}
			}
			v = next
		}
		worst := math.Inf(1)
		for y := range hidden {
			worst = min(worst, sight[0]*v[y]+sight[1]*v[hidden+y])
		}
		b, err := pomdp.AsBAMDP(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		r, err := robust.Solver{Epsilon: 1e-3}.Solve(t.Context(), b, bcpace.Control{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if c := r.Certificate; c.Lower > worst+1e-9 || c.Upper < worst-1e-9 || c.Gap() > 0.01 {
			t.Errorf("seed %d: bounds %v and %v, the worst hidden value earns %v", seed, c.Lower, c.Upper, worst)
		}
	}
}
