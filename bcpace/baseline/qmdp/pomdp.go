package qmdp

import (
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
)

// Values are values Q(s, a) of a POMDP's states s = (x, y), and the policy of
// Solver.SolvePOMDP. Σ b(y)·Q((x, y), a) is never below the value of a at (x, b), but for
// rounding.
type Values struct {
	// Q holds Q(s, a) at s·actions + a, in reward units.
	Q []float64
	// Error bounds how far Q is above the fixed point that defines it.
	Error float64

	actions, hidden int
}

var _ pomdp.Policy = (*Values)(nil)

// SolvePOMDP implements pomdp.Solver. The policy is the *Values of the MDP whose agent sees
// all of the state:
//
//	Q(s,a) = R(s,a) + γ Σ_s' P(s'|s,a) max_a' Q(s',a')
//
// approached from above. The value is the mean over what may be seen at the start of
// max over a of Σ_y b(y)·Q((x,y),a), and the upper bound.
func (s Solver) SolvePOMDP(ctx context.Context, m *pomdp.Model, c bcpace.Control) (*pomdp.Solution, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	m, err := pomdp.KeepHorizon(m)
	if err != nil {
		return nil, err
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if err := m.CheckStationary("QMDP"); err != nil {
		return nil, err
	}
	v, err := solve(ctx, m)
	if err != nil {
		return pomdp.Unfinished(ctx, err, m, s)
	}
	value := v.meanAtStart(m)
	proved := bcpace.RangeCertificate(m.Spec())
	proved.Upper, proved.UpperBy = value, bcpace.ByProof
	return &pomdp.Solution{Solver: s, Model: m, Policy: v, Value: value, Certificate: proved, Stop: bcpace.StopConverged,
		Trace: []bcpace.Progress{{Value: value}}}, nil
}

// solve returns the values of m.
func solve(ctx context.Context, m *pomdp.Model) (*Values, error) {
	best, change, err := optimal(ctx, m, tolerance(m)*m.Rate()/4)
	if err != nil {
		return nil, err
	}
	// With ‖TV − V‖ ≤ ρ and c = ρ/(1−γ), V + c is above its backup
	// T(V + c) ≤ V + ρ + γc = V + c, hence above the fixed point V*, and at most 2c
	// from it, as V is within c.
	c := change / m.Rate()
	for s := range best {
		best[s] += c
	}
	v := &Values{Q: make([]float64, m.NumStates()*len(m.Actions)), Error: 2 * m.Discount * c, actions: len(m.Actions), hidden: m.NumHidden()}
	for a := range m.Actions {
		for s := range best {
			v.Q[s*v.actions+a] = backup(m, best, s, a)
		}
	}
	return v, nil
}

// optimal returns values V of the MDP and ‖TV − V‖, at most change or what
// rounding allows. It is modified policy iteration (Puterman 1994, Section 6.5):
// it starts below all values, from c/(1−γ) with c = min(0, min over s of max over
// a of r), so that they rise monotonically.
func optimal(ctx context.Context, m *pomdp.Model, change float64) ([]float64, float64, error) {
	n := m.NumStates()
	v, greedy := make([]float64, n), make([]int32, n)
	start := 0.0
	for s := range v {
		best := math.Inf(-1)
		for a := range m.Actions {
			best = max(best, m.Reward[a][s])
		}
		start = min(start, best)
	}
	ends := m.Ends()
	for s := range v {
		if !ends[s] { // where it has ended, any value is its own backup for γ = 1
			v[s] = start / m.Rate()
		}
	}
	next, last := make([]float64, n), math.Inf(1)
	for {
		rho, top := 0.0, 0.0
		for s := range v {
			if s%1024 == 0 && ctx.Err() != nil {
				return nil, 0, ctx.Err()
			}
			best := math.Inf(-1)
			for a := range m.Actions {
				if q := backup(m, v, s, a); q > best {
					best, greedy[s] = q, int32(a)
				}
			}
			next[s] = best
			rho, top = max(rho, math.Abs(best-v[s])), max(top, math.Abs(best))
		}
		if rho <= change || rho >= last && rho <= 1e-12*top { // the latter: rounding is all that is left
			return v, rho, nil
		}
		last = rho
		copy(v, next)
		for sweep := range evaluationSweeps {
			moved := 0.0
			for i := range v {
				s := i
				if sweep%2 == 1 { // values travel along a sweep, and no one order suits every model
					s = n - 1 - i
				}
				q := backup(m, v, s, int(greedy[s]))
				moved = max(moved, math.Abs(q-v[s]))
				v[s] = q
			}
			if moved <= rho/100 || ctx.Err() != nil {
				break
			}
		}
	}
}

// evaluationSweeps is the most sweeps with fixed actions between two
// improvements, each of which costs as much as one for every action.
const evaluationSweeps = 25

// backup returns R(s,a) + γ Σ P(s'|s,a) V(s').
func backup(m *pomdp.Model, v []float64, s, a int) float64 {
	col, p := m.Move[a].At(s)
	p = p[:len(col)]
	sum := 0.0
	for i, to := range col {
		sum += p[i] * v[to]
	}
	return m.Reward[a][s] + m.Discount*sum
}

// tolerance returns the error allowed in the values: 1e-8 of the range of rewards, or of 1
// where that is more.
func tolerance(m *pomdp.Model) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, list := range m.Reward {
		for _, r := range list {
			lo, hi = min(lo, r), max(hi, r)
		}
	}
	return 1e-8 * max(1, hi-lo)
}

// best returns the action with the largest Σ b(y)·Q((x, y), a), the first one on
// a tie, and that value.
func (v *Values) best(x int, b []float64) (action int, value float64) {
	value = math.Inf(-1)
	for a := range v.actions {
		sum := 0.0
		for y, p := range b {
			if p > 0 {
				sum += p * v.Q[(x*v.hidden+y)*v.actions+a]
			}
		}
		if sum > value {
			action, value = a, sum
		}
	}
	return action, value
}

// Act implements pomdp.Policy: the action with the largest Σ b(y)·Q((x, y), a).
func (v *Values) Act(x int, b []float64) int {
	a, _ := v.best(x, b)
	return a
}

// meanAtStart returns the mean of the value of best over what may be seen at the start of
// m, an upper bound of the optimal value there.
func (v *Values) meanAtStart(m *pomdp.Model) float64 {
	sum, b := 0.0, make([]float64, v.hidden)
	for i, e := range m.Start {
		x := int(e.At) / v.hidden
		if i > 0 && int(m.Start[i-1].At)/v.hidden == x {
			continue
		}
		p := m.StartBelief(b, x)
		_, value := v.best(x, b)
		sum += p * value
	}
	return sum
}
