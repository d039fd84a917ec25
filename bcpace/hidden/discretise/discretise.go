// Package discretise makes a list of latents of a hidden vector, and numbers of states, so that solvers for finite models take the problem.
package discretise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/family"
	"bayescpace/bcpace/hidden"
)

// Options says how New makes lists of what a model has as real numbers. Every zero value is useful.
type Options struct {
	// Cells is the number of cells on each hidden axis without whole numbers, which are the latents. 0 means 21.
	Cells int
	// Parts is into how many equally likely parts what follows a cell is split, in the order of the cells to which the hidden vector moves. A
	// latent is a cell and a part, which is drawn anew at each step, so that what is seen tells of the hidden vector after its move. 0
	// means 1, which is right where it moves without noise.
	Parts int
	// StateCells is the number of cells on each axis of the state without whole numbers. 0 means 21.
	StateCells int
	// Steps is how many steps are simulated for each state, cell and action, whose shares are the probabilities. 0 means 200.
	Steps int
	// Seed makes the draws.
	Seed uint64
}

// Discrete is a model with lists in the place of real numbers.
type Discrete struct {
	// Model has an axis for each of the state, on which cells are numbered from 0 where there were no whole numbers, and behind them the
	// axis "ended", which is 1 where the episode has ended. Its latents are what the Options make of the hidden vector.
	Model bcpace.Finite

	of      *hidden.Model
	states  hidden.Cells
	hidden  hidden.Cells
	parts   int
	vectors [][]float64 // of the latents of a family; nil for a grid
	cells   int         // latents without their parts
}

const (
	maxDiscrete     = 1 << 20 // latents
	maxListedSteps  = 1 << 31 // simulated
	defaultCells    = 21
	defaultSteps    = 200
	discretePrior   = 1 << 16 // draws of the prior, for a grid
	projectionDraws = 256     // of a belief without points
)

// New returns m with a list of latents in the place of the hidden vector and numbered states, so that solvers for finite models
// take it. The probabilities are the shares of simulated steps that begin at equally likely points of a cell. So what is certified of
// the Discrete is a fact about that model, and says about m only what the cells and steps are fine enough for: play its policy in m (Policy
// and Simulate) to see what it earns there. For a hidden vector that does not move, Family brackets the value over all draws.
//
// The error is an *bcpace.InputError for Options or a model that cannot be used, a *bcpace.ConformanceError
// for a model that breaks its contract, or that of ctx.
func New(ctx context.Context, m *hidden.Model, o Options, c bcpace.Control) (*Discrete, error) {
	o, err := o.settle(m)
	if err != nil {
		return nil, err
	}
	return o.list(ctx, m, nil, c)
}

// settle checks o and m and fills in the defaults.
func (o Options) settle(m *hidden.Model) (Options, error) {
	if err := m.Validate(); err != nil {
		return o, err
	}
	bad := bcpace.In("discretisation of model " + fmt.Sprintf("%q", m.Spec.Name)).Bad
	o.Cells, o.Parts = cmp.Or(o.Cells, defaultCells), cmp.Or(o.Parts, 1)
	o.StateCells, o.Steps = cmp.Or(o.StateCells, defaultCells), cmp.Or(o.Steps, defaultSteps)
	for _, x := range []struct {
		name  string
		value int
	}{{"Cells", o.Cells}, {"Parts", o.Parts}, {"StateCells", o.StateCells}, {"Steps", o.Steps}} {
		if x.value < 0 || x.value > maxDiscrete {
			return o, bad(x.name, x.value, fmt.Sprintf("a number from 1 to %d, or 0 for the default", maxDiscrete))
		}
	}
	if o.Steps < o.Parts {
		return o, bad("Parts", o.Parts, fmt.Sprintf("%d at most, the number of steps", o.Steps))
	}
	return o, nil
}

// Streams of random numbers beside those of the states.
const (
	priorStream = 1<<63 + iota
	startStream
)

// gridOf returns axes in cells, and the number of cells, maxDiscrete + 1 for more than that.
func gridOf(axes []bcpace.Axis, number int) (grid hidden.Cells, total int) {
	total = 1
	for _, a := range axes {
		g := hidden.NewCellAxis(a, number)
		grid, total = append(grid, g), min(total*g.Cells, maxDiscrete+1)
	}
	return grid, total
}

// list returns the Discrete of o, which is settled, with those hidden vectors, equally likely, or nil for a grid.
func (o Options) list(ctx context.Context, m *hidden.Model, vectors [][]float64, c bcpace.Control) (d *Discrete, err error) {
	defer m.Spec.Guard(&err, "a function of the model", nil, -1, -1)
	d = &Discrete{of: m, parts: o.Parts, vectors: vectors, cells: len(vectors)}
	d.states, _ = gridOf(m.Spec.Axes, o.StateCells)
	total, share := 0, bcpace.Uniform(len(vectors))
	d.hidden, total = gridOf(m.Spec.Hidden, o.Cells)
	if vectors == nil {
		if d.cells = total; total*o.Parts > maxDiscrete {
			return nil, bcpace.In("discretisation of model "+fmt.Sprintf("%q", m.Spec.Name)).Bad("Cells, Parts", fmt.Sprintf("%d, %d for %d hidden axes", o.Cells, o.Parts, len(d.hidden)), fmt.Sprintf("so few that there are %d latents at most; Options.Family takes draws of a hidden vector that does not move", maxDiscrete))
		}
		if share, err = d.gridPrior(o.Seed); err != nil {
			return nil, err
		}
	}
	l := &discreteLister{Discrete: d, o: o, ctx: ctx}
	if err := l.starts(); err != nil {
		return nil, err
	}
	prior := make(bcpace.Belief, d.cells*o.Parts)
	for k := range prior {
		prior[k] = share[k/o.Parts] / float64(o.Parts)
	}
	found, err := l.model(prior, c)
	if err != nil {
		return nil, err
	}
	d.Model = found
	return d, nil
}

