package bcpace

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// Rollout plays episodes with a policy, one step at a time:
//
//	err := r.Reset(rng)
//	for err == nil && r.More() {
//		err = r.Step(rng, rng)
//	}
//
// Its Simulator has the state and belief where the episode is. A policy with memory is told what
// happens. A Rollout is for one goroutine, and does not allocate in Step unless its policy does.
type Rollout struct {
	*Simulator
	Policy   Policy          // the same from the first episode on
	Context  context.Context // ends the decisions of the policy; nil is context.Background
	Horizon  int             // steps after which an episode is cut
	Discount float64         // γ of Return, in (0, 1]

	// Of the episode so far, in reward units: the sums of discounted rewards and of rewards without the
	// discount and, where the Policy plans, of simulations and of Upper − Lower (otherwise +Inf).
	Steps         int
	Return, Total float64
	Simulations   int
	Intervals     float64
	// Of the last step; the Decision is that of a Policy that plans.
	Action   int
	Reward   float64
	Decision Decision

	weight float64         // γ^Steps
	can    PolicyAbilities // of the policy
}

// Reset starts an episode as Simulator.Reset does.
func (r *Rollout) Reset(rng *rand.Rand) error {
	return r.begin(r.Simulator.Reset(rng))
}

// ResetTo starts an episode as Simulator.ResetTo does.
func (r *Rollout) ResetTo(b Belief, rng *rand.Rand) error {
	return r.begin(r.Simulator.ResetTo(b, rng))
}

// ResetAt starts an episode as Simulator.ResetAt does.
func (r *Rollout) ResetAt(p StartPoint, rng *rand.Rand) error {
	return r.begin(r.Simulator.ResetAt(p, rng))
}

// begin begins an episode where the Simulator is, unless it could not be reset.
func (r *Rollout) begin(err error) error {
	r.Steps, r.Simulations, r.Intervals, r.Return, r.Total, r.weight = 0, 0, 0, 0, 0, 1
	if r.can.Act == nil {
		r.can = PolicyAbilitiesOf(r.Policy)
	}
	if r.can.Plan == nil {
		r.Intervals = math.Inf(1)
	}
	if r.can.Begin != nil && err == nil {
		r.can.Begin(r.State, r.Belief)
	}
	return err
}

// More reports whether neither the model nor the horizon has ended it.
func (r *Rollout) More() bool { return !r.Done && r.Steps < r.Horizon }

// Step takes the action of the policy, which draws from act as the model draws from env. They may be
// the same. For errors, which name the step, see Simulator.Step.
func (r *Rollout) Step(env, act *rand.Rand) error {
	if err := r.decide(act); err != nil {
		return fmt.Errorf("step %d: %w", r.Steps, err)
	}
	reward, err := r.Simulator.Step(r.Action, env)
	if err != nil {
		return fmt.Errorf("step %d: %w", r.Steps, err)
	}
	r.Reward = reward
	r.Return += r.weight * reward
	r.Total += reward
	r.weight *= r.Discount
	r.Steps++
	if r.can.Observe != nil && !r.Done {
		r.can.Observe(r.Action, reward, r.State)
	}
	return nil
}

// decide sets the Action.
func (r *Rollout) decide(act *rand.Rand) (err error) {
	ctx := cmp.Or(r.Context, context.Background())
	if r.can.Plan == nil {
		r.Action, err = r.spec.Act(ctx, &r.can, r.State, r.Belief, act)
		return err
	}
	r.Decision, err = r.spec.Plan(ctx, &r.can, r.State, r.Belief, act)
	r.Action = r.Decision.Action
	r.Simulations += r.Decision.Simulations
	r.Intervals += r.Decision.Upper - r.Decision.Lower
	return err
}
