package proved

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// refine solves finer and finer grids, from cells of that side on; best is the bound that is known, nil for none.
func (p *subject) refine(ctx context.Context, side float64, o Options, best *GridBound) (*GridBound, error) {
	o.Tolerance = cmp.Or(o.Tolerance, p.width/1000)
	report := func(share float64) { solverkit.ReportPhase(ctx, "proved upper bound", share) }
	for n := 1; ; n++ {
		begun, work := time.Now(), cmp.Or(o.Work, mostWork)
		if end, ok := ctx.Deadline(); ok && best != nil && o.Work == 0 {
			work = late * best.work * float64(end.Sub(begun)) / float64(best.took)
			if !p.affords(side, work) && p.affords(side, math.Inf(1)) {
				return best, context.DeadlineExceeded
			}
		}
		if !p.affords(side, work) {
			return best, nil
		}
		report(0)
		b, err := p.bound(ctx, side, work, o.Tolerance, best, report)
		if err != nil {
			return best, err
		}
		fall := math.Inf(1)
		b.took = time.Since(begun)
		if best != nil && (b.Vertices > best.Vertices || b.Choices > best.Choices) { // else the grid is the same again, as cells are whole
			fall = best.Start - b.Start
		}
		if fall >= 0 {
			best = b
		}
		if fall <= o.Tolerance || n == o.Grids {
			return best, nil
		}
		side /= math.Sqrt2
	}
}

const (
	firstCell = 0.8  // standard deviations
	leastFine = 0.35 // likewise: a coarser grid tells the latent so often that its bound is worth little
	late      = 1.5  // how many times what is left before a deadline a grid may take by its multiplications, which are too many
)

// subject is a space with what is asked of it once.
type subject struct {
	*space
	form   *form
	wide   wide
	starts []bcpace.Start
	list   []int // the ids of a list of controls; nil for the model itself
}

// subjectOf returns that of a model, or of the one with the Box for which it has a list of controls.
func subjectOf(m bcpace.Model) (*subject, error) {
	can := bcpace.AbilitiesOf(m)
	if can.Behind != nil {
		m = can.Behind
	}
	p, err := newSpace(m)
	if err != nil {
		return nil, err
	}
	x := &subject{space: p, list: can.IDs}
	if x.starts, err = bcpace.StartsOf(m); err != nil {
		return nil, err
	}
	return x, nil
}

// pointsFor returns lists of beliefs at which bounds may be computed, the longest first. What a bound loses between
// beliefs falls with the square of their distance, as what it loses in a cell does with that of its side, so that a grid of
// coarse cells needs few of them; on one axis all are cheap.
func (g *grid) pointsFor(starts []bcpace.Start) (lists []*points) {
	if !g.form.tells() && g.moves.stay() {
		return append(lists, startPoints(g.latents, starts))
	}
	widest := 0.0
	for _, a := range g.axes {
		widest = max(widest, a.widest/a.sigma)
	}
	most := fewParts
	if len(g.axes) == 1 {
		most = mostParts
	}
	for ; most < mostParts && widest < partSigmas; widest *= 2 {
		most *= 2
	}
	for _, parts := range cuts(g.latents, len(g.axes), most) {
		lists = append(lists, gridPoints(g.latents, parts))
	}
	return lists
}

// cells returns the cells of that side on the axes and Boxes. ok is false where they are too many.
func (p *subject) cells(side float64) (axes []int, boxes [][]int, ok bool) {
	onAxes, onBoxes := p.cut(p.wide, side)
	for _, n := range onAxes {
		if !(n <= mostCells) {
			return nil, nil, false
		}
		axes = append(axes, int(n))
	}
	for _, list := range onBoxes {
		var ns []int
		for _, n := range list {
			if !(n <= mostControls) {
				return nil, nil, false
			}
			ns = append(ns, int(n))
		}
		boxes = append(boxes, ns)
	}
	return axes, boxes, true
}

// affords reports whether the finite model with cells of that side can be solved with so much work a sweep.
func (p *subject) affords(side, work float64) bool {
	axes, boxes, ok := p.cells(side)
	if !ok {
		return false
	}
	_, ok = p.sketch(p.form, p.wide, axes, boxes).points(p.starts, work)
	return ok
}

// points returns the longest list of beliefs at which the model can be solved with so much work a sweep;
// false, and the shortest one, where it cannot.
func (g *grid) points(starts []bcpace.Start, work float64) (list *points, ok bool) {
	for _, list = range g.pointsFor(starts) {
		if numbers, does := g.load(len(list.list)); numbers <= mostNumbers && does <= work {
			return list, true
		}
	}
	return list, false
}

// bound solves the finite model with cells of that side.
func (p *subject) bound(ctx context.Context, side, work, tolerance float64, before *GridBound, report func(share float64)) (*GridBound, error) {
	axes, boxes, _ := p.cells(side)
	g, err := newGrid(ctx, p.space, p.form, p.wide, axes, boxes)
	if err != nil {
		return nil, err
	}
	points, _ := g.points(p.starts, work)
	var old *solver
	same := func(x, y *axis) bool { return x.number == y.number }
	if before != nil && (before.solver.p.grid == nil) == (points.grid == nil) && slices.EqualFunc(before.solver.axes, g.axes, same) {
		old = before.solver
	}
	x := newSolver(g, points)
	least := max(min(tolerance, p.width/1000)*p.rate/8, sweepTolerance*p.width)
	if x.upper(ctx, old); p.steps > 0 {
		x.down(ctx, report)
	} else {
		x.solve(ctx, least, report)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	b := &GridBound{Vertices: g.nodes, Choices: len(g.choices), Told: g.told(), of: p, solver: x, least: least, side: side}
	_, b.work = g.load(len(points.list))
	most := 0.0 // what is added up for a choice, with a rounding each
	for i, a := range g.axes {
		b.Cell = max(b.Cell, a.widest/a.sigma)
		widest := 0
		for k := range g.rows[i].kernels {
			widest = max(widest, len(g.rows[i].kernels[k].prob))
		}
		most += float64(widest)
	}
	// What lies beyond far standard deviations differs by what regions pay and the range of returns at most.
	least, top := 0.0, 0.0
	for _, r := range g.region {
		least, top = min(least, slices.Min(r.pays)), max(top, slices.Max(r.pays))
	}
	size := top - least + p.width + math.Abs(p.lowest)
	b.slack = (tail*float64(len(g.axes)) + 1e-12 + 1e-15*most) * size * p.spec.EffectiveHorizon()
	for _, s := range p.starts {
		inside := false
		if x.segments(s.State, func(corners) { inside = true }); !inside {
			return nil, unsupported(p.spec, "starts where the episode goes on: arriving at %v ends it", s.State)
		}
		b.Start += s.Weight * b.At(s.State, s.Belief)
	}
	b.Start = min(b.Start, p.lowest+p.width)
	return b, nil
}

const (
	mostCells      = 20_000 // on an axis
	sweepTolerance = 1e-9   // of the range of returns
	tail           = 2e-10  // bounds the probability beyond far standard deviations, on both sides
)
