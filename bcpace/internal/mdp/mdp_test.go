package mdp

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// random draws a process of up to 6 states and 3 actions, some of whose rows end.
func random(rng *rand.Rand) *MDP {
	p := &MDP{Actions: 1 + rng.IntN(3), Discount: 0.5 + 0.4*rng.Float64(), Row: []int{0}}
	p.Rate = 1 - p.Discount
	states := 1 + rng.IntN(6)
	for range states * p.Actions {
		left := p.Discount
		for s := range states {
			if rng.IntN(2) == 0 {
				w := left * rng.Float64()
				left -= w
				p.Col, p.Weight = append(p.Col, int32(s)), append(p.Weight, w)
			}
		}
		p.Row, p.Reward = append(p.Row, len(p.Col)), append(p.Reward, 10*rng.NormFloat64())
	}
	return p
}

// TestSolve compares values with those of plain value iteration, which has run until
// it is at most 10⁻¹² of them away.
func TestSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		p := random(rng)
		v := make([]float64, p.States())
		for range 300 { // 0.9³⁰⁰ < 10⁻¹³
			next := make([]float64, len(v))
			for s := range next {
				next[s] = math.Inf(-1)
				for a := range p.Actions {
					next[s] = max(next[s], p.Backup(v, s*p.Actions+a))
				}
			}
			v = next
		}
		for _, tol := range []float64{1, 1e-3, 0} {
			q := make([]float64, len(p.Reward))
			bound, err := p.Solve(t.Context(), q, tol)
			if err != nil || bound > max(tol, 1e-10) {
				t.Fatalf("bound %v, %v, want at most %v", bound, err, tol)
			}
			for r, x := range q {
				if want := p.Backup(v, r); math.Abs(x-want) > bound+1e-10 {
					t.Errorf("row %d is %v ± %v, want %v", r, x, bound, want)
				}
			}
		}
	}
}

// TestInterrupted expects the context's error.
//
//test:race
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := random(rand.New(rand.NewPCG(1, 2)))
	if _, err := p.Solve(ctx, make([]float64, len(p.Reward)), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// TestInformed compares the sum of maxima with one by a table of all observations,
// twice with the same value.
func TestInformed(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	f := NewInformed(4, 3)
	for range 100 {
		var sum [4][3]float64
		var used [4]bool
		for range rng.IntN(8) {
			o, w := rng.IntN(4), rng.Float64()
			q := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			f.Add(int32(o), w, q)
			used[o] = true
			for a, x := range q {
				sum[o][a] += w * x
			}
		}
		want := 0.0
		for o, row := range sum {
			if used[o] {
				want += max(row[0], row[1], row[2])
			}
		}
		if got := f.Flush(0); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
