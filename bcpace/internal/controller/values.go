package controller

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/solverkit"
)

// StepCost is what a step costs under a latent, in which it pays a reward: 0 or more.
type StepCost func(s []float64, action int, next []float64, latent int, reward float64) float64

// Returns bounds the expected discounted return of the controller under each latent, from the start. What a leaf is worth is
// in the range of the model's returns. The error is that of ctx.
func (c *Controller) Returns(ctx context.Context) (low, high []float64, err error) {
	lo, hi := solverkit.RangeOfReturns(c.model)
	low, high, _, err = c.totals(ctx, c.reward, lo, hi, solverkit.Unit(c.model.Spec()))
	return low, high, err
}

// Costs bounds the expected discounted costs under each latent, where a step costs most at most. The rounding is by how much the bounds of a
// controller without leaves are apart, at most.
func (c *Controller) Costs(ctx context.Context, cost StepCost, most float64) (low, high []float64, rounding float64, err error) {
	spec := c.model.Spec()
	s, next := make([]float64, len(spec.Axes)), make([]float64, len(spec.Axes))
	costs := make([]float64, len(c.reward))
	for _, n := range c.nodes {
		if n.inner < 0 {
			continue
		}
		c.model.StateAt(s, int(n.state))
		for e := c.first[n.inner]; e < c.first[n.inner+1]; e++ {
			c.model.StateAt(next, int(c.next[e]))
			for φ := range c.latents {
				if i := int(e)*c.latents + φ; c.prob[i] > 0 {
					costs[i] = cost(s, int(n.action), next, φ, c.reward[i])
				}
			}
		}
	}
	return c.totals(ctx, costs, 0, most*spec.EffectiveHorizon(), most/128)
}

// leaving bounds the discounted probability of coming to a leaf.
func (c *Controller) leaving(ctx context.Context, prior bcpace.Belief) (sum float64, err error) {
	_, high, _, err := c.totals(ctx, make([]float64, len(c.reward)), 0, 1, 1)
	for φ, p := range high {
		sum += prior[φ] * p
	}
	return sum, err
}

// totals bounds the discounted sums of what edges pay, where a leaf is worth lo to hi, each to some 10⁻¹¹ of an effective horizon of units.
func (c *Controller) totals(ctx context.Context, pay []float64, lo, hi, unit float64) (low, high []float64, rounding float64, err error) {
	v, under, _, err := c.solve(ctx, c.chain(pay, lo), unit)
	if err != nil {
		return nil, nil, 0, err
	}
	low = c.atStart(v, lo)
	w, below, over, err := c.solve(ctx, c.chain(pay, hi), unit)
	if err != nil {
		return nil, nil, 0, err
	}
	high = c.atStart(w, hi)
	slip := c.rounding(max(mdp.MaxAbs(pay), -lo, hi))
	for φ := range low {
		low[φ], high[φ] = max(low[φ]+under-slip, lo), min(high[φ]+over+slip, hi)
	}
	return low, high, over - min(under, below) + 2*slip, nil
}

// rounding bounds what the rewards of a chain and the means over the start are rounded by, where no number is larger than most.
func (c *Controller) rounding(most float64) float64 {
	longest := int32(len(c.starts))
	for n := range c.first[1:] {
		longest = max(longest, 2*(c.first[n+1]-c.first[n]))
	}
	return float64(longest+4) * 0x1p-52 * most * (1 + c.model.Spec().EffectiveHorizon())
}

// chain returns the process of one action whose states are written-out nodes with a latent, leaves being worth leaf.
func (c *Controller) chain(pay []float64, leaf float64) *mdp.MDP {
	spec := c.model.Spec()
	inner := c.inner()
	p := &mdp.MDP{Actions: 1, Discount: spec.Discount, Row: make([]int, 1, inner*c.latents+1), Reward: make([]float64, 0, inner*c.latents)}
	for n := range inner {
		for φ := range c.latents {
			total := 0.0
			for e := int(c.first[n]); e < int(c.first[n+1]); e++ {
				prob := c.prob[e*c.latents+φ]
				if prob == 0 {
					continue
				}
				total += prob * pay[e*c.latents+φ]
				switch to := c.to[e]; {
				case to == none:
				case c.nodes[to].inner < 0:
					total += spec.Discount * prob * leaf
				default:
					first := int(c.nodes[to].inner) * c.latents
					c.each(n, φ, func(ψ int, share float64) {
						p.Col, p.Weight = append(p.Col, int32(first+ψ)), append(p.Weight, spec.Discount*prob*share)
					})
				}
			}
			p.Reward, p.Row = append(p.Reward, total), append(p.Row, len(p.Col))
		}
	}
	return p
}

// each calls do with the latents that may follow φ after node n.
func (c *Controller) each(n, φ int, do func(ψ int, share float64)) {
	if c.moves[n] == nil {
		do(φ, 1)
		return
	}
	to, share := c.moves[n].Row(φ)
	for k, ψ := range to {
		do(int(ψ), share[k])
	}
}

// solve returns values of a chain, and numbers between which their errors are.
func (c *Controller) solve(ctx context.Context, p *mdp.MDP, unit float64) (v []float64, under, over float64, err error) {
	v = make([]float64, len(p.Reward))
	if p.Discount < 1 {
		var chain mdp.MarkovChain
		chain.Fix(p, func(s int) int { return s })
		under, over, err = chain.Solve(ctx, v, 1e-11*max(unit, mdp.MaxAbs(p.Reward))/(1-p.Discount))
		return v, under, over, err
	}
	// Each step has one less to come, so that there are no circles.
	for change, sweeps := true, 1.0; change; sweeps++ {
		if change = false; ctx.Err() != nil {
			return nil, 0, 0, ctx.Err()
		}
		for s := len(v) - 1; s >= 0; s-- {
			sum := p.Reward[s]
			for k := p.Row[s]; k < p.Row[s+1]; k++ {
				sum += p.Weight[k] * v[p.Col[k]]
			}
			change = change || sum != v[s]
			v[s] = sum
		}
	}
	slip := p.Rounding()(mdp.MaxAbs(v)) * float64(c.model.Spec().Horizon)
	return v, -slip, slip, nil
}

// atStart returns the mean over the start states of what values of a chain make of them, under each latent.
func (c *Controller) atStart(v []float64, leaf float64) []float64 {
	sum := make([]float64, c.latents)
	for _, s := range c.starts {
		n := c.nodes[s.node].inner
		for φ, p := range s.prob {
			switch {
			case p == 0:
			case n < 0:
				sum[φ] += p * leaf
			default:
				sum[φ] += p * v[int(n)*c.latents+φ]
			}
		}
	}
	return sum
}
