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
	// which that is too few is refused at once. If it is 0, 9·10⁹ is used, some seconds a sweep; before a deadline,
	// finer grids than the first one take what there is time for.
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

	of     *subject
	solver *solver
	slack  float64
	least  float64 // see solver.solve

	side float64       // of the cells, as was asked
	work float64       // the multiplications of a sweep
	took time.Duration // of all sweeps, and of what comes before them
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
	lower, err := b.solver.lower(ctx, b.of.starts, b.least, report)
	if err != nil {
		return math.Inf(-1), err
	}
	return lower - b.slack, nil
}

// Upper computes an upper bound of the optimal values of m, which rests on the model alone: on its
// noise, and on what it states of its means and rewards (bcpace.Smoothness). For a list of controls
// that bcpace.Discretised has made, it is the bound of the model with the Box. The error is an
// *bcpace.UnsupportedError for a model that it cannot do, an *bcpace.InputError for options that
// cannot be used, the model's, or that of ctx. If ctx ends after a grid was solved, or the next one would
// take much longer than its deadline leaves, the bound of the last one comes back beside the error.
func Upper(ctx context.Context, m bcpace.Model, o Options) (*Bound, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	p, err := subjectOf(m)
	if err != nil {
		return nil, err
	}
	if err := p.guarded(func() { p.form, p.wide = p.look() }); err != nil {
		return nil, err
	}
	side := cmp.Or(o.Cell, firstCell)
	need, work := side, cmp.Or(o.Work, mostWork)
	if o.Cell == 0 && len(p.form.order()) < manyAxes {
		need = leastFine
	}
	if !p.affords(need, work) {
		return nil, unsupported(p.spec, "noise that is wider beside the axes, or fewer actions: a grid with cells of %v standard deviations has more than %g numbers, or takes more than %g multiplications a sweep", need, float64(mostNumbers), work)
	}
	return p.refine(ctx, side, o, nil)
}

// Finer is Upper with grids that are finer than that of b, whose bound comes back where theirs is not lower. It takes
// no Options.Cell.
func (b *Bound) Finer(ctx context.Context, o Options) (*Bound, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Cell != 0 {
		return nil, bcpace.In("options").Bad("Cell", o.Cell, "0, as the cells of the bound are the first ones")
	}
	return b.of.refine(ctx, b.side/math.Sqrt2, o, b)
}

func (o Options) check() error {
	options := bcpace.In("options")
	switch {
	case !(o.Tolerance >= 0):
		return options.Bad("Tolerance", o.Tolerance, "a number from 0 up, in reward units")
	case !(o.Work >= 0):
		return options.Bad("Work", o.Work, "a number of multiplications, or 0 for 9e9")
	case !(o.Cell >= 0) || o.Cell > 2:
		return options.Bad("Cell", o.Cell, "a side of up to 2 standard deviations, or 0 for 0.8")
	}
	return nil
}

// refine solves finer and finer grids, from cells of that side on; best is the bound that is known, nil for none.
func (p *subject) refine(ctx context.Context, side float64, o Options, best *Bound) (*Bound, error) {
	o.Tolerance = cmp.Or(o.Tolerance, p.width/1000)
	report := func(share float64) { solverkit.ReportPhase(ctx, "proved upper bound", share) }
	for {
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
		if fall <= o.Tolerance {
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

// pointsFor returns lists of beliefs at which bounds may be computed, the longest first.
func (p *space) pointsFor(f *form, starts []bcpace.Start) (lists []*points) {
	if f.tells() || !p.moves.stay() {
		for _, parts := range cuts(p.latents, len(f.order())) {
			lists = append(lists, gridPoints(p.latents, parts))
		}
		return lists
	}
	return append(lists, startPoints(p.latents, starts))
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
	for _, list = range g.pointsFor(g.form, starts) {
		if numbers, does := g.load(len(list.list)); numbers <= mostNumbers && does <= work {
			return list, true
		}
	}
	return list, false
}

// bound solves the finite model with cells of that side.
func (p *subject) bound(ctx context.Context, side, work, tolerance float64, before *Bound, report func(share float64)) (*Bound, error) {
	axes, boxes, _ := p.cells(side)
	g, err := newGrid(ctx, p.space, p.form, p.wide, axes, boxes)
	if err != nil {
		return nil, err
	}
	points, _ := g.points(p.starts, work)
	var old *solver
	same := func(x, y *axis) bool { return x.number == y.number }
	if before != nil && len(before.solver.p.list) == len(points.list) && (before.solver.p.grid == nil) == (points.grid == nil) && slices.EqualFunc(before.solver.axes, g.axes, same) {
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
	b := &Bound{Vertices: g.nodes, Choices: len(g.choices), Told: g.told(), of: p, solver: x, least: least, side: side}
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
