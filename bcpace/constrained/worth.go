package constrained

import (
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/internal/meanbound"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// worth returns a lower bound of what the k-th policy earns and an upper bound of what it costs: proved from its graph, where that can be
// written out, and otherwise by simulation.
func (x *search) worth(ctx context.Context, p *controller.Member, λ float64, k int) (earns, costs float64, err error) {
	_, plans := bcpace.AsPlanner(p.Policy)
	_, remembers := solverkit.AsEpisodic(p.Policy)
	finite, ok := bcpace.AsFinite(p.Model)
	if !ok || plans || remembers {
		x.basis = bcpace.BySimulation
		return x.simulated(ctx, p, k)
	}
	returns, all := max(x.hi-x.lo, x.Epsilon), x.Cost.Most*x.model.Spec().EffectiveHorizon()
	least := x.Epsilon / 16 / max(returns, λ*all)
	if math.IsInf(λ, 1) {
		least = min(x.Epsilon/16/returns, closeCost)
	}
	earns, costs = math.Inf(-1), math.Inf(1)
	p.Graph, err = controller.Of(ctx, finite, p.Policy, least, func(c *controller.Controller) (score float64, err error) {
		r, d, err := x.mean(ctx, c)
		if err != nil {
			return 0, err
		}
		value := func(r, d float64) float64 {
			switch {
			case math.IsInf(λ, 1):
				return -d
			case λ == 0:
				return r
			}
			return r - λ*d
		}
		if value(r, d) > value(earns, costs) || math.IsInf(earns, -1) {
			earns, costs = r, d
		}
		return value(r, d), nil
	})
	return earns, costs, err
}

// closeCost is the share of the largest cost to which that of the cheapest policy is computed.
const closeCost = 1e-6

// mean returns a lower bound of what a controller earns and an upper bound of what it costs, under the prior.
func (x *search) mean(ctx context.Context, c *controller.Controller) (earns, costs float64, err error) {
	low, _, err := c.Returns(ctx)
	if err != nil {
		return 0, 0, err
	}
	_, high, err := c.Costs(ctx, x.Cost.of(len(x.model.Spec().Axes)), x.Cost.Most)
	if err != nil {
		return 0, 0, err
	}
	for φ, b := range x.prior {
		earns, costs = earns+b*low[φ], costs+b*high[φ]
	}
	slip := float64(len(low)+4) * 0x1p-51
	return earns - slip*max(-x.lo, x.hi), costs + slip*x.Cost.Most*x.model.Spec().EffectiveHorizon(), nil
}

// simulated is worth from episodes. The probabilities with which one of the two bounds is false sum over all policies to Delta at most, as
// Σ 1/((k+1)(k+2)) = 1.
func (x *search) simulated(ctx context.Context, p *controller.Member, k int) (earns, costs float64, err error) {
	delta := x.Delta / float64(2*(k+1)*(k+2))
	policy := controller.NewMixture([]controller.Member{*p}, []float64{1})
	earned, err := x.play(ctx, p.Model, policy, k)
	if err != nil {
		return 0, 0, err
	}
	paid, err := x.play(ctx, priced(p.Model, 0, 1, Cost{Of: x.Cost.of(len(x.model.Spec().Axes)), Most: x.Cost.Most}), policy, k)
	if err != nil {
		return 0, 0, err
	}
	earns = meanbound.Lower(earned.Returns, earned.Range[0], earned.Range[1], delta, x.Episodes) - earned.Truncation
	costs = -meanbound.Lower(paid.Returns, paid.Range[0], paid.Range[1], delta, x.Episodes) + paid.Truncation
	return earns, costs, nil
}

// play plays the k-th policy in a part of the time that is left.
func (x *search) play(ctx context.Context, m bcpace.Model, p bcpace.Policy, k int) (eval.Result, error) {
	share, cancel := runs.LeaveTime(ctx, leftTime)
	defer cancel()
	r, err := eval.Rollouts(share, m, p, eval.Options{Episodes: x.Episodes, Seed: x.Seed + uint64(k), Workers: x.control.Workers})
	if share.Err() != nil { // bounds hold for what was played till then
		err = nil
	}
	return r, err
}
