package proved

import (
	"fmt"
	"math"

	"bayescpace/bcpace"
)

// line is a model of one axis with noise whose actions are a list or controls of one number.
type line struct {
	spec          bcpace.Spec
	smooth        bcpace.Smoothness
	sigma         float64
	low, high     float64
	sUnit         float64 // the Scale of the axis
	down          float64 // the factor that makes up for the rounding of a probability
	prior         bcpace.Belief
	discount      float64
	latents       int
	lowest, width float64 // of returns
}

// unsupported is the error of a model whose upper bound this package cannot prove.
func unsupported(spec bcpace.Spec, need string, args ...any) error {
	return &bcpace.UnsupportedError{Model: spec.Name, Algorithm: "a proved upper bound", Need: fmt.Sprintf(need, args...)}
}

// newLine returns m as a line.
func newLine(m bcpace.Model) (*line, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	can := bcpace.AbilitiesOf(m)
	spec := can.Spec
	if can.Smoothness == nil {
		return nil, unsupported(spec, "how its means and expected rewards bend (bcpace.SmoothModel, Gaussian.Curve)")
	}
	smooth := can.Smoothness()
	switch {
	case len(spec.Axes) != 1:
		return nil, unsupported(spec, "one axis, not %d", len(spec.Axes))
	case !(smooth.Sigma[0] > 0):
		return nil, unsupported(spec, "noise, as without it the next state has no density")
	case can.LatentKind != bcpace.Static:
		return nil, unsupported(spec, "a latent that stays as it is, not a %v one", can.LatentKind)
	case spec.Horizon > 0:
		return nil, unsupported(spec, "a discount without a horizon")
	}
	for _, a := range spec.Actions {
		if len(a.Box) > 1 || len(a.Box) == 1 && a.Box[0].Period > 0 {
			return nil, unsupported(spec, "actions with a Box of one axis without a Period, or none")
		}
	}
	x := spec.Axes[0]
	l := &line{spec: spec, smooth: smooth, sigma: smooth.Sigma[0], low: x.Min, high: x.Max, sUnit: x.MetricUnit(),
		prior: make(bcpace.Belief, len(spec.Latents)), discount: spec.Discount, latents: len(spec.Latents)}
	// A place is rounded by 2⁻⁵³ of it, and a density by up to 2·far times that in standard deviations.
	ends := max(math.Abs(l.low), math.Abs(l.high))
	if l.sigma < leastSigma*ends {
		return nil, unsupported(spec, "noise of %g times the largest place at least, as places are rounded", leastSigma)
	}
	l.down = 1 - 1e-12 - 5e-14*ends/l.sigma
	m.Prior(l.prior)
	lo, hi := bcpace.RangeOfReturns(m)
	l.lowest, l.width = lo, hi-lo
	return l, nil
}

// leastSigma is the least σ for a largest place of 1.
const leastSigma = 1e-6

// mean returns the mean of the next place.
func (l *line) mean(s float64, latent, action int) float64 {
	var from, to [1]float64
	from[0] = s
	l.smooth.Mean(to[:], from[:], latent, action)
	return to[0]
}

// choice is an action, or a control at a vertex of the grid of a Box.
type choice struct {
	id       int
	u        float64
	from, to int // the choices of the same Box, of which those beside it have the next controls
}

// choices returns the actions, and in the place of a Box the controls of so many cells; and the
// largest side of these cells, in squared units of Scale.
func (l *line) choices(cells []int) (list []choice, side float64) {
	for index, a := range l.spec.Actions {
		if a.Box == nil {
			list = append(list, choice{id: l.id(index, nil), from: len(list), to: len(list) + 1})
			continue
		}
		box, n, first := a.Box[0], cells[index], len(list)
		for k := range n + 1 {
			u := box.Min + (box.Max-box.Min)*float64(k)/float64(n)
			if k == n {
				u = box.Max
			}
			id := l.id(index, []float64{u})
			_, at := l.spec.Control(nil, id)
			list = append(list, choice{id: id, u: at[0], from: first, to: first + n + 1})
			if k > 0 {
				h := (at[0] - list[len(list)-2].u) / box.MetricUnit()
				side = max(side, h*h)
			}
		}
	}
	return list, side
}

// id returns the id of an action.
func (l *line) id(index int, u []float64) int {
	id, err := l.spec.ActionID(index, u)
	if err != nil {
		panic(err) // a control of the Box
	}
	return id
}

// cut returns the number of cells on the axis and on each Box for cells in which a mean moves by
// side standard deviations, and in which what means and rewards bend by is of the order of side².
func (l *line) cut(side float64) (cells float64, boxes []float64) {
	most := math.Inf(1) // the side of a cell, in Scale
	if c := l.smooth.RewardCurve; c > 0 {
		most = min(most, side*math.Sqrt(l.width*(1-l.discount)/(2*c)))
	}
	if c := l.smooth.MeanCurve[0]; c > 0 {
		most = min(most, side*math.Sqrt(l.sigma/c))
	}
	axis, boxes := l.spreads()
	length := l.high - l.low
	cells = max(2, math.Ceil(max(axis, length/l.sigma)/side), math.Ceil(length/l.sUnit/most))
	for i, a := range l.spec.Actions {
		if boxes[i] = max(1, math.Ceil(boxes[i]/side)); a.Box != nil {
			boxes[i] = max(boxes[i], math.Ceil((a.Box[0].Max-a.Box[0].Min)/a.Box[0].MetricUnit()/most))
		}
	}
	return cells, boxes
}

// spreads returns by how many standard deviations the mean moves over the axis, and over each
// Box, at most, as some places show.
func (l *line) spreads() (axis float64, boxes []float64) {
	boxes = make([]float64, len(l.spec.Actions))
	const places = 64
	at := func(i int) float64 { return l.low + (l.high-l.low)*float64(i)/places }
	ends := make([]int, len(l.spec.Actions))
	for i := range ends {
		ends[i] = 1
	}
	list, _ := l.choices(ends)
	for φ := range l.latents {
		for _, c := range list {
			for i := range places {
				step := math.Abs(l.mean(at(i+1), φ, c.id) - l.mean(at(i), φ, c.id))
				axis = max(axis, step*places/l.sigma)
			}
		}
		k := 0
		for index, a := range l.spec.Actions {
			if a.Box == nil {
				k++
				continue
			}
			for i := range places + 1 {
				boxes[index] = max(boxes[index], math.Abs(l.mean(at(i), φ, list[k+1].id)-l.mean(at(i), φ, list[k].id))/l.sigma)
			}
			k += 2
		}
	}
	return axis, boxes
}
