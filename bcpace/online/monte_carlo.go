package online

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// MonteCarlo are the parameters that planners have in common whose simulations choose by UCB1
// and end in rollouts. Every zero value is useful.
type MonteCarlo struct {
	Budget bcpace.Budget // of a decision
	// Exploration is c of UCB1, in reward units. 0 means the range of the model's rewards.
	Exploration float64
	// Rollout names the policy of the rollouts. "" means BlindRollout for a list of actions,
	// and RandomRollout where an action has a Box. RolloutPolicy, if set, stands in its place.
	Rollout       string
	RolloutPolicy bcpace.Policy
}

// Solve returns the solution of solver s for m: a planner, whose searches make makes for m, with
// the steps left on an axis if it has a horizon, and for the policy of the rollouts, nil for
// BlindRollout. check looks at the other parameters of s, and at m once it is known to be valid.
//
// The error is an *bcpace.InputError for a parameter, a model or a control that cannot be
// used, or that of check or of dp.SolveLatent.
func (o MonteCarlo) Solve(ctx context.Context, s bcpace.Solver, m bcpace.Model, c bcpace.Control, check func(bcpace.Model) error, make func(m bcpace.Model, rollout bcpace.Policy) Search[bcpace.Belief]) (*bcpace.Solution, error) {
	if err := Check(s, m, c, o.Budget); err != nil {
		return nil, err
	}
	if err := cmp.Or(o.check(m), check(m)); err != nil {
		return nil, err
	}
	m = bcpace.KeepHorizon(m)
	rollout, q, err := o.rollout(solverkit.WithControl(ctx, c), m)
	if err != nil {
		return runs.Unfinished(ctx, err, m, s, runs.LatentSoFar(q))
	}
	return Solution(s, m, New(m.Spec(), o.Budget, func() Search[bcpace.Belief] { return make(m, rollout) })), nil
}

// check returns an *bcpace.InputError for an exploration or rollouts that cannot be those of m:
// an unknown name, one beside a policy, or one for a list of actions where there is none.
func (o MonteCarlo) check(m bcpace.Model) error {
	bad := bcpace.In("options").Bad
	if err := CheckExploration(o.Exploration); err != nil {
		return err
	}
	switch spec := m.Spec(); {
	case o.Rollout != "" && o.Rollout != BlindRollout && o.Rollout != RandomRollout && o.Rollout != ToldRollout:
		return bad("Rollout", strconv.Quote(o.Rollout), fmt.Sprintf("%s, %s or %s", BlindRollout, RandomRollout, ToldRollout))
	case o.Rollout != "" && o.RolloutPolicy != nil:
		return bad("Rollout", o.Rollout+" beside RolloutPolicy", "one of them")
	case (o.Rollout == BlindRollout || o.Rollout == ToldRollout) && spec.HasBox():
		return bad("Rollout", o.Rollout+" for actions with a Box", RandomRollout+", or a list of actions, which bcpace.Discretised makes")
	}
	return nil
}

// CheckVectors returns an *bcpace.InputError for an exploration or rollouts that cannot be those of a model with a hidden vector, which says itself how to
// play on.
func (o MonteCarlo) CheckVectors() error {
	if o.Rollout != "" || o.RolloutPolicy != nil {
		return bcpace.In("options").Bad("Rollout", cmp.Or(o.Rollout, "a policy"), "none for a hidden vector: Rollout of its model is the policy of rollouts")
	}
	return CheckExploration(o.Exploration)
}

// CheckExploration returns an *bcpace.InputError for a c that UCB1 cannot have.
func CheckExploration(c float64) error {
	if c >= 0 && !math.IsInf(c, 1) {
		return nil
	}
	return bcpace.In("options").Bad("Exploration", c, "a constant above 0 in reward units; without one there is a default")
}

// rollout returns the policy of the rollouts in m, nil for BlindRollout. Beside an error of the
// context it returns the latent values so far, see runs.LatentSoFar.
func (o MonteCarlo) rollout(ctx context.Context, m bcpace.Model) (bcpace.Policy, bcpace.LatentValues, error) {
	spec := m.Spec()
	switch {
	case o.RolloutPolicy != nil:
		return o.RolloutPolicy, nil, nil
	case o.Rollout == ToldRollout:
		q, err := dp.SolveLatentOn(ctx, m, dp.GridOptions{NoError: true})
		if err != nil {
			return nil, q, err
		}
		return dp.LatentPolicy(q, len(spec.Actions)), q, nil
	case o.Rollout == RandomRollout || spec.HasBox():
		return bcpace.RandomPolicy(m), nil, nil
	}
	return nil, nil, nil
}

// Exploration returns c or, if it is 0, the range of rewards of m.
func Exploration(m bcpace.Model, c float64) float64 {
	if c > 0 {
		return c
	}
	spec := m.Spec()
	return spec.RewardMax - spec.RewardMin
}
