package dp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/grid"
)

const (
	// gridMemory is the memory in bytes that a grid takes at most where the number of its
	// points is left to us and its rows are written out, which says how long it takes. One that is asked for may take maxTables.
	gridMemory = 1e9
	// gridListed is how many probabilities the model then lists at most.
	gridListed = 1e9
	// coarseShare is how many points a grid has for one of the coarse grid that says how
	// to lay it, and coarsePoints is how many that has at most.
	coarseShare  = 16
	coarsePoints = 1 << 14
	// roughShare is how many points a grid has for one of the grid that is solved first of all, and
	// roughPoints is how many that has at most.
	roughShare  = 32
	roughPoints = 256
)

// gridPlan is a grid, and how it interpolates.
type gridPlan struct {
	axes      []GridAxis
	tolerance float64
	bends     *grid.Bends // nil without a correction
	coarse    *GridValues // the values that bend so; nil without them
	rough     *GridValues // of the first grid, for a ctx that ends early; nil without them
}

// plan lays the grid of m, for tables of so many numbers for each point and latent. Beside an
// error the plan may be nil, or have a coarse grid that is solved. For errors see SolveGrid.
func (o GridOptions) plan(ctx context.Context, m bcpace.Enumerator, tables int) (*gridPlan, error) {
	spec := m.Spec()
	p := &gridPlan{tolerance: o.ToleranceFor(spec)}
	var err error
	if p.axes, err = o.Grid(spec); err != nil {
		return nil, err
	}
	if err := p.sketch(ctx, m); err != nil {
		return p, err
	}
	if between(spec) <= grid.FewAxes {
		return p, o.fit(ctx, m, p, tables, maxTables, math.Inf(1), func(limit int) ([]GridAxis, error) {
			return GridOptions{MaxPoints: limit}.Grid(spec)
		})
	}
	need := metricLengths(spec)
	if bytes := (gridLoad{}).bytes(spec, grid.Points(p.axes), tables); o.asked() && bytes > maxTables {
		return nil, o.tooLarge(spec, grid.Points(p.axes), bytes)
	}
	bends, err := o.sound(ctx, m, spec, p, need)
	if err != nil {
		return p, err
	}
	layout := func(limit int) ([]GridAxis, error) {
		axes, points := spreadAxes(spec, need, limit)
		if points > float64(limit) {
			return nil, errors.New("too coarse")
		}
		return axes, nil
	}
	if o.Step == 0 {
		limit := o.MaxPoints
		limit = cmp.Or(limit, defaultGridPoints)
		if p.axes, err = layout(limit); err != nil {
			return nil, err // Grid has found room for as many axes
		}
	}
	if err := o.fit(ctx, m, p, tables, gridMemory, gridListed, layout); err != nil {
		return p, err
	}
	if bends != nil {
		p.bends = bends.On(NewGrid(spec, p.coarse.Axes), NewGrid(spec, p.axes))
	}
	return p, nil
}

// sketch solves m on a rough grid, in a small part of the time that the grid of p takes, so that
// there is something to act by where ctx ends early.
func (p *gridPlan) sketch(ctx context.Context, m bcpace.Enumerator) (err error) {
	few := GridOptions{MaxPoints: min(grid.Points(p.axes)/roughShare, roughPoints)}
	if ctx.Done() == nil || few.MaxPoints == 0 {
		return nil
	}
	rough := gridPlan{tolerance: p.tolerance}
	if rough.axes, err = few.Grid(m.Spec()); err != nil { // the coarsest grid has more points
		return nil
	}
	p.rough, err = rough.solve(ctx, m)
	return err
}

// ToleranceFor returns o.Tolerance or its default.
func (o GridOptions) ToleranceFor(spec bcpace.Spec) float64 {
	switch {
	case o.Tolerance > 0:
		return o.Tolerance
	case between(spec) <= grid.FewAxes:
		return latentTolerance(spec)
	}
	return 1e-6 * (spec.VMax() - spec.VMin())
}

// between returns the number of axes between whose points a grid interpolates.
func between(spec bcpace.Spec) (n int) {
	for _, x := range metricLengths(spec) {
		if x > 0 {
			n++
		}
	}
	return n
}

