package bcpace

import (
	"fmt"
	"math/rand/v2"
)

// Rollout plays episodes with a policy, one step at a time:
//
//	err := r.Reset(rng)
//	for err == nil && r.More() {
//		err = r.Step(rng, rng)
//	}
//
// Its Simulator has the state and belief where the episode is. A Rollout is for one
// goroutine, and does not allocate in Step unless its policy does.
type Rollout struct {
	*Simulator
	Policy Policy
	// Horizon is the number of steps after which an episode is cut.
	Horizon int
	// Discount is γ of Return, in (0, 1].
	Discount float64

	// Steps is the number of steps of the episode so far, and Return the sum of their
	// discounted rewards, in reward units.
	Steps  int
	Return float64
	// Action and Reward are those of the last step.
	Action int
	Reward float64

	weight float64 // γ^Steps
}

// Reset starts an episode as Simulator.Reset does.
func (r *Rollout) Reset(rng *rand.Rand) error {
	r.begin()
	return r.Simulator.Reset(rng)
}

// ResetTo starts an episode as Simulator.ResetTo does.
func (r *Rollout) ResetTo(b Belief, rng *rand.Rand) error {
	r.begin()
	return r.Simulator.ResetTo(b, rng)
}

// resetAt starts an episode as Simulator.resetAt does.
func (r *Rollout) resetAt(p StartPoint, rng *rand.Rand) error {
	r.begin()
	return r.Simulator.resetAt(p, rng)
}

func (r *Rollout) begin() { r.Steps, r.Return, r.weight = 0, 0, 1 }

// More reports whether the episode continues: neither the model nor the horizon has
// ended it.
func (r *Rollout) More() bool { return !r.Done && r.Steps < r.Horizon }

// Step takes the action of the policy, which draws from act as the model draws from
// env. They may be the same. The error says at which step of the episode it happened;
// see Simulator.Step.
func (r *Rollout) Step(env, act *rand.Rand) error {
	var err error
	if r.Action, err = r.spec.Act(r.Policy, r.State, r.Belief, act); err != nil {
		return fmt.Errorf("step %d: %w", r.Steps, err)
	}
	reward, err := r.Simulator.Step(r.Action, env)
	if err != nil {
		return fmt.Errorf("step %d: %w", r.Steps, err)
	}
	r.Reward = reward
	r.Return += r.weight * reward
	r.weight *= r.Discount
	r.Steps++
	return nil
}
