package rollout

import (
	"context"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// Simulated is the world of a simulator, with the agent that a policy makes there: its belief is that of the simulator.
type Simulated struct {
	*bcpace.Simulator
	From bcpace.Belief // that episodes begin with, nil for the prior

	spec bcpace.Spec
	can  bcpace.PolicyAbilities
}

// NewGame returns a game of a simulator of m with a policy, which is for this goroutine.
func NewGame(m bcpace.Model, sim *bcpace.Simulator, p bcpace.Policy, horizon int) (*Game, *Simulated) {
	x := &Simulated{Simulator: sim, spec: m.Spec(), can: bcpace.PolicyAbilitiesOf(p)}
	return &Game{World: x, Agent: (*seat)(x), Horizon: horizon, Discount: x.spec.Discount}, x
}

// Begin implements World.
func (x *Simulated) Begin(rng *rand.Rand) (seen []float64, err error) {
	if x.From != nil {
		return x.State, x.ResetTo(x.From, rng)
	}
	return x.State, x.Reset(rng)
}

// Step implements World.
func (x *Simulated) Step(action int, rng *rand.Rand) (reward float64, seen []float64, err error) {
	reward, err = x.Simulator.Step(action, rng)
	return reward, x.State, err
}

// Over implements World.
func (x *Simulated) Over() bool { return x.Done }

// seat is the agent.
type seat Simulated

// Begin implements Agent.
func (x *seat) Begin([]float64, *rand.Rand) (surprised bool, err error) {
	if x.can.Begin != nil {
		x.can.Begin(x.State, x.Belief)
	}
	return false, nil
}

// Decide implements Agent.
func (x *seat) Decide(ctx context.Context, d *bcpace.Decision, rng *rand.Rand) (err error) {
	if x.can.Plan == nil {
		d.Action, err = x.spec.Act(ctx, &x.can, x.State, x.Belief, rng)
		return err
	}
	*d, err = x.spec.Plan(ctx, &x.can, x.State, x.Belief, rng)
	return err
}

// Observe implements Agent.
func (x *seat) Observe(action int, reward float64, _ []float64, _ *rand.Rand) (surprised bool, err error) {
	if x.can.Observe != nil {
		x.can.Observe(action, reward, x.State)
	}
	return false, nil
}
