package pomdp

import (
	"context"
	"errors"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Solver is a bcpace.Solver that solves any POMDP too.
type Solver interface {
	bcpace.Solver
	// SolvePOMDP is Solve for a POMDP.
	SolvePOMDP(ctx context.Context, m *Model, c bcpace.Control) (*Solution, error)
}

// Solution is what a Solver returns for a POMDP. All that bcpace.Solution has too
// means the same here.
type Solution struct {
	Solver Solver
	// Model is the POMDP in which Policy acts: that which was solved, or the same one
	// with the steps left among what is visible, or with what observations reveal.
	Model       *Model
	Policy      Policy
	Value       float64
	Certificate bcpace.Certificate
	Trace       []bcpace.Progress
	Stop        stop.Reason
	InSetUp     bool
}

// Searched returns the model whose states a point-based search for m acts on, with the steps left where m has a horizon: m, or
// unless it is to stay as it is the one where what observations reveal is visible, where that is no larger. If ctx ends before
// that is known, it is m.
func Searched(ctx context.Context, m *Model, stays bool) (*Model, error) {
	if !stays {
		revealed, err := Reveal(ctx, m)
		switch {
		case err != nil && ctx.Err() == nil && !errors.As(err, new(*bcpace.InputError)): // that is too large or not valid, as the search says too
			return nil, err
		case err == nil && revealed.NumVisible() > m.NumVisible() && revealed.NumStates() <= m.NumStates():
			m = revealed
		}
	}
	return KeepHorizon(m)
}

// KeepHorizon returns m with the steps left among its visible states where it has a
// horizon, as FiniteHorizon does, and m itself otherwise, also nil.
func KeepHorizon(m *Model) (*Model, error) {
	if m == nil || m.Horizon == 0 {
		return m, nil
	}
	return FiniteHorizon(m, m.Horizon)
}

// Spec returns the description of m as far as it needs no states: its name, discount,
// horizon and range of rewards.
func (m *Model) Spec() bcpace.Spec {
	s := bcpace.Spec{Name: m.Name, Discount: m.Discount, Horizon: m.Horizon, Goal: m.IsGoal()}
	for _, list := range m.Reward {
		for _, r := range list {
			s.RewardMin, s.RewardMax = min(s.RewardMin, r), max(s.RewardMax, r)
		}
	}
	return s
}

// Unfinished is runs.Unfinished for a POMDP of which nothing is known yet: the policy
// always takes the first action, and the bounds are those of the rewards.
func Unfinished(ctx context.Context, err error, m *Model, s Solver) (*Solution, error) {
	if ended := ctx.Err(); ended == nil || !errors.Is(err, ended) {
		return nil, err
	}
	c := solverkit.RangeCertificate(m.Spec())
	return &Solution{Solver: s, Model: m, Policy: PolicyFunc(func(int, []float64) int { return 0 }), Value: math.NaN(), Certificate: c,
		Trace: []bcpace.Progress{{Value: c.Upper, Gap: c.Gap()}}, Stop: stop.Of(ctx), InSetUp: true}, nil
}
