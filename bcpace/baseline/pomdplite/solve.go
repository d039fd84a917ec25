package pomdplite

import (
	"context"
	"math"
	"slices"

	"bayescpace/bcpace/internal/mdp"
)

// scratch is room for the internal MDP of a belief.
type scratch struct {
	mdp   mdp.MDP
	entry []int // by successor of the MDP: its entry in the transitions
	q     []float64
}

func newScratch(p *plan) *scratch {
	x := &scratch{mdp: mdp.MDP{Actions: p.Actions, Discount: p.Discount, Rate: p.Rate, Row: make([]int, 1), Reward: make([]float64, p.States*p.Actions)}}
	for r := range x.mdp.Reward {
		for k, end := p.Entries(r); k < end; k++ {
			if to, done := p.Next(k); !done {
				x.mdp.Col, x.entry = append(x.mdp.Col, int32(to)), append(x.entry, k)
			}
		}
		x.mdp.Row = append(x.mdp.Row, len(x.mdp.Col))
	}
	x.mdp.Weight, x.q = make([]float64, len(x.entry)), make([]float64, len(x.mdp.Reward))
	return x
}

// solve returns the first action of each state that is as good as the best in the
// internal MDP of b. Where ctx ends before, it returns nil.
func (sc *scratch) solve(ctx context.Context, p *plan, b []float64) []int32 {
	sc.fill(p, b)
	if _, err := sc.mdp.Solve(ctx, sc.q, p.tolerance); err != nil {
		return nil
	}
	list := make([]int32, p.States)
	for s := range list {
		q := sc.q[s*p.Actions : (s+1)*p.Actions]
		best := slices.Max(q)
		list[s] = int32(slices.IndexFunc(q, func(v float64) bool { return v >= best-2*p.tolerance }))
	}
	return list
}

// fill writes the rewards and weights of the belief.
//
// With w(φ) = b(φ)·P(s'|s,φ,a), of sum P(s'|b,s,a), the bonus of a successor is
// P·‖b_s' − b‖₁ = Σ_φ |w(φ) − P·b(φ)|.
func (sc *scratch) fill(p *plan, b []float64) {
	for r := range sc.mdp.Reward {
		mean := 0.0
		for l, reward := range p.Reward(r) {
			mean += b[l] * reward
		}
		surprise := 0.0
		for k, end := p.Entries(r); k < end; k++ {
			prob := p.Prob(k)
			total := probability(prob, b)
			for l, q := range b {
				surprise += q * math.Abs(prob[l]-total)
			}
		}
		sc.mdp.Reward[r] = mean + p.beta*surprise
	}
	for i, k := range sc.entry {
		sc.mdp.Weight[i] = p.Discount * probability(p.Prob(k), b)
	}
}

// probability returns P(s'|b,s,a) from P(s'|s,φ,a).
func probability(prob, b []float64) float64 {
	total := 0.0
	for l, q := range b {
		total += q * prob[l]
	}
	return total
}
