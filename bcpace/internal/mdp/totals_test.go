package mdp

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// drawEnding draws a process without a discount of a few states and two actions, of which the last state is the end.
func drawEnding(rng *rand.Rand, rewards func() float64) *MDP {
	n := 2 + rng.IntN(4)
	p := &MDP{Actions: 2, Discount: 1, Row: []int{0}}
	for s := range n {
		for range p.Actions {
			reward := 0.0
			if s < n-1 {
				reward = rewards()
				left := 1.0
				for to := range n {
					if share := left * rng.Float64(); rng.IntN(2) == 0 || to == n-1 {
						if to == n-1 {
							share = left
							if len(p.Col) > p.Row[len(p.Row)-1] && rng.IntN(3) > 0 { // no way to the end
								p.Weight[len(p.Weight)-1] += left
								break
							}
						}
						p.Col, p.Weight = append(p.Col, int32(to)), append(p.Weight, share)
						left -= share
					}
				}
			}
			p.Row, p.Reward = append(p.Row, len(p.Col)), append(p.Reward, reward)
		}
	}
	return p
}

// leadsTo returns the states that a row leads to, as bits.
func (p *MDP) leadsTo(row int) (set int) {
	for _, to := range p.Col[p.Row[row]:p.Row[row+1]] {
		set |= 1 << to
	}
	return set
}

// isComponent reports whether a set of states is an end component of the rows in use.
func isComponent(p *MDP, set int, use func(int) bool) bool {
	reach := make([]int, p.States()) // by state
	for s := range reach {
		if set>>s&1 == 0 {
			continue
		}
		for row := s * p.Actions; row < (s+1)*p.Actions; row++ {
			if to := p.leadsTo(row); use(row) && to != 0 && to&^set == 0 {
				reach[s] |= to
			}
		}
		if reach[s] == 0 {
			return false
		}
	}
	for range reach {
		for s := range reach {
			for t := range reach {
				if reach[s]>>t&1 == 1 {
					reach[s] |= reach[t]
				}
			}
		}
	}
	for s := range reach {
		if set>>s&1 == 1 && reach[s] != set {
			return false
		}
	}
	return true
}

// TestEndComponents compares with all sets of states.
func TestEndComponents(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := drawEnding(rng, func() float64 { return float64(rng.IntN(2)) })
		use := func(row int) bool { return seed%2 == 0 || p.Reward[row] == 0 }
		of, stays := p.EndComponents(t.Context(), use)
		largest := make([]int, p.States()) // by state: the largest component that holds it
		for set := 1; set < 1<<p.States(); set++ {
			if isComponent(p, set, use) {
				for s := range largest {
					if set>>s&1 == 1 && bits.OnesCount(uint(set)) > bits.OnesCount(uint(largest[s])) {
						largest[s] = set
					}
				}
			}
		}
		for s := range largest {
			got := 0
			for other := range of {
				if of[s] >= 0 && of[other] == of[s] {
					got |= 1 << other
				}
			}
			if got != largest[s] {
				t.Errorf("seed %d, state %d: the component is %b, want %b", seed, s, got, largest[s])
			}
			for row := s * p.Actions; row < (s+1)*p.Actions; row++ {
				to := p.leadsTo(row)
				if want := use(row) && largest[s] != 0 && to != 0 && to&^largest[s] == 0; stays[row] != want {
					t.Errorf("seed %d, row %d stays: %v, want %v", seed, row, stays[row], want)
				}
			}
		}
	}
}

// total returns the totals of a policy by linear equations; ok is false if it does not end from everywhere.
func total(p *MDP, choice int) (v []float64, ok bool) {
	n := p.States()
	a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	for s := range n {
		row := s*p.Actions + choice>>s&1
		a.Set(s, s, 1)
		for i := p.Row[row]; i < p.Row[row+1]; i++ {
			a.Set(s, int(p.Col[i]), a.At(s, int(p.Col[i]))-p.Weight[i])
		}
		b.SetVec(s, p.Reward[row])
	}
	var x mat.VecDense
	if err := x.SolveVec(a, b); err != nil {
		return nil, false
	}
	return x.RawVector().Data, true
}

// TestTotals: values from above, and those of sweeps that come down, are not below what value iteration comes up to, and
// close to it.
func TestTotals(t *testing.T) {
	slow := 0 // that take too many steps
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 2))
		p := drawEnding(rng, func() float64 { return float64(rng.IntN(3)) })
		n := p.States()
		of, stays := p.EndComponents(t.Context(), func(int) bool { return true })
		for row, in := range stays {
			if in {
				p.Reward[row] = 0 // else values are infinite
			}
		}
		best := make([]float64, n) // by value iteration from 0
		for range 100_000 {
			change := 0.0
			for s := range best {
				v := max(p.Backup(best, 2*s), p.Backup(best, 2*s+1))
				change = max(change, v-best[s])
				best[s] = v
			}
			if change < 1e-15 {
				break
			}
		}
		g := p.Collapse(of, stays)
		v, ok := g.FromAbove(t.Context(), p.Rounding(), 1e-9, 100_000)
		if !ok {
			slow++
			continue
		}
		down := make([]float64, g.Len())
		for i := range down {
			down[i] = v[i] + 10
		}
		g.Fall(t.Context(), down, 0, 1e-12, 100_000)
		for s := range best {
			for _, got := range []float64{v[g.Of[s]], down[g.Of[s]]} {
				if got < best[s]-1e-9 || got > best[s]+1e-6*(1+MaxAbs(best)) {
					t.Errorf("seed %d, state %d: %v, want %v or a little more", seed, s, got, best[s])
				}
			}
		}
	}
	if slow > 5 {
		t.Errorf("%d processes have no values", slow)
	}
}

// TestChainTotals: what Totals says of its values holds, and the values are those of linear equations.
func TestChainTotals(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := drawEnding(rng, rng.NormFloat64)
		of, _ := p.EndComponents(t.Context(), func(row int) bool { return row%p.Actions == 0 })
		if ends := func() bool {
			for _, c := range of {
				if c >= 0 {
					return false
				}
			}
			return true
		}(); !ends {
			continue
		}
		want, ok := total(p, 0)
		if !ok {
			t.Fatalf("seed %d: no equations", seed)
		}
		var c MarkovChain
		c.Fix(p, func(s int) int { return s * p.Actions })
		v := make([]float64, p.States())
		w, e, ok := c.Totals(t.Context(), v, 1e-6)
		if !ok {
			t.Fatalf("seed %d: no totals", seed)
		}
		for s := range v {
			row := s * p.Actions
			if residual := p.Backup(v, row) - v[s]; math.Abs(residual) > e/2+1e-15 {
				t.Errorf("seed %d, state %d: the residual is %v, e is %v", seed, s, residual, e)
			}
			if steps := p.Backup(w, row) - p.Reward[row] + 0.5; w[s] < steps {
				t.Errorf("seed %d, state %d: w is %v, want %v at least", seed, s, w[s], steps)
			}
			if math.Abs(v[s]-want[s]) > e*w[s]+1e-12 || e*w[s] > 1e-5 {
				t.Errorf("seed %d, state %d: %v ± %v, want %v", seed, s, v[s], e*w[s], want[s])
			}
		}
	}
}
