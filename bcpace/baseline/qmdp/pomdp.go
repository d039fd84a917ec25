package qmdp

import (
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// values are values Q(s, a) of a POMDP's states s = (x, y), and the policy of
// Solver.SolvePOMDP. Σ b(y)·Q((x, y), a) is never below the value of a at (x, b), but for
// rounding.
type values struct {
	// Q holds Q(s, a) at s·actions + a, in reward units.
	Q []float64
	// Error bounds how far Q is above the fixed point that defines it.
	Error float64

	actions, hidden int
}

var _ pomdp.Policy = (*values)(nil)

// SolvePOMDP implements pomdp.Solver. The policy is that of the MDP whose agent sees
// all of the state:
//
//	Q(s,a) = R(s,a) + γ Σ_s' P(s'|s,a) max_a' Q(s',a')
//
// with what bounds their error added. The value is the mean over what may be seen at the start of
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
	v, err := solve(ctx, m, c.Processors())
	if err != nil {
		return pomdp.Unfinished(ctx, err, m, s)
	}
	value := v.meanAtStart(m)
	proved := solverkit.RangeCertificate(m.Spec())
	proved.Upper, proved.UpperBy = value, bcpace.ByProof
	return &pomdp.Solution{Solver: s, Model: m, Policy: v, Value: value, Certificate: proved, Stop: stop.Converged,
		Trace: []bcpace.Progress{{Value: value}}}, nil
}

// tolerance is the error allowed in the values, as a part of the range of rewards, or of
// solverkit.Unit where that is more: that of package dp, so that a BAMDP and its POMDP have the same values.
const tolerance = 1e-10

// solve returns the values of m.
func solve(ctx context.Context, m *pomdp.Model, workers int) (*values, error) {
	v := &values{Q: make([]float64, m.NumStates()*len(m.Actions)), actions: len(m.Actions), hidden: m.NumHidden()}
	spec := m.Spec()
	bound, err := m.MDP(workers).Solve(ctx, v.Q, tolerance*max(solverkit.Unit(spec), spec.RewardMax-spec.RewardMin))
	if err != nil {
		return nil, err
	}
	for i := range v.Q {
		v.Q[i] += bound
	}
	v.Error = 2 * bound
	return v, nil
}

// best returns the action with the largest Σ b(y)·Q((x, y), a), the first one on
// a tie, and that value.
func (v *values) best(x int, b []float64) (action int, value float64) {
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
func (v *values) Act(x int, b []float64) int {
	a, _ := v.best(x, b)
	return a
}

// meanAtStart returns the mean of the value of best over what may be seen at the start of
// m, an upper bound of the optimal value there.
func (v *values) meanAtStart(m *pomdp.Model) float64 {
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