// gridPrior returns the probabilities of the hidden cells.
func (d *Discrete) gridPrior(seed uint64) (bcpace.Belief, error) {
	prior, x := make(bcpace.Belief, d.cells), make([]float64, len(d.hidden))
	rng := rand.New(rand.NewPCG(seed, priorStream))
	for range discretePrior {
		d.of.Prior(x, rng)
		if err := d.of.CheckHidden(x, nil, -1); err != nil {
			return nil, err
		}
		prior[d.hidden.Cell(x)] += 1.0 / discretePrior
	}
	return prior, nil
}

// spec returns the description of the model of d.
func (d *Discrete) spec() bcpace.Spec {
	spec := d.of.Spec.Spec
	spec.Axes = nil
	for j, a := range d.of.Spec.Axes {
		if !a.Whole() {
			if a.Scale = a.MetricUnit(); d.states[j].Width > 0 {
				a.Scale /= d.states[j].Width
			}
			a.Min, a.Max, a.Discrete, a.Unit = 0, float64(d.states[j].Cells-1), true, "cell"
			if a.Period > 0 {
				a.Period = float64(d.states[j].Cells)
			}
		}
		spec.Axes = append(spec.Axes, a)
	}
	spec.Axes = append(spec.Axes, bcpace.Axis{Name: "ended", Max: 1, Discrete: true})
	for k := range d.cells * d.parts {
		spec.Latents = append(spec.Latents, d.name(k))
	}
	return spec
}

// name returns that of a latent.
func (d *Discrete) name(latent int) string {
	x := make([]float64, len(d.hidden))
	d.middle(x, latent/d.parts)
	var text strings.Builder
	for j, a := range d.of.Spec.Hidden {
		if j > 0 {
			text.WriteString(", ")
		}
		if k := int(x[j] - a.Min); a.Labels != nil && k < len(a.Labels) {
			fmt.Fprintf(&text, "%s %s", a.Name, a.Labels[k])
		} else {
			fmt.Fprintf(&text, "%s %v%s", a.Name, x[j], unit(a))
		}
	}
	if d.parts > 1 {
		fmt.Fprintf(&text, ", part %d", latent%d.parts+1)
	}
	return text.String()
}

func unit(a bcpace.Axis) string {
	if a.Unit == "" {
		return ""
	}
	return " " + a.Unit
}

// middle sets x to the hidden vector that stands for a cell.
func (d *Discrete) middle(x []float64, cell int) {
	if d.vectors != nil {
		copy(x, d.vectors[cell])
		return
	}
	d.hidden.Middle(x, cell)
}

// number sets to to the state of the model of d that stands for s.
func (d *Discrete) number(to, s []float64) {
	for j, a := range d.states {
		if to[j] = float64(a.Cell(s[j])); d.of.Spec.Axes[j].Whole() {
			to[j] = s[j]
		}
	}
	to[len(d.states)] = 0
}

// Family returns the family of m for each value of its hidden vector, which must not move: a prior with a density, of which family.Sampled and
// family.Bracket take draws. Its models have the states and probabilities of New; o.Cells and Parts are not read and must be 0.
func (o Options) Family(m *hidden.Model) (family.Family, error) {
	if o.Cells != 0 || o.Parts != 0 {
		return nil, bcpace.In("discretisation of a family").Bad("Cells, Parts", fmt.Sprintf("%d, %d", o.Cells, o.Parts), "0: who asks the family says how many draws there are")
	}
	o, err := o.settle(m)
	if err != nil {
		return nil, err
	}
	return hiddenFamily{m, o}, nil
}

// hiddenFamily is a Model whose hidden vector is θ.
type hiddenFamily struct {
	model *hidden.Model
	o     Options
}

// Params implements family.Family.
func (f hiddenFamily) Params() (list []family.Param) {
	for _, a := range f.model.Spec.Hidden {
		list = append(list, family.Param{Name: a.Name, Unit: a.Unit, Min: a.Min, Max: a.Max})
	}
	return list
}

// Draw implements family.Family.
func (f hiddenFamily) Draw(θ []float64, rng *rand.Rand) { f.model.Prior(θ, rng) }

// Model implements family.Family.
func (f hiddenFamily) Model(thetas [][]float64) (bcpace.Model, error) {
	d, err := f.o.list(context.Background(), f.model, thetas, bcpace.Control{Workers: 1})
	if err != nil {
		return nil, err
	}
	return d.Model, nil
}

// hashOf mixes numbers.
func hashOf(seed uint64, x []float64) uint64 {
	const odd = 0x9e3779b97f4a7c15 // 2⁶⁴ over the golden ratio (Knuth, The Art of Computer Programming, 6.4)
	h := seed ^ odd
	for _, v := range x {
		h = (h ^ math.Float64bits(v+0)) * odd // −0 + 0 is 0
		h ^= h >> 32
	}
	return h
}
