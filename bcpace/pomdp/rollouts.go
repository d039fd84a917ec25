package pomdp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

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
// on the same draws. Allocated and PeakHeap of the result are not measured.
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
	begin := time.Now()
	g := game{model: m, options: o, discount: spec.Discount, ends: m.Ends(),
		returns: make([]float64, o.Episodes), totals: make([]float64, o.Episodes), lengths: make([]int, o.Episodes), cut: make([]bool, o.Episodes)}
	n, err := rollout.Episodes(ctx, o.Episodes, o.Workers, func() rollout.Player { return g.player(ctx, Fork(p)) }, o.Progress)
	r := eval.Summarise(spec, o.Horizon, g.returns[:n], g.lengths[:n], g.cut[:n])
	r.Elapsed, r.MeanTotal = time.Since(begin), eval.IntervalOf(g.totals[:n]).Mean
	r.MeanInterval = math.Inf(1) // no policy here is a planner
	return r, err
}

// resolve checks the model and the options, fills in the defaults and returns
// what of the model is read to sum up.
func resolve(m *Model, o *eval.Options) (bcpace.Spec, error) {
	if err := m.Validate(); err != nil {
		return bcpace.Spec{}, err
	}
	spec := bcpace.Spec{Discount: m.Discount, Horizon: m.Horizon, Goal: m.IsGoal()}
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
		switch {
		case spec.Horizon > 0 || spec.Goal:
			o.Horizon = spec.DefaultHorizon()
		case spec.Discount == 1:
			return spec, rollout.Bad("Horizon", 0, "a number of steps, as undiscounted returns grow with it")
		case spec.Discount == 0:
			o.Horizon = 1
		default:
			o.Horizon = spec.DefaultHorizon()
		}
	}
	if err := rollout.Within(&o.Horizon, spec.Horizon); err != nil {
		return spec, err
	}
	for _, list := range m.Reward {
		for _, r := range list {
			spec.RewardMin, spec.RewardMax = min(spec.RewardMin, r), max(spec.RewardMax, r)
		}
	}
	return spec, nil
}

// game is what the players of Rollouts share.
type game struct {
	model    *Model
	options  eval.Options
	discount float64
	ends     []bool // by state

	// By episode.
	returns []float64
	totals  []float64 // without the discount
	lengths []int
	cut     []bool
}

// player returns a player of p with scratch space of its own.
func (g *game) player(ctx context.Context, p Policy) rollout.Player {
	b, next := make([]float64, g.model.NumHidden()), make([]float64, g.model.NumHidden())
	var source rand.PCG
	rng := rand.New(&source)
	return func(i int) error {
		// Streams count down from the last one, as those of eval do.
		source.Seed(g.options.Seed, ^uint64(i))
		return rollout.InEpisode(i, g.play(ctx, p, i, b, next, rng))
	}
}

// play plays episode i with the scratch beliefs b and next.
func (g *game) play(ctx context.Context, p Policy, i int, b, next []float64, rng *rand.Rand) error {
	m := g.model
	s := drawStart(m.Start, rng)
	x := s / len(b)
	m.StartBelief(b, x)
	weight := 1.0
	for t := range g.options.Horizon {
		if g.ends[s] {
			return nil
		}
		if t%64 == 63 && ctx.Err() != nil {
			return rollout.ErrDropped
		}
		a, err := m.Act(p, t, x, b)
		if err != nil {
			return err
		}
		g.returns[i] += weight * m.Reward[a][s]
		g.totals[i] += m.Reward[a][s]
		g.lengths[i]++
		weight *= g.discount
		s = m.Move[a].draw(s, rng)
		obs := m.Sense[a].draw(s, rng)
		if m.Update(next, b, x, a, s/len(b), obs) == 0 {
			return fmt.Errorf("step %d: observation %q has underflown to probability 0", t, m.Observations[obs])
		}
		x = s / len(b)
		b, next = next, b
	}
	g.cut[i] = !g.ends[s]
	return nil
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
	u := rng.Float64()
	for _, e := range start {
		if u < e.Value {
			return int(e.At)
		}
		u -= e.Value
	}
	return int(start[len(start)-1].At)
}
