package mdp

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// TestWithin: where the sweeps are over before values are near, Solve, Totals and Near say so, and the bounds of Solve hold values all the same.
func TestWithin(t *testing.T) {
	const n = 400
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := &MDP{Actions: 1, Discount: .9999, Rate: 1e-4, Row: []int{0}}
		for s := range n { // a long way there and back
			up := .3 + .4*rng.Float64()
			p.Col = append(p.Col, int32(max(0, s-1)), int32(min(n-1, s+1)))
			p.Weight = append(p.Weight, p.Discount*(1-up), p.Discount*up)
			p.Row, p.Reward = append(p.Row, len(p.Col)), append(p.Reward, rng.Float64())
		}
		var c MarkovChain
		c.Fix(p, func(s int) int { return s })
		want := make([]float64, n)
		wantLow, wantHigh, err := c.Solve(t.Context(), want, 1e-6)
		if err != nil {
			t.Fatal(err)
		}
		c.Fix(p, func(s int) int { return s })
		v := make([]float64, n)
		c.Within(3)
		low, high, err := c.Solve(t.Context(), v, 1e-6)
		if !errors.Is(err, errSweeps) {
			t.Errorf("seed %d: Solve within three sweeps: error %v", seed, err)
		}
		for s := range v {
			if v[s]+low > want[s]+wantHigh || v[s]+high < want[s]+wantLow {
				t.Fatalf("seed %d, state %d: [%v, %v], want %v", seed, s, v[s]+low, v[s]+high, want[s])
			}
		}
		c.Within(3)
		if sweeps, near := c.Near(t.Context(), make([]float64, n), 1e-9); near || sweeps == 0 {
			t.Errorf("seed %d: near after %d sweeps", seed, sweeps)
		}
		if _, _, ok := c.Totals(t.Context(), make([]float64, n), 1e-9); ok {
			t.Errorf("seed %d: totals after the sweeps are over", seed)
		}
		c.Within(1_000_000)
		if _, near := c.Near(t.Context(), v, 1e-9); !near {
			t.Errorf("seed %d: not near after a million sweeps", seed)
		}
	}
}
