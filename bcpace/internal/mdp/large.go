package mdp

import (
	"context"
	"math"
	"slices"

	"bayescpace/bcpace/internal/num"
)

// Large is the number of states from which on a process is worth the work of many
// goroutines. Below it sweeps in place take no time, and their values stay what they have
// always been, to the last bit.
const Large = 1 << 15

// Iterates reports whether the process is solved by policy iteration. Without a discount
// it is not: then the states hold the steps left, and sweeps in place are done after as
// many of them.
func (p *MDP) Iterates() bool { return p.Workers > 0 && p.States() >= Large && p.Discount < 1 }

// ByPolicies is Solve by policy iteration (Howard 1960), where Iterates says so or for a discount near 1: it improves
// the policy everywhere, side by side, and evaluates it as a Chain, the more exactly the
// closer the values are. Values rise from those of Solve: let V ≤ TV, and let π be greedy
// on V, and U ≤ T_πU the lower bound of its values from Chain. Then for V' = max(TV, U),
// T_πV' ≥ max(T_πT_πV, T_πU) ≥ V', so that V ≤ TV ≤ V' ≤ TV'. It converges as value iteration
// does at least.
func (p *MDP) ByPolicies(ctx context.Context, q []float64, tol float64) (bound float64, err error) {
	v, next, greedy := p.below(), make([]float64, p.States()), make([]int32, p.States())
	rounding := p.Rounding()
	var c MarkovChain
	for {
		p.settle(ctx, v, next, greedy)
		residual, top, moved := p.improveAll(next, v, greedy)
		delta := rounding(top)
		if p.Discount*residual+delta <= tol*p.Rate || residual <= 4*delta {
			return p.finish(v, q, delta), nil
		}
		if ctx.Err() != nil {
			return p.finish(v, q, delta), ctx.Err()
		}
		exact := tol / 2
		if moved { // then the policy may move again
			exact = max(exact, residual/(30*p.Rate))
		}
		copy(v, next)
		c.Fix(p, func(s int) int { return s*p.Actions + int(greedy[s]) })
		low, _, _ := c.Solve(ctx, v, exact) // an end of ctx shows above
		for s, x := range next {
			v[s] = max(x, v[s]+low)
		}
	}
}

// below returns values V with V ≤ TV: c/(1−γ) with c = min(0, min over s of max over a
// of r).
func (p *MDP) below() []float64 {
	start := 0.0
	for s := range p.States() {
		start = min(start, slices.Max(p.Reward[s*p.Actions:(s+1)*p.Actions]))
	}
	return slices.Repeat([]float64{start / p.Rate}, p.States())
}

// settledShare is the share of the states whose best action may still change with a sweep when a
// policy is worth its evaluation, and mostSettling the number of sweeps after which it is evaluated
// all the same: what a state is worth has then gone through all parts, forth and back.
const (
	settledShare = 1e-3
	mostSettling = 4 * Parts
)

// settle improves v by sweeps in place until the policy that is greedy on it hardly changes. They
// go forth and back over each part, so that values travel far with a sweep, and read old, a copy,
// where a state of another part follows. They raise V ≤ TV, and leave it below TV.
func (p *MDP) settle(ctx context.Context, v, old []float64, greedy []int32) {
	for k := range mostSettling {
		copy(old, v)
		var moved sums
		EachPart(p.Workers, len(v), func(i, from, to int) {
			q := make([]float64, p.Actions)
			for s := range num.InTurn(to-from, k%2 == 1) {
				n := from + s
				best, act := p.best(q, v, old, n, from, to)
				if greedy[n] != int32(act) {
					moved[i]++
				}
				v[n], greedy[n] = best, int32(act)
			}
		})
		if moved.total() <= settledShare*float64(len(v)) || ctx.Err() != nil {
			return
		}
	}
}

// backupWithin is Backup with v at the states of a part, and old at others.
func (p *MDP) backupWithin(v, old []float64, row, from, to int) float64 {
	lo, hi := p.Row[row], p.Row[row+1]
	col, weight := p.Col[lo:hi], p.Weight[lo:hi]
	q := p.Reward[row]
	for i, c := range col {
		x := old[c]
		if n := int(c); n >= from && n < to {
			x = v[n]
		}
		q += weight[i] * x
	}
	return q
}

// improveAll sets next(s) to max over a of the backup of v, and greedy to the first action
// that attains it. It returns the largest change, the largest |next|, and whether greedy
// has changed anywhere.
func (p *MDP) improveAll(next, v []float64, greedy []int32) (change, top float64, moved bool) {
	var changes, tops sums
	var moves [Parts]bool
	EachPart(p.Workers, len(v), func(i, from, to int) {
		q := make([]float64, p.Actions)
		for s := from; s < to; s++ {
			best, act := p.best(q, v, v, s, 0, 0)
			changes[i], tops[i] = max(changes[i], math.Abs(best-v[s])), max(tops[i], math.Abs(best))
			moves[i] = moves[i] || greedy[s] != int32(act)
			next[s], greedy[s] = best, int32(act)
		}
	})
	return changes.largest(), tops.largest(), slices.Contains(moves[:], true)
}
