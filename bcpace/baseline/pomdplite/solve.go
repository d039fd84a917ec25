package pomdplite

import (
	"context"
	"math"
)

// scratch is room for the internal MDP of a belief.
type scratch struct {
	reward []float64 // by row: mean reward and bonus
	weight []float64 // by successor: γ·P(s'|b,s,a), 0 where the episode ends
	value  []float64 // by state
	greedy []int32   // by state
}

func newScratch(p *plan) *scratch {
	return &scratch{reward: make([]float64, p.states*p.actions), weight: make([]float64, len(p.to)),
		value: make([]float64, p.states), greedy: make([]int32, p.states)}
}

// solve returns the best action of each state in the internal MDP of b.
//
// It is modified policy iteration (Puterman 1994, Section 6.5). It starts below
// all values, from c/(1−γ) with c = min(0, min over s of max over a of r), so
// that values rise monotonically. A sweep that changes values by ρ at most leaves
// them within γρ/(1−γ) of the truth.
//
// Where ctx ends before, it returns nil.
func (x *scratch) solve(ctx context.Context, p *plan, b []float64) []int32 {
	x.fill(p, b)
	start := 0.0
	for s := range p.states {
		best := math.Inf(-1)
		for a := range p.actions {
			best = max(best, x.reward[s*p.actions+a])
		}
		start = min(start, best)
	}
	for s := range x.value {
		x.value[s] = start / p.rate
	}
	last := math.Inf(1)
	for {
		if ctx.Err() != nil {
			return nil
		}
		change := x.improve(p)
		// Where changes no longer fall, rounding is all that is left of them.
		if p.discount*change <= p.options.Tolerance*p.rate || change >= last && change <= 1e-12*maxAbs(x.value) {
			break
		}
		last = change
		for range 20 {
			if ctx.Err() != nil {
				return nil
			}
			if x.evaluate(p) <= change/10 {
				break
			}
		}
	}
	return x.actions(p)
}

// fill writes the rewards and weights of the belief.
//
// With w(φ) = b(φ)·P(s'|s,φ,a), of sum P(s'|b,s,a), the bonus of a successor is
// P·‖b_s' − b‖₁ = Σ_φ |w(φ) − P·b(φ)|.
func (x *scratch) fill(p *plan, b []float64) {
	for r := range x.reward {
		mean := 0.0
		for l, q := range b {
			mean += q * p.reward[r*p.latents+l]
		}
		surprise := 0.0
		for k := p.row[r]; k < p.row[r+1]; k++ {
			prob := p.prob[k*p.latents : (k+1)*p.latents]
			total := 0.0
			for l, q := range b {
				total += q * prob[l]
			}
			for l, q := range b {
				surprise += q * math.Abs(prob[l]-total)
			}
			x.weight[k] = 0
			if p.to[k] >= 0 {
				x.weight[k] = p.discount * total
			}
		}
		x.reward[r] = mean + p.options.Beta*surprise
	}
}

// backup returns the value of a row.
func (x *scratch) backup(p *plan, r int) float64 {
	v := x.reward[r]
	for k := p.row[r]; k < p.row[r+1]; k++ {
		if w := x.weight[k]; w > 0 {
			v += w * x.value[p.to[k]]
		}
	}
	return v
}

// improve replaces every value by the best backup and returns the largest change.
func (x *scratch) improve(p *plan) float64 {
	change := 0.0
	for s := range p.states {
		best := math.Inf(-1)
		for a := range p.actions {
			if q := x.backup(p, s*p.actions+a); q > best {
				best, x.greedy[s] = q, int32(a)
			}
		}
		change = max(change, math.Abs(best-x.value[s]))
		x.value[s] = best
	}
	return change
}

// evaluate is improve with the actions fixed.
func (x *scratch) evaluate(p *plan) float64 {
	change := 0.0
	for s := range p.states {
		q := x.backup(p, s*p.actions+int(x.greedy[s]))
		change = max(change, math.Abs(q-x.value[s]))
		x.value[s] = q
	}
	return change
}

// actions returns the first action of each state that is as good as the best.
func (x *scratch) actions(p *plan) []int32 {
	list, q := make([]int32, p.states), make([]float64, p.actions)
	for s := range list {
		best := math.Inf(-1)
		for a := range q {
			q[a] = x.backup(p, s*p.actions+a)
			best = max(best, q[a])
		}
		for a, v := range q {
			if v >= best-2*p.options.Tolerance {
				list[s] = int32(a)
				break
			}
		}
	}
	return list
}

func maxAbs(v []float64) float64 {
	top := 0.0
	for _, x := range v {
		top = max(top, math.Abs(x))
	}
	return top
}
