package proved

import (
	"cmp"
	"context"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// Options of Upper. Every zero value is useful.
type Options struct {
	// Tolerance ends the refinement: grids become finer until the bound at the start falls by
	// that or less, in reward units, from one to the next. If it is 0, it is a thousandth of the
	// range of returns.
	Tolerance float64
	// Cell is the side of a cell of the first grid, in standard deviations of the noise. If it is
	// 0, 0.8 is used, and a model is refused for which these cells would be too many or, on one or two axes, cells of
	// 0.35. Each grid has a side of 1/√2 of the one before.
	Cell float64
	// Work bounds the multiplications of a sweep, of which a grid takes some tens, so that a model for
	// which that is too few is refused at once. If it is 0, 9·10⁹ is used, some seconds a sweep.
	Work float64
}

// Bound is an upper bound of the optimal values of a model, from which a lower one follows.
type Bound struct {
	// Start is the bound at the start, the mean over the start states, in reward units.
	Start float64
	// Cell is the side of a cell of the grid of states in standard deviations, and Vertices and
	// Choices are the numbers of its states and of actions and controls.
	Cell              float64
	Vertices, Choices int
	// Told bounds what the minorants leave of the probability in a step of the finite model. With that
	// the latent is told, or, where no axis tells anything, the best place near by is reached.
	Told float64

	solver *solver
	slack  float64
	list   []int // the ids of a list of controls; nil for the model itself
	starts []bcpace.Start
	least  float64 // see solver.solve
}

// At returns the bound at a state and a belief: no policy earns more from there on. The slices
// are as bcpace.Policy has them: the belief has an entry for each latent, and they sum to 1. With a
// horizon, a state that does not have the steps left is one of the start. At a state that ends the
// episode, or is off the axes, it is the largest return.
func (b *Bound) At(s []float64, belief bcpace.Belief) float64 {
	return b.solver.value(s, belief) + b.slack
}

// Lower returns a lower bound of the optimal value at the start, the mean over the start states, in
// reward units: what a controller earns at least that plays the best choices of the finite model. It
// rests on the model alone, as the upper bound does; −Inf where there is none.
//
// The error is an *bcpace.UnsupportedError for a model that does not state how convex its rewards
// are, or that has several axes that tell something of the latent, and for a grid that is too coarse,
// or too fine for a controller that learns; or that of ctx.
func (b *Bound) Lower(ctx context.Context) (float64, error) {
	report := func(share float64) { solverkit.ReportPhase(ctx, "proved lower bound", share) }
	lower, err := b.solver.lower(ctx, b.starts, b.least, report)
	if err != nil {
		return math.Inf(-1), err
	}
	return lower - b.slack, nil
}

// Upper computes an upper bound of the optimal values of m, which rests on the model alone: on its
// noise, and on what it states of its means and rewards (bcpace.Smoothness). For a list of controls
// that bcpace.Discretised has made, it is the bound of the model with the Box. The error is an
// *bcpace.UnsupportedError for a model that it cannot do, an *bcpace.InputError for options that
// cannot be used, the model's, or that of ctx. If ctx ends after a grid was solved, the bound of
// the last one comes back beside the error.
func Upper(ctx context.Context, m bcpace.Model, o Options) (*Bound, error) {
	options := bcpace.In("options")
	switch {
	case !(o.Tolerance >= 0):
		return nil, options.Bad("Tolerance", o.Tolerance, "a number from 0 up, in reward units")
	case !(o.Work >= 0):
		return nil, options.Bad("Work", o.Work, "a number of multiplications, or 0 for 9e9")
	case !(o.Cell >= 0) || o.Cell > 2:
		return nil, options.Bad("Cell", o.Cell, "a side of up to 2 standard deviations, or 0 for 0.8")
	}
	can := bcpace.AbilitiesOf(m)
	if can.Behind != nil {
		m = can.Behind
	}
	p, err := newSpace(m)
	if err != nil {
		return nil, err
	}
	if o.Work == 0 {
		o.Work = mostWork
	}
	if o.Tolerance == 0 {
		o.Tolerance = p.width / 1000
	}
	starts, err := bcpace.StartsOf(m)
	if err != nil {
		return nil, err
	}
	var f *form
	var w wide
	if err := p.guarded(func() { f, w = p.look() }); err != nil {
		return nil, err
	}
	side := cmp.Or(o.Cell, firstCell)
	need := side
	if o.Cell == 0 && len(f.order()) < manyAxes {
		need = leastFine
	}
	if !p.affords(f, w, need, o.Work, starts) {
		return nil, unsupported(p.spec, "noise that is wider beside the axes, or fewer actions: a grid with cells of %v standard deviations has more than %g numbers, or takes more than %g multiplications a sweep", need, float64(mostNumbers), o.Work)
	}
	var best *Bound
	report := func(share float64) { solverkit.ReportPhase(ctx, "proved upper bound", share) }
	for p.affords(f, w, side, o.Work, starts) {
		report(0)
		b, err := p.bound(ctx, f, w, side, o, starts, best, report)
		if err != nil {
			return best, err
		}
		fall := math.Inf(1)
		if best != nil && (b.Vertices > best.Vertices || b.Choices > best.Choices) { // else the grid is the same again, as cells are whole
			fall = best.Start - b.Start
		}
		if fall >= 0 {
			best, b.list = b, can.IDs
		}
		if fall <= o.Tolerance {
			break
		}
		side /= math.Sqrt2
	}
	return best, nil
}

const (
	firstCell = 0.8  // standard deviations
	leastFine = 0.35 // likewise: a coarser grid tells the latent so often that its bound is worth little
)

// pointsFor returns lists of beliefs at which bounds may be computed, the longest first.
func (p *space) pointsFor(f *form, starts []bcpace.Start) (lists []*points) {
	if f.tells() || !p.moves.stay() {
		for _, parts := range cuts(p.latents, len(f.order())) {
			lists = append(lists, gridPoints(p.latents, parts))
		}
		return lists
	}
	var list []bcpace.Belief
	for _, s := range starts[:min(len(starts), mostBeliefs)] {
		list = append(list, s.Belief)
	}
	return append(lists, startPoints(p.latents, list))
}

// cells returns the cells of that side on the axes and Boxes. ok is false where they are too many.
func (p *space) cells(w wide, side float64) (axes []int, boxes [][]int, ok bool) {
	onAxes, onBoxes := p.cut(w, side)
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
func (p *space) affords(f *form, w wide, side, work float64, starts []bcpace.Start) bool {
	axes, boxes, ok := p.cells(w, side)
	if !ok {
		return false
	}
	_, ok = p.sketch(f, w, axes, boxes).points(starts, work)
	return ok
}

// points returns the longest list of beliefs at which the model can be solved with so much work a sweep;
// false, and the shortest one, where it cannot.
func (g *grid) points(starts []bcpace.Start, work float64) (list *points, ok bool) {
	for _, list = range g.pointsFor(g.form, starts) {
		if g.fits(len(list.list), work) {
			return list, true
		}
	}
	return list, false
}

// bound solves the finite model with cells of that side.
func (p *space) bound(ctx context.Context, f *form, w wide, side float64, o Options, starts []bcpace.Start, before *Bound, report func(share float64)) (*Bound, error) {
	axes, boxes, _ := p.cells(w, side)
	g, err := newGrid(ctx, p, f, w, axes, boxes)
	if err != nil {
		return nil, err
	}
	points, _ := g.points(starts, o.Work)
	var old *solver
	same := func(x, y *axis) bool { return x.number == y.number }
	if before != nil && len(before.solver.p.list) == len(points.list) && (before.solver.p.grid == nil) == (points.grid == nil) && slices.EqualFunc(before.solver.axes, g.axes, same) {
		old = before.solver
	}
	x := newSolver(g, points)
	least := max(min(o.Tolerance, p.width/1000)*p.rate/8, sweepTolerance*p.width)
	if x.upper(ctx, old); p.steps > 0 {
		x.down(ctx, report)
	} else {
		x.solve(ctx, least, report)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	b := &Bound{Vertices: g.nodes, Choices: len(g.choices), Told: g.told(), solver: x, starts: starts, least: least}
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
	for _, s := range starts {
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
