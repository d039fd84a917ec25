package cover

import (
	"cmp"
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/solverkit"
)

// Optimum brackets V*(s, b) at the nodes of a model's reachable graph, from dynamic
// programming: the graph is cut some steps below the depth asked for, the values there
// are anywhere from the least to the QMDP bound, and backups carry both up.
type Optimum struct {
	Graph *eval.Graph
	// Lower and Upper bound V* at each node, but for rounding and for the merging of
	// beliefs within eval.Quantum, which Error covers.
	Lower, Upper []float64
	Error        float64

	actions             int
	discount, tolerance float64
}

// NewOptimum reads Depth, MaxNodes and Tolerance of o; to that depth, Upper − Lower is
// at most Tolerance. The errors are those of Reach, and an *bcpace.UnsupportedError
// for a model with a horizon, whose best action depends on the steps left.
func NewOptimum(ctx context.Context, m bcpace.Model, o ReachOptions) (*Optimum, error) {
	if _, err := newReached(m, o); err != nil { // for its checks
		return nil, err
	}
	spec := m.Spec()
	if spec.Horizon > 0 {
		return nil, &bcpace.UnsupportedError{Model: spec.Name, Algorithm: "a search for what optimal policies reach",
			Need: "episodes without a horizon, so that the best action depends on state and belief alone"}
	}
	x := &Optimum{actions: len(spec.Actions), discount: spec.Discount, tolerance: o.Tolerance}
	spread := spec.VMax() - spec.VMin()
	x.tolerance = cmp.Or(x.tolerance, 1e-6*max(solverkit.Unit(spec), spec.RewardMax-spec.RewardMin))
	depth := o.Depth
	if depth > 0 {
		depth += 1 + int(math.Ceil(math.Log(x.tolerance/2/max(spread, x.tolerance))/math.Log(spec.Discount)))
	}
	g, err := eval.Reach(ctx, m, eval.ReachOptions{Depth: depth, MaxNodes: o.MaxNodes})
	if err != nil {
		return nil, err
	}
	x.Graph = g
	x.Lower, x.Upper = make([]float64, g.Len()), make([]float64, g.Len())
	f, _ := bcpace.AsFinite(m)
	q, err := dp.SolveFinite(ctx, f, 0)
	if err != nil {
		return nil, err
	}
	s := make([]float64, len(spec.Axes))
	for n := range x.Lower {
		g.State(s, n)
		x.Lower[n], x.Upper[n] = spec.VMin(), math.Inf(-1)
		for a := range x.actions {
			x.Upper[n] = max(x.Upper[n], dp.Expected(q, s, g.Belief(n), a)+q.Error)
		}
	}
	// Merging moves a value by ½·spread·Merged at each of the steps to come.
	x.Error = spread / 2 * g.Merged * spec.Discount / (1 - spec.Discount)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		moved, gap := 0.0, 0.0
		for n := g.Expanded - 1; n >= 0; n-- {
			lo, up := math.Inf(-1), math.Inf(-1)
			for a := range x.actions {
				l, u := x.Q(n, a)
				lo, up = max(lo, l), max(up, u)
			}
			moved = max(moved, lo-x.Lower[n], x.Upper[n]-up)
			x.Lower[n], x.Upper[n] = max(lo, x.Lower[n]), min(up, x.Upper[n])
			if o.Depth == 0 || int(g.Depth[n]) <= o.Depth {
				gap = max(gap, x.Upper[n]-x.Lower[n])
			}
		}
		if gap <= x.tolerance || moved <= 0x1p-50*spread {
			return x, nil
		}
	}
}

// Q bounds Q* of an action at a node that has transitions listed: n < Graph.Expanded.
func (o *Optimum) Q(n, action int) (lower, upper float64) {
	g, row := o.Graph, n*o.actions+action
	for k := g.Row[row]; k < g.Row[row+1]; k++ {
		lower += g.Prob[k] * o.Lower[g.To[k]]
		upper += g.Prob[k] * o.Upper[g.To[k]]
	}
	return g.Reward[row] + o.discount*lower, g.Reward[row] + o.discount*upper
}

// Optimal reports whether an action may be optimal at a node: whether the upper bound of
// its Q is within the tolerance of the node's lower bound.
func (o *Optimum) Optimal(n, action int) bool {
	_, up := o.Q(n, action)
	return up >= o.Lower[n]-o.tolerance
}
