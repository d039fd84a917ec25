package proved

import (
	"context"
	"math"
	"slices"

	"bayescpace/bcpace"
)

// lower computes the lower bound at the starts; see Bound.Lower.
func (so *solver) lower(ctx context.Context, starts []bcpace.Start, least float64, report func(share float64)) (lower float64, err error) {
	defer so.spec.Guard(&err, "Smoothness", nil, -1, -1)
	telling := 0
	for _, r := range so.rows {
		if r.informs {
			telling++
		}
	}
	switch {
	case so.grid.reward != nil && so.smooth.RewardConvex == 0:
		return 0, noLower(so.spec, "how convex its expected rewards are (Smoothness.RewardConvex, GaussianCurve.Convex)")
	case telling > 1:
		return 0, noLower(so.spec, "at most one axis that tells something of the latent, not %d", telling)
	}
	report(0)
	still := so.p.grid == nil
	g, err := so.grid.above(ctx, still)
	if err != nil {
		return 0, err
	}
	f := &floor{upper: so, least: least, report: report}
	if !still {
		return f.cells(ctx, g, starts)
	}
	_, kept := g.keeps()
	if f.discount = so.discount * kept; !(f.discount < 1) && so.steps == 0 {
		return 0, f.tooCoarse()
	}
	return f.still(ctx, g, starts)
}

// floor is a controller, of which a lower bound is computed. It has a memory, a point; where it
// stands between nodes, it draws a node by the weights of interpolation, and plays the choice that
// is best there for its memory. What it earns from a state is between what the choices of the nodes
// around earn, and so, as sources interpolate, at least the interpolation between nodes of the
// least that any choice earns that a node beside has.
//
// With majorants M_c in the place of minorants, K ≤ Σ_c κ_c·M_c, and with T at least what is earned
// wherever the next state may lie, ∫V dK = T + ∫(V−T)dK ≥ T + Σ_c κ_c·∫(V−T)dM_c, so that the
// formula of a backup serves: what is kept is more than 1, and what is told counts with a sign.
type floor struct {
	upper    *solver
	least    float64 // see solver.solve
	report   func(share float64)
	discount float64     // times what is kept at most: by how much a sweep shrinks a difference
	played   [][][]int32 // by point and node: the choices of the nodes around
}

// tooCoarse is the error where sweeps do not shrink differences.
func (f *floor) tooCoarse() error {
	return noLower(f.upper.spec, "a grid that is finer beside the discount")
}

// plays reports whether a choice is among those of the nodes around a node.
func (f *floor) plays(point int, node int32, choice int) bool {
	return slices.Contains(f.played[point][node], int32(choice))
}

// above returns the grid with majorants where they are wanted, and rewards that are no more than those
// expected.
func (g *grid) above(ctx context.Context, kernels bool) (*grid, error) {
	a := *g
	a.rows = slices.Clone(g.rows)
	for i, r := range g.rows {
		if !kernels { // cellFloor has its own
			break
		}
		if a.rows[i].kernels = a.build(ctx, i, true); ctx.Err() != nil {
			return nil, ctx.Err()
		}
		a.rows[i].rests = make([]rest, len(r.rests))
		for k, x := range r.rests { // the reach is that of the minorant
			a.rows[i].rests[k] = rest{a.rows[i].kernels[k].kept[0], x.number}
		}
	}
	if g.reward != nil {
		a.reward = make([]float64, len(g.reward))
		bend := g.rewardBend() + g.smooth.RewardConvex*g.state/8
		for i, r := range g.reward {
			a.reward[i] = r - bend - 3e-13*math.Abs(r)
		}
	}
	return &a, ctx.Err()
}

// still computes the bound where a memory changes only when the latent is told. Until then the
// controller, which remembers the belief of the start, earns on the mean what solves one equation.
func (f *floor) still(ctx context.Context, g *grid, starts []bcpace.Start) (lower float64, err error) {
	p := f.upper.p
	y := newSolver(g, p)
	y.floor = f
	y.ways[0].told = f.upper.ways[0].told
	if g.steps > 0 {
		y.down(ctx, f.report)
	} else {
		f.play(ctx, f.upper.found)
		y.begin(ctx, func(_, _ int) float64 { return g.lowest })
		y.solve(ctx, f.least, f.report)
	}
	if ctx.Err() != nil {
		return math.Inf(-1), ctx.Err()
	}
	for _, s := range starts {
		best := g.lowest // no point stands for a belief of too many starts
		if k := slices.IndexFunc(p.list, func(b bcpace.Belief) bool { return slices.Equal(b, s.Belief) }); k >= 0 {
			y.segments(s.State, func(c corners) { best = max(best, c.value(k)) })
		}
		lower += s.Weight * best
	}
	return lower, nil
}

// step prepares a backup at so many steps left.
func (f *floor) step(ctx context.Context, left int) {
	f.upper.goTo(left - 1)
	f.play(ctx, f.upper.layers[left].found)
}

// play lists for each point and node the choices that are best for a memory at the nodes around and there.
func (f *floor) play(ctx context.Context, found []int32) {
	x := f.upper
	f.played = make([][][]int32, len(x.p.list))
	for k := range f.played {
		all := make([][]int32, x.nodes)
		parallel(ctx, x.nodes, func(node int) {
			around := []int{node}
			for i, a := range x.axes {
				at := x.at(node, i)
				for _, n := range around {
					if a.left[at] >= 0 {
						around = append(around, n-x.stride[i])
					}
					if a.right[at] >= 0 {
						around = append(around, n+x.stride[i])
					}
				}
			}
			var list []int32
			for _, n := range around {
				if c := found[n*len(x.p.list)+k]; !slices.Contains(list, c) {
					list = append(list, c)
				}
			}
			all[node] = list
		})
		f.played[k] = all
	}
}
