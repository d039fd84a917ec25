package constrained

import (
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/internal/stat"
)

// worth returns a lower bound of what the k-th policy earns and an upper bound of what it costs: proved from its graph, where that can be
// written out, and otherwise by simulation. The rounding is by how much the bound may be above the cost for its rounding alone.
func (se *search) worth(ctx context.Context, p *controller.Member, λ float64, k int) (earns, costs, rounding float64, err error) {
	finite, ok := p.Writable()
	if !ok {
		se.simulated = true
		earns, costs, err = se.simulate(ctx, p, k)
		return earns, costs, 0, err
	}
	returns := max(se.hi-se.lo, se.Epsilon)
	least := se.Epsilon / 16 / max(returns, λ*se.all)
	if math.IsInf(λ, 1) {
		least = min(se.Epsilon/16/returns, se.close/100)
	}
	earns, costs = math.Inf(-1), math.Inf(1)
	p.Graph, err = controller.Of(ctx, finite, p.Policy, least, func(c *controller.Controller) (score float64, err error) {
		r, d, slip, err := se.mean(ctx, c)
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
			earns, costs, rounding = r, d, slip
		}
		return value(r, d), nil
	})
	return earns, costs, rounding, err
}

// mean returns a lower bound of what a controller earns and an upper bound of what it costs, under the prior, and the rounding of that one.
func (se *search) mean(ctx context.Context, c *controller.Controller) (earns, costs, rounding float64, err error) {
	spec := se.model.Spec()
	defer spec.Guard(&err, "Cost.Of", nil, -1, -1)
	low, _, err := c.Returns(ctx)
	if err != nil {
		return 0, 0, 0, err
	}
	_, high, rounding, err := c.Costs(ctx, se.cost, se.Cost.Most)
	if err != nil {
		return 0, 0, 0, err
	}
	earns, costs = se.prior.Dot(low), se.prior.Dot(high)
	slip := float64(len(low)+4) * 0x1p-51
	return earns - slip*max(-se.lo, se.hi), costs + slip*se.all, rounding + 2*slip*se.all, nil
}

// playShare is the share of the time that is left in which a policy is played, for what it earns and again for what it costs.
const playShare = 0.3

// simulate is worth from episodes. The probabilities with which one of the two bounds is false sum over all policies to Delta at most, as
// Σ 1/((k+1)(k+2)) = 1.
func (se *search) simulate(ctx context.Context, p *controller.Member, k int) (earns, costs float64, err error) {
	delta := se.inner.Delta / float64(2*(k+1)*(k+2))
	mean := func(m bcpace.Model) (float64, error) {
		r, err := se.inner.Play(ctx, m, p, eval.Options{Episodes: se.inner.Episodes, Seed: se.Seed + uint64(k)}, playShare)
		return stat.MeanLower(r.Returns, r.Range[0], r.Range[1], delta, se.inner.Episodes) - r.Truncation, err
	}
	if earns, err = mean(p.Model); err != nil {
		return 0, 0, err
	}
	saved, err := mean(priced(p.Model, 0, 1, se.cost, se.Cost.Most))
	return earns, -saved, err
}
