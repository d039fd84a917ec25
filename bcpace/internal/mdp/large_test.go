package mdp

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// endedAt is a context that has ended from the n-th look on.
type endedAt struct {
	context.Context
	left int
}

func (c *endedAt) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// shapes are processes that are hard for one method or another: well mixed ones, walks on
// a line that drift or not, states that hold on to themselves, and cycles.
func shapes(rng *rand.Rand, states int) map[string]*MDP {
	row := func(p *MDP, left float64, to ...int) {
		for i, s := range to {
			w := left
			if i+1 < len(to) {
				w *= rng.Float64()
			}
			left -= w
			p.Col, p.Weight = append(p.Col, int32(s)), append(p.Weight, w)
		}
		p.Row, p.Reward = append(p.Row, len(p.Col)), append(p.Reward, rng.NormFloat64())
	}
	all := make(map[string]*MDP)
	draw := func(name string, discount float64, next func(s, a int) []int) {
		p := &MDP{Actions: 2, Discount: discount, Rate: 1 - discount, Row: []int{0}}
		for s := range states {
			for a := range p.Actions {
				row(p, discount, next(s, a)...)
			}
		}
		all[name] = p
	}
	at := func(s int) int { return min(max(s, 0), states-1) }
	draw("mixed", 0.99, func(s, a int) []int { return []int{rng.IntN(states), rng.IntN(states), rng.IntN(states)} })
	draw("drift", 0.999, func(s, a int) []int { return []int{at(s + 1 - 2*a)} })
	draw("walk", 0.99, func(s, a int) []int { return []int{at(s - 1), at(s + 1)} })
	draw("sticky", 0.999, func(s, a int) []int { return []int{s, rng.IntN(states)} })
	draw("cycle", 0.999, func(s, a int) []int { return []int{(s + 1 + a) % states} })
	draw("ends", 0.99, func(s, a int) []int { return nil })
	for _, s := range []int{0, states / 2} { // entries that are there twice, and rows that end
		p := all["mixed"]
		r := s * p.Actions
		p.Col[p.Row[r]+1] = p.Col[p.Row[r]]
		p.Weight[p.Row[r]+2] = 0
	}
	return all
}

// TestChain: the bounds of a chain hold the values that plain sweeps find, they are as
// close as was asked for, and the lower one is not above its own backup.
func TestChain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, states := range []int{1, 7, 300} {
		for name, p := range shapes(rng, states) {
			var c MarkovChain
			c.Fix(p, func(s int) int { return s * p.Actions })
			want := make([]float64, states)
			for change := 1.0; change > 1e-13*(1+MaxAbs(want)); {
				change = p.Evaluate(want, make([]int32, states), rng.IntN(2) == 0)
			}
			for _, tol := range []float64{1, 1e-3, 1e-7} {
				v := make([]float64, states)
				for s := range v {
					v[s] = 100 * rng.NormFloat64() // the first values do not matter
				}
				low, high, err := c.Solve(t.Context(), v, tol)
				if err != nil || !(low <= 0 && high >= 0 && high-low <= tol) {
					t.Fatalf("%s, %d states, to %v: [%v, %v], error %v", name, states, tol, low, high, err)
				}
				slack := 1e-9 * (1 + MaxAbs(want))
				for s, x := range v {
					if x+low > want[s]+slack || x+high < want[s]-slack {
						t.Errorf("%s, %d states, to %v: state %d is %v in [%v, %v]", name, states, tol, s, want[s], x+low, x+high)
					}
					v[s] += low
				}
				for s, x := range v {
					if q := p.Backup(v, s*p.Actions); x > q {
						t.Errorf("%s, %d states, to %v: state %d has %v, above its backup by %v", name, states, tol, s, x, x-q)
					}
				}
			}
		}
	}
}

// TestIterate: policy iteration finds the values that sweeps in place find, within its
// bound, and the same for any number of workers.
//
//test:race
func TestIterate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, states := range []int{1, 7, 300} {
		for name, p := range shapes(rng, states) {
			want := make([]float64, len(p.Reward))
			exact, err := p.Solve(t.Context(), want, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, tol := range []float64{1, 1e-3, 1e-7} {
				var first []float64
				for _, p.Workers = range []int{1, 3} {
					q := make([]float64, len(p.Reward))
					bound, err := p.ByPolicies(t.Context(), q, tol)
					if err != nil || !(bound <= tol) {
						t.Fatalf("%s, %d states: bound %v, error %v, want %v", name, states, bound, err, tol)
					}
					for r, x := range q {
						if math.Abs(x-want[r]) > bound+exact {
							t.Errorf("%s, %d states, to %v: row %d is %v ± %v, want %v", name, states, tol, r, x, bound, want[r])
						}
					}
					if first == nil {
						first = q
					} else if !slices.Equal(first, q) {
						t.Errorf("%s, %d states, to %v: other values with %d workers", name, states, tol, p.Workers)
					}
				}
				p.Workers = 0
			}
		}
	}
}

// TestUnfinished: whenever the context ends, the values so far are within the bound that
// comes with them, of sweeps and of policy iteration, and so are those of a chain.
func TestUnfinished(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, p := range shapes(rng, 100) {
		want := make([]float64, len(p.Reward))
		exact, err := p.Solve(t.Context(), want, 0)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 40 {
			for what, solve := range map[string]func(context.Context, []float64, float64) (float64, error){"sweeps": p.Solve, "policies": p.ByPolicies} {
				q := make([]float64, len(p.Reward))
				bound, err := solve(&endedAt{t.Context(), n}, q, 1e-9)
				if err == nil && bound > 1e-9 {
					t.Errorf("%s of %s, ended at look %d: bound %v and no error", what, name, n, bound)
				}
				for r, x := range q {
					if math.Abs(x-want[r]) > bound+exact {
						t.Fatalf("%s of %s, ended at look %d: row %d is %v ± %v, want %v", what, name, n, r, x, bound, want[r])
					}
				}
			}
			var c MarkovChain
			c.Fix(p, func(s int) int { return s * p.Actions })
			v := make([]float64, 100)
			low, high, _ := c.Solve(&endedAt{t.Context(), n}, v, 1e-9)
			full := make([]float64, 100)
			if _, _, err := c.Solve(t.Context(), full, 1e-9); err != nil {
				t.Fatal(err)
			}
			for s, x := range full {
				if v[s]+low > x+1e-8 || v[s]+high < x-1e-8 {
					t.Errorf("chain of %s, ended at look %d: state %d is %v in [%v, %v]", name, n, s, x, v[s]+low, v[s]+high)
				}
			}
		}
	}
}
