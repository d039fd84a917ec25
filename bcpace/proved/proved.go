package proved

import (
	"context"
	"math"

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
	// 0, 0.8 is used. Each grid has a side of 1/√2 of the one before.
	Cell float64
}

// Bound is an upper bound of the optimal values of a model.
type Bound struct {
	// Start is the bound at the start, the mean over the start states, in reward units.
	Start float64
	// Cell is the side of a cell of the grid of states in standard deviations, and Vertices and
	// Choices are the numbers of its states and of actions and controls.
	Cell              float64
	Vertices, Choices int
	// Told is the largest probability of being told the latent in a step of the finite model.
	Told float64

	solver *solver
	slack  float64
}

// At returns the bound at a state and a belief: no policy earns more from there on. The slices
// are as bcpace.Policy has them.
func (b *Bound) At(s []float64, belief bcpace.Belief) float64 {
	return b.solver.value(s[0], belief) + b.slack
}

// Upper computes an upper bound of the optimal values of m, which rests on the model alone: on its
// noise, and on what it states of its means and rewards (bcpace.SmoothModel). The error is an
// *bcpace.UnsupportedError for a model that it cannot do, an *bcpace.InputError for options that
// cannot be used, the model's, or that of ctx. If ctx ends after a grid was solved, the bound of
// the last one comes back beside the error.
func Upper(ctx context.Context, m bcpace.Model, o Options) (*Bound, error) {
	options := bcpace.In("options")
	switch {
	case !(o.Tolerance >= 0):
		return nil, options.Bad("Tolerance", o.Tolerance, "a number from 0 up, in reward units")
	case !(o.Cell >= 0) || o.Cell > 2:
		return nil, options.Bad("Cell", o.Cell, "a side of up to 2 standard deviations, or 0 for 0.8")
	}
	l, err := newLine(m)
	if err != nil {
		return nil, err
	}
	if o.Tolerance == 0 {
		o.Tolerance = l.width / 1000
	}
	if o.Cell == 0 {
		o.Cell = firstCell
	}
	starts, err := bcpace.StartsOf(m)
	if err != nil {
		return nil, err
	}
	var best *Bound
	for level := 0; ; level++ {
		report := func(share float64) { solverkit.ReportPhase(ctx, "proved upper bound", share) }
		report(0)
		b, ok, err := l.bound(ctx, o.Cell*math.Pow(2, -float64(level)/2), o.Tolerance, starts, report)
		if err != nil {
			return best, err
		}
		switch {
		case !ok && best == nil:
			return nil, unsupported(l.spec, "noise that is wider beside the axis, or fewer actions: with σ = %v a grid fine enough has more than %g numbers", l.sigma, mostNumbers)
		case !ok:
			return best, nil
		case best != nil && best.Start-b.Start <= o.Tolerance:
			if b.Start < best.Start {
				best = b
			}
			return best, nil
		case best == nil || b.Start < best.Start:
			best = b
		}
	}
}

const (
	firstCell = 0.8 // standard deviations
	// A belief is cut into twoLatents parts at most, and into so few that there are mostBeliefs
	// beliefs, where two parts are not too many already.
	mostBeliefs = 256
	twoLatents  = 64
)

// partsFor returns how finely beliefs over so many latents are cut.
func partsFor(latents int) int {
	parts := 1
	for parts < twoLatents && newBeliefs(latents, parts+1).len() <= mostBeliefs {
		parts++
	}
	return parts
}

// bound solves the finite model with cells of that side. ok is false where it has too many numbers.
func (l *line) bound(ctx context.Context, side, tolerance float64, starts []bcpace.Start, report func(share float64)) (b *Bound, ok bool, err error) {
	cells, sides := l.cut(side)
	boxes := make([]int, len(sides))
	for i, n := range append(sides, cells) {
		if !(n <= mostCells) {
			return nil, false, nil
		}
		if i < len(boxes) {
			boxes[i] = int(n)
		}
	}
	parts := partsFor(l.latents)
	g, ok, err := newGrid(ctx, l, int(cells), boxes, newBeliefs(l.latents, parts).len())
	if err != nil || !ok {
		return nil, ok, err
	}
	told, rest := g.solveTold(ctx)
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	x := newSolver(g, told, rest, parts)
	first := 0.0
	for n := range mostSweeps {
		change := x.sweep(ctx)
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		if n == 0 {
			first = change
		}
		least := tolerance * (1 - l.discount) / 8
		if change <= least || change <= toldTolerance*l.width {
			break
		}
		report(min(1, math.Log(first/change)/math.Log(max(first/least, 2))))
	}
	b = &Bound{Cell: g.h / l.sigma, Vertices: len(g.v), Choices: len(g.choices), solver: x}
	for _, p := range g.told {
		b.Told = max(b.Told, p)
	}
	// What lies beyond far standard deviations is worth the range of returns at most, and the rows of
	// a choice are summed up with a rounding each.
	most := 0
	for x := range len(g.first) - 1 {
		most = max(most, g.first[x+1]-g.first[x])
	}
	b.slack = (l.discount*tail + 1e-12 + 1e-15*float64(most)) * (l.width + math.Abs(l.lowest)) / (1 - l.discount)
	for _, s := range starts {
		b.Start += s.Weight * b.At(s.State, s.Belief)
	}
	b.Start = min(b.Start, l.lowest+l.width)
	return b, true, nil
}

// mostCells bounds the cells on an axis.
const mostCells = 20_000

// value returns the bound at a place and a belief: that between the vertices around it.
func (x *solver) value(s float64, b bcpace.Belief) float64 {
	i := min(max(0, int((s-x.low)/x.h)), len(x.grid.v)-2)
	for i > 0 && s < x.grid.v[i] {
		i--
	}
	for i < len(x.grid.v)-2 && s > x.grid.v[i+1] {
		i++
	}
	right := (s - x.grid.v[i]) / (x.grid.v[i+1] - x.grid.v[i])
	at := x.b.between()
	x.b.corners(at, b, 1)
	v := 0.0
	for k, number := range at.numbers {
		left := x.v[i*len(x.at)+int(number)]
		v += at.weights[k] * (left + right*(x.v[(i+1)*len(x.at)+int(number)]-left))
	}
	return v
}
