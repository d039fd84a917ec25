package eval

import (
	"context"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
)

// Oracle plays episodes of m with the informed policy, which sees the latent at every
// step and acts greedily on Q(s, φ, a): what it earns is what knowing the latent is
// worth, and no policy that has to learn earns more in expectation.
//
// q are the values of the latent MDPs, for a model with a horizon those of
// bcpace.KeepHorizon(m); nil means those of dp.SolveLatent. If they are not exact, as
// on a grid, the policy may be a little worse than the best informed one.
//
// Episode i has the latent, the start and the random numbers of episode i of Rollouts with
// the same options, so that Difference tells what a policy has to gain. With o.World, the
// latents and the values are those of the world. For errors see Rollouts and
// dp.SolveLatent.
func Oracle(ctx context.Context, m bcpace.Model, q bcpace.LatentValues, o Options) (Result, error) {
	if o.World != nil { // the belief does not matter
		m, o.World, o.Belief = o.World, nil, nil
	}
	if _, err := o.resolve(m); err != nil {
		return Result{}, err
	}
	if spec := m.Spec(); q != nil && spec.HasBox() {
		return Result{}, bcpace.In("the informed policy").Bad("its values", "given for a model whose actions have a Box", "nil, or the model of Discretised that they are for")
	}
	m, err := bcpace.Discretised(m, 0)
	if err != nil {
		return Result{}, err
	}
	m = bcpace.KeepHorizon(m)
	if q == nil {
		if q, err = dp.SolveLatent(ctx, m); err != nil {
			return Result{}, err
		}
	}
	actions := len(m.Spec().Actions)
	return o.play(ctx, m, func(x *bcpace.Simulator) bcpace.Policy { return informed{x, q, actions} })
}

// informed is the policy that sees the latent of the simulator which it acts in.
type informed struct {
	*bcpace.Simulator
	q       bcpace.LatentValues
	actions int
}

// Act implements bcpace.Policy. It returns −1 where no action has a value.
func (p informed) Act(s []float64, _ bcpace.Belief, _ *rand.Rand) int {
	best, act := 0.0, -1
	for a := range p.actions {
		if v := p.q.Q(s, p.Latent, a); v > best || act < 0 && !math.IsNaN(v) {
			best, act = v, a
		}
	}
	return act
}
