package pointbased

import (
	"context"
	"slices"

	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/solverkit"
)

// large reports whether p has so many states that its first bounds are computed by policy
// iteration on all processors.
func (p *SearchProblem) large() bool { return p.NX*p.NY >= mdp.Large && p.Discount < 1 }

// initialLarge returns what initialUpper does, and adds to gamma what initialLower does, for
// a large model. Where ctx ends before, the bounds are those so far.
func initialLarge(ctx context.Context, p *SearchProblem, gamma []vectors, workers int) [][]float64 {
	solverkit.ReportPhase(ctx, "values of the MDP", -1)
	m := p.Model.MDP(workers)
	scale := mdp.MaxAbs(m.Reward)
	tol := 1e-7 * scale / p.Rate()
	all := make([]float64, len(m.Reward))
	lift, _ := m.Solve(ctx, all, tol) // where ctx ends, it is that of the values so far
	lift += 1e-12 * scale / p.Rate()
	most := p.Discount * slices.Max(m.Reward) / p.Rate() // after one step
	q := make([][]float64, p.NA)
	for a := range q {
		q[a] = make([]float64, p.NX*p.NY)
		for s := range q[a] {
			q[a][s] = min(all[s*p.NA+a]+lift, p.Reward[a][s]+most)
		}
	}
	var c mdp.MarkovChain
	for a := range p.NA {
		if a > 0 && ctx.Err() != nil {
			break
		}
		solverkit.ReportPhase(ctx, "blind policies", float64(a)/float64(p.NA))
		v := make([]float64, p.NX*p.NY)
		low := min(0, slices.Min(p.Reward[a])) / p.Rate() // of v = 0
		if ctx.Err() == nil {
			c.Fix(m, func(s int) int { return s*p.NA + a })
			low, _, _ = c.Solve(ctx, v, tol) // where ctx ends, the same
		}
		p.addBlind(gamma, a, v, low-1e-12*scale/p.Rate())
	}
	return q
}
