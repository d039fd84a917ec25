// Package qmdp is QMDP (Littman, Cassandra and Kaelbling 1995, "Learning
// policies for partially observable environments: scaling up"): it acts as if
// all that is hidden would be known after the next step,
//
//	a = argmax Σ b(y) · Q_MDP(x, y, a)
//
// and so never acts to learn. Its values bound those of the POMDP from above; so
// do the tighter ones of FIB, the fast informed bound (Hauskrecht 2000,
// "Value-function approximations for partially observable Markov decision
// processes").
package qmdp

import (
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/pomdp"
)

// Values are values Q(s, a) of a POMDP's states s = (x, y), from Solve or FIB.
// Σ b(y)·Q((x, y), a) is never below the value of a at (x, b), but for rounding.
type Values struct {
	// Q holds Q(s, a) at s·actions + a, in reward units.
	Q []float64
	// Error bounds how far Q is above the fixed point that defines it.
	Error float64

	actions, hidden int
}

// Options of Solve and FIB. Every zero value is useful.
type Options struct {
	// Tolerance is the error allowed in the values, in reward units. If it is 0,
	// 1e-8 × max(1, range of rewards) is used. What rounding allows is the least.
	Tolerance float64
}

// Solve returns the optimal values of the MDP whose agent sees all of the state:
//
//	Q(s,a) = R(s,a) + γ Σ_s' P(s'|s,a) max_a' Q(s',a')
//
// approached from above. The error is the context's, that of Model.Validate, an
// *bcpace.InputError for a bad tolerance, or a *bcpace.UnsupportedError
// where Model.CheckStationary has one.
func Solve(ctx context.Context, m *pomdp.Model, o Options) (*Values, error) {
	if err := o.check(m); err != nil {
		return nil, err
	}
	best, change, err := optimal(ctx, m, o.tolerance(m)*m.Rate()/4)
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

// FIB returns the fast informed bound,
//
//	Q(s,a) = R(s,a) + γ Σ_{x',o} max_a' Σ_y' P(x',y'|s,a) P(o|x',y',a) Q((x',y'),a')
//
// which lets an action depend on what is seen after the step and not on what
// stays hidden: it is at most that of Solve, from which it falls monotonically.
// For errors see Solve.
func FIB(ctx context.Context, m *pomdp.Model, o Options) (*Values, error) {
	v, err := Solve(ctx, m, o)
	if err != nil {
		return nil, err
	}
	best := mdp.NewInformed(len(m.Observations), v.actions)
	tol, n := o.tolerance(m), m.NumStates()
	for sweep := 0; ; sweep++ {
		change, top := 0.0, 0.0
		for i := range n {
			if i%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			s := i
			if sweep%2 == 1 {
				s = n - 1 - i
			}
			for a := range v.actions {
				q, old := v.informed(best, m, s, a), &v.Q[s*v.actions+a]
				change, top = max(change, math.Abs(q-*old)), max(top, math.Abs(q))
				*old = q
			}
		}
		// A γ-contraction whose last sweep changed values by ρ at most is within
		// γρ/(1−γ) of its fixed point.
		v.Error = m.Discount * change / m.Rate()
		if v.Error <= tol || change <= 1e-14*top { // the latter: rounding is all that is left
			return v, nil
		}
	}
}

// informed returns the backup of (s, a) of the fast informed bound.
func (v *Values) informed(best *mdp.Informed, m *pomdp.Model, s, a int) float64 {
	col, p := m.Move[a].At(s)
	sum := 0.0
	for i, to := range col {
		obs, sense := m.Sense[a].At(int(to))
		for k, o := range obs {
			best.Add(o, p[i]*sense[k], v.Q[int(to)*v.actions:][:v.actions])
		}
		if i+1 == len(col) || int(col[i+1])/v.hidden != int(to)/v.hidden {
			sum += best.Flush(0) // the last one of this x'
		}
	}
	return m.Reward[a][s] + m.Discount*sum
}

// check returns the error of a model or an option that cannot be used.
func (o Options) check(m *pomdp.Model) error {
	if err := m.Validate(); err != nil {
		return err
	}
	if err := m.CheckStationary("QMDP"); err != nil {
		return err
	}
	if !(o.Tolerance >= 0) || math.IsInf(o.Tolerance, 1) {
		return bcpace.In("QMDP").Bad("Tolerance", o.Tolerance, "a positive error in reward units, or 0 for the default")
	}
	return nil
}

// tolerance returns the error allowed.
func (o Options) tolerance(m *pomdp.Model) float64 {
	if o.Tolerance > 0 {
		return o.Tolerance
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, list := range m.Reward {
		for _, r := range list {
			lo, hi = min(lo, r), max(hi, r)
		}
	}
	return 1e-8 * max(1, hi-lo)
}

// Best returns the action with the largest Σ b(y)·Q((x, y), a), the first one on
// a tie, and that value.
func (v *Values) Best(x int, b []float64) (action int, value float64) {
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

// Act implements pomdp.Policy: the action of Best.
func (v *Values) Act(x int, b []float64) int {
	a, _ := v.Best(x, b)
	return a
}

var _ pomdp.Policy = (*Values)(nil)

// MeanAtStart returns the mean of Best's value over what may be seen at the start of
// m, an upper bound of the optimal value there.
func (v *Values) MeanAtStart(m *pomdp.Model) float64 {
	sum, b := 0.0, make([]float64, v.hidden)
	for i, e := range m.Start {
		x := int(e.At) / v.hidden
		if i > 0 && int(m.Start[i-1].At)/v.hidden == x {
			continue
		}
		p := m.StartBelief(b, x)
		_, value := v.Best(x, b)
		sum += p * value
	}
	return sum
}
