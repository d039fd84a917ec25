package pomdp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/rollout"
)

// Rollouts plays episodes of m with policy p, forked for each worker, and
// returns the statistics of their returns. The agent's belief is exact. Rewards
// are the means R(s, a), so that returns spread less than those of a model that
// draws its rewards, around the same mean. An episode ends in a state that leads
// to itself and pays nothing, and is cut at the horizon otherwise.
//
// Of o, Belief must be nil: episodes start from Model.Start. Episode i has a
// random stream of its own, made from Seed and i alone, so that the result is
// the same for every number of workers and eval.Difference compares two policies
// on the same draws.
//
// Cancelled, it returns a part of the episodes with ctx's error, as eval.Rollouts does; at the first action out of range, the
// episodes before that one. The error is a *bcpace.InputError for a model or options that cannot be used.
func Rollouts(ctx context.Context, m *Model, p Policy, o eval.Options) (eval.Result, error) {
	if p == nil {
		return eval.Result{}, bcpace.In("rollouts").Bad("the policy", "nil", "a policy to play")
	}
	spec, err := resolve(m, &o)
	if err != nil {
		return eval.Result{}, err
	}
	var r eval.Result
	r.Range = [2]float64{math.Inf(-1), math.Inf(1)}
	ends := m.Ends()
	err = r.Play(ctx, spec, o, func() *rollout.Game {
		var source rand.PCG
		rng := rand.New(&source)
		return &rollout.Game{World: &world{model: m, ends: ends}, Agent: sure{newAgent(m, &PlacedPolicy{of: m, policy: Fork(p)})}, Horizon: o.Horizon,
			Streams: func(i int) (world, belief, choice *rand.Rand) {
				source.Seed(o.Seed, ^uint64(i)) // streams count down from the last one, as those of eval do
				return rng, nil, nil
			}}
	})
	return r, err
}

// resolve checks the model and the options, fills in the defaults and returns
// what of the model is read to sum up.
func resolve(m *Model, o *eval.Options) (bcpace.Spec, error) {
	if err := m.Validate(); err != nil {
		return bcpace.Spec{}, err
	}
	spec := m.Spec()
	if o.Undiscounted {
		spec.Discount = 1
	}
	if err := rollout.Settle(&o.Episodes, &o.Horizon, &o.Workers); err != nil {
		return spec, err
	}
	if o.Belief != nil {
		return spec, rollout.Bad("Belief", o.Belief, "nil: episodes of a POMDP start from its own initial belief")
	}
	if o.Horizon == 0 {
		switch o.Horizon = spec.DefaultHorizon(); {
		case spec.Horizon > 0 || spec.Goal:
		case spec.Discount == 1:
			return spec, rollout.Bad("Horizon", 0, "a number of steps, as undiscounted returns grow with it")
		case spec.Discount == 0:
			o.Horizon = 1
		}
	}
	return spec, rollout.Within(&o.Horizon, spec.Horizon)
}

// world plays the tables of a model.
type world struct {
	model *Model
	ends  []bool // by state
	s     int
	seen  [2]float64 // what is visible, and the observation
}

// Begin implements rollout.World.
func (w *world) Begin(rng *rand.Rand) (seen []float64, err error) {
	w.s = drawStart(w.model.Start, rng)
	w.seen[0] = float64(w.s / w.model.NumHidden())
	return w.seen[:1], nil
}

// Step implements rollout.World. The reward is the mean R(s, a).
func (w *world) Step(a int, rng *rand.Rand) (reward float64, seen []float64, err error) {
	reward = w.model.Reward[a][w.s]
	w.s = w.model.Move[a].draw(w.s, rng)
	w.seen = [2]float64{float64(w.s / w.model.NumHidden()), float64(w.model.Sense[a].draw(w.s, rng))}
	return reward, w.seen[:], nil
}

// Over implements rollout.World.
func (w *world) Over() bool { return w.ends[w.s] }

// sure is an agent in the world of its model, where nothing surprises it.
type sure struct{ *Agent }

// Observe implements rollout.Agent.
func (a sure) Observe(action int, reward float64, seen []float64, rng *rand.Rand) (surprised bool, err error) {
	if surprised, err = a.Agent.Observe(action, reward, seen, rng); surprised {
		err = fmt.Errorf("observation %q has underflown to probability 0", a.model.Observations[int(seen[1])])
	}
	return false, err
}

// atStep is what errors about a policy belong to.
func atStep(t int) bcpace.In { return bcpace.In(fmt.Sprintf("policy at step %d", t)) }

// Act returns the action of p at step t, where (x, b) is. The error is a
// *bcpace.InputError if p panics or returns no action of m: it may be for another model,
// or have no vector for x.
func (m *Model) Act(p Policy, t, x int, b []float64) (action int, err error) {
	defer func() {
		if e := recover(); e != nil {
			action = -1
			err = atStep(t).Bad("Act", fmt.Sprintf("a panic (%v)", e), fmt.Sprintf("an action: POMDP %q has %d visible states and beliefs over %d hidden values", m.Name, m.NumVisible(), len(b)))
		}
	}()
	if action = p.Act(x, b); action == -1 {
		return action, atStep(t).Bad("the action where "+strings.Join(ValueNames(m.Visible, x), ", ")+" is seen", "none", "one: the policy has none for this visible state, to which it should not come")
	}
	if action < 0 || action >= len(m.Actions) {
		return action, atStep(t).Bad("action", action, fmt.Sprintf("a number from 0 to %d", len(m.Actions)-1))
	}
	return action, nil
}

// drawStart draws a state.
func drawStart(start []Entry, rng *rand.Rand) int {
	p := make(bcpace.Belief, len(start))
	for i, e := range start {
		p[i] = e.Value
	}
	return int(start[p.Sample(rng)].At)
}