// sound solves m on a coarse grid, and returns how its values bend. It sets need to the cells
// that each axis has need of, for one another; an axis along which nothing bends keeps a part, as
// the coarse grid may have missed what does. Where the grid of p is not much larger than the
// smallest one that bends, it does nothing.
func (o GridOptions) sound(ctx context.Context, m bcpace.Enumerator, spec bcpace.Spec, p *gridPlan, need []float64) (*grid.Bends, error) {
	points := grid.Points(p.axes)
	axes, few := spreadAxes(spec, need, min(points/coarseShare, coarsePoints))
	for i := range axes {
		if need[i] > 0 && axes[i].Points < 3 { // fewer do not bend
			axes[i].Points, axes[i].Step = 3, axes[i].Step/2
			few *= 1.5
		}
	}
	if few > float64(points)/2 {
		return nil, nil
	}
	coarse := gridPlan{axes: axes, tolerance: p.tolerance}
	for range 2 { // the second time with the bends of the first
		v, err := coarse.solve(ctx, m)
		if err != nil {
			return nil, err // p.coarse is the first one, if there is any
		}
		p.coarse = v
		coarse.bends = grid.BendsOf(axes, p.coarse.best(), len(spec.Latents))
	}
	bent := coarse.bends.Mean(axes)
	most := slices.Max(bent)
	for i, x := range bent {
		if need[i] > 0 && most > 0 {
			need[i] = axes[i].Cells() * math.Sqrt(max(x/most, leastBend))
		}
	}
	return coarse.bends, nil
}

// leastBend is the bend that an axis counts with at least, as a part of the largest: grids
// may miss where it bends.
const leastBend = 1.0 / 64

// best returns V(s,φ) at (point × latents + φ).
func (v *GridValues) best() []float64 {
	all := make([]float64, len(v.Table)/v.actions)
	for k := range all {
		all[k] = slices.Max(v.Table[k*v.actions : (k+1)*v.actions])
	}
	return all
}

// fit lowers the number of points of p with layout until it takes so much memory and lists
// so much at most. A grid that is asked for stays as it is, and takes maxTables or is an
// error.
func (o GridOptions) fit(ctx context.Context, m bcpace.Enumerator, p *gridPlan, tables int, memory, listed float64, layout func(limit int) ([]GridAxis, error)) error {
	spec := m.Spec()
	size := gridLoad.written
	if o.asked() {
		memory, listed, size = maxTables, math.Inf(1), gridLoad.bytes
	}
	for {
		points := grid.Points(p.axes)
		var load gridLoad
		bytes := size(load, spec, points, tables)
		if bytes <= memory { // else it is too much without any row
			var err error
			if load, err = loadOf(ctx, m, NewGrid(spec, p.axes)); err != nil {
				return err
			}
			bytes = size(load, spec, points, tables)
		}
		share := min(memory/bytes, listed/max(load.listed, 1), 1) // of the points that there is room for
		if share == 1 {
			return nil
		}
		if o.asked() {
			return o.tooLarge(spec, points, bytes)
		}
		room := max(1, min(int(0.95*share*float64(points)), points-1))
		var err error
		if p.axes, err = layout(room); err != nil {
			return &bcpace.UnsupportedError{Model: spec.Name, Algorithm: "SolveGrid",
				Need: fmt.Sprintf("room for the coarsest grid: %d points take %.3g GB and list %.3g probabilities. Give axes that matter to nothing the Scale +Inf, list fewer successors, or have the model give values of its own (LatentValues, or ValueBounds for a search between bounds)", points, bytes/1e9, load.listed)}
		}
	}
}

// asked reports whether the size of the grid is the user's choice.
func (o GridOptions) asked() bool { return o.Step != 0 || o.MaxPoints != 0 }

// tooLarge is the error of a grid that is asked for.
func (o GridOptions) tooLarge(spec bcpace.Spec, points int, bytes float64) error {
	return bcpace.In("grid options for model "+strconv.Quote(spec.Name)).Bad("the grid", fmt.Sprintf("%d points, which take %.3g GB", points, bytes/1e9),
		fmt.Sprintf("%.3g GB at most: MaxPoints %d without Step, or fewer latents or actions", maxTables/1e9, int(0.9*maxTables/bytes*float64(points))))
}

// coarser returns the values on a coarser grid than that of p.
func (p *gridPlan) coarser(ctx context.Context, m bcpace.Enumerator) (*GridValues, error) {
	if p.coarse != nil {
		return p.coarse, nil
	}
	on := gridPlan{axes: grid.Coarser(p.axes), tolerance: p.tolerance}
	return on.solve(ctx, m)
}

// solve solves m on the grid of p.
func (p *gridPlan) solve(ctx context.Context, m bcpace.Enumerator) (*GridValues, error) {
	rows, err := newGridMDP(ctx, m, NewGrid(m.Spec(), p.axes), p.bends)
	if err != nil {
		return nil, err
	}
	v := p.values(m, rows, rows.Actions)
	rows.phase(ctx, "latent values", -1)
	_, err = rows.Solve(ctx, v.Table, p.tolerance)
	return v, err
}

// values returns values on the grid of p that are not known yet, of so many actions.
func (p *gridPlan) values(m bcpace.Enumerator, rows *latentMDP, actions int) *GridValues {
	return &GridValues{Axes: p.axes, Table: make([]float64, rows.points*rows.latents*actions), Error: math.NaN(), MeanError: math.NaN(),
		spec: m.Spec(), latents: rows.latents, actions: actions, bends: p.bends}
}
