package proved

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/solverkit"
)

// space is a model whose upper bound can be proved.
type space struct {
	spec     bcpace.Spec
	smooth   bcpace.Smoothness // filled
	discount float64
	rate     float64 // see bcpace.Spec.Rate
	latents  int
	steps    int       // the horizon, 0 where there is none; the last axis of Spec then has the steps left
	base     []float64 // a place on the axes without noise
	moves    *moves

	lowest, width float64 // of returns
}

// unsupported is the error of a model whose upper bound this package cannot prove.
func unsupported(spec bcpace.Spec, need string, args ...any) error {
	return &bcpace.UnsupportedError{Model: spec.Name, Algorithm: "a proved upper bound", Need: fmt.Sprintf(need, args...)}
}

// noLower is the error of a model whose lower bound this package cannot prove.
func noLower(spec bcpace.Spec, need string, args ...any) error {
	return &bcpace.UnsupportedError{Model: spec.Name, Algorithm: "a proved lower bound", Need: fmt.Sprintf(need, args...)}
}

// newSpace returns m as a space.
func newSpace(m bcpace.Model) (*space, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	m = bcpace.KeepHorizon(m)
	can := bcpace.AbilitiesOf(m)
	spec := can.Spec
	if spec.Goal {
		return nil, unsupported(spec, "a discount below 1, or a horizon")
	}
	if can.Smoothness == nil {
		return nil, unsupported(spec, "how its means and expected rewards bend (bcpace.Smoothness, Gaussian.Curve)")
	}
	smooth := can.Smoothness()
	if spec.Horizon > 0 && can.StepsLeft == 0 {
		return nil, unsupported(spec, "a horizon that its states do not keep by themselves, or a discount without a horizon")
	}
	if err := checkSmoothness(&spec, &smooth); err != nil {
		return nil, err
	}
	smooth = filled(smooth, len(spec.Axes))
	p := &space{spec: spec, smooth: smooth, discount: spec.Discount, rate: spec.Rate(), latents: len(spec.Latents), steps: can.StepsLeft}
	for _, a := range spec.Axes {
		p.base = append(p.base, a.Min)
	}
	if p.steps > 0 {
		p.base[len(p.base)-1] = float64(p.steps)
	}
	noisy := 0
	for i, a := range spec.Axes {
		σ := smooth.Sigma[i]
		if σ == 0 && a.Discrete && smooth.Arrive != nil { // also the steps left
			continue
		}
		if noisy++; !(σ > 0) {
			return nil, unsupported(spec, "noise on axis %q, as without it the next state has no density", a.Name)
		}
		if err := p.wideEnough(i, σ); err != nil && smooth.SigmaAt == nil {
			return nil, err
		}
	}
	switch {
	case noisy == 0:
		return nil, unsupported(spec, "noise, as without it the next state has no density")
	case noisy > mostAxes:
		return nil, unsupported(spec, "noise on at most %d axes, not %d", mostAxes, noisy)
	}
	lo, hi := solverkit.RangeOfReturns(m)
	p.lowest, p.width = lo, hi-lo
	var err error
	p.moves, err = p.movesOf(can.LatentKind)
	return p, err
}

// wideEnough returns an error for a standard deviation beside which places of an axis are rounded too
// much.
func (p *space) wideEnough(axis int, σ float64) error {
	a := p.spec.Axes[axis]
	if σ < leastSigma*max(math.Abs(a.Min), math.Abs(a.Max)) {
		return unsupported(p.spec, "noise of %g times the largest place of axis %q at least, as places are rounded", leastSigma, a.Name)
	}
	return nil
}

// guarded calls f, and returns what the model's functions panic with as an error.
func (p *space) guarded(f func()) (err error) {
	defer p.spec.Guard(&err, "Smoothness", nil, -1, -1)
	f()
	return nil
}

// sigmas sets σ to the standard deviations of a step.
func (p *space) sigmas(σ, s []float64, latent, action int) {
	if p.smooth.SigmaAt == nil {
		copy(σ, p.smooth.Sigma)
		return
	}
	p.smooth.SigmaAt(σ, s, latent, action)
}

// checkSmoothness returns a fault of what a model states.
func checkSmoothness(spec *bcpace.Spec, s *bcpace.Smoothness) error {
	need := func(ok bool, format string, args ...any) error {
		if ok {
			return nil
		}
		return spec.Fault(nil, -1, -1, "Smoothness "+format, args...)
	}
	n := len(spec.Axes)
	fine := func(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }
	control := bcpace.ControlCurve{}
	if s.Control != nil {
		control = *s.Control
	}
	err := cmp.Or(need(s.Mean != nil, "has no Mean"),
		need(len(s.Sigma) == n && len(s.MeanCurve) == n && (s.Jumps == nil || len(s.Jumps) == n),
			"has %d standard deviations, %d curves and jumps on %d axes, want %d of each (or no jumps)",
			len(s.Sigma), len(s.MeanCurve), len(s.Jumps), n),
		need(s.SigmaCurve == nil || len(s.SigmaCurve) == n, "has %d curves of the standard deviations, want %d, or none", len(s.SigmaCurve), n),
		need(fine(s.RewardCurve) && fine(s.RewardConvex),
			"has the RewardCurve %v and the RewardConvex %v, want numbers from 0 up", s.RewardCurve, s.RewardConvex))
	for _, curve := range [][]float64{control.Mean, control.Sigma} {
		err = cmp.Or(err, need(curve == nil || len(curve) == n, "has %d curves of the control, want %d, or none", len(curve), n))
	}
	if err != nil {
		return err
	}
	for _, x := range slices.Concat([]float64{control.Reward}, control.Mean, control.Sigma) {
		err = cmp.Or(err, need(fine(x), "has the curve %v of the control, want a number from 0 up", x))
	}
	for i, a := range spec.Axes {
		σ, curve := s.Sigma[i], s.MeanCurve[i]
		err = cmp.Or(err, need(fine(σ), "has the standard deviation %v on axis %q, want 0 or a positive number", σ, a.Name),
			need(!(σ > 0 && (a.Whole() || a.Min == a.Max)),
				"has the standard deviation %v on axis %q, want 0, as the axis is of whole numbers or has one value", σ, a.Name),
			need(fine(curve), "has the MeanCurve %v on axis %q, want a number from 0 up", curve, a.Name))
	}
	for i, curve := range s.SigmaCurve {
		err = cmp.Or(err, need(fine(curve), "has the SigmaCurve %v on axis %q, want a number from 0 up", curve, spec.Axes[i].Name))
	}
	for i, jumps := range s.Jumps {
		a, last := spec.Axes[i], spec.Axes[i].Min
		for _, x := range jumps {
			err = cmp.Or(err, need(x > last && x < a.Max && !(a.Period > 0),
				"has the Jumps %v on axis %q, want places between its ends in ascending order, and none where it has a Period", jumps, a.Name))
			last = x
		}
	}
	return err
}

const (
	leastSigma = 1e-6 // for a largest place of 1
	// A place is rounded by 2⁻⁵³ of it, and a density by up to 2·far times that in standard deviations.
	rounding = 5e-14
	mostAxes = 3
)

// axes returns those with noise, in the order of form. They are not cut yet.
func (p *space) axes(f *form, w wide) (list []*axis) {
	for _, i := range f.order() {
		a := p.spec.Axes[i]
		x := &axis{number: i, name: a.Name, low: a.Min, high: a.Max, sigma: w.least[i], most: w.most[i], unit: a.MetricUnit(), wraps: a.Period > 0}
		if x.wraps {
			x.high = a.Min + a.Period
		}
		list = append(list, x)
	}
	return list
}

// choice is an action, or a control at a vertex of the grid of a Box.
type choice struct {
	id, action int
	at         []int // the vertex on each axis of the Box
	stride     []int // of the vertices of an axis, among the choices of the Box
	cells      []int // on each axis
}

// choices returns the actions, and in the place of a Box the controls at the vertices of so many cells an axis;
// and the largest sum of the squared sides of these cells, in squared units of Scale.
func (p *space) choices(cells [][]int) (list []choice, side float64) {
	for index, a := range p.spec.Actions {
		if a.Box == nil {
			list = append(list, choice{id: p.id(index, nil), action: index})
			continue
		}
		n, own := cells[index], 0.0
		stride, all := make([]int, len(n)), 1
		for q := len(n) - 1; q >= 0; q-- {
			stride[q] = all
			all *= n[q] + 1
			h := (a.Box[q].Max - a.Box[q].Min) / float64(n[q]) / a.Box[q].MetricUnit()
			own += h * h * controlRounding
		}
		side = max(side, own)
		for k := range all {
			u, at := make([]float64, len(n)), make([]int, len(n))
			for q := range n {
				at[q] = k / stride[q] % (n[q] + 1)
				u[q] = a.Box[q].Min + (a.Box[q].Max-a.Box[q].Min)*float64(at[q])/float64(n[q])
				if at[q] == n[q] { // that of an axis that goes round is that of Min
					if u[q] = a.Box[q].Max; a.Box[q].Period > 0 {
						u[q] -= (a.Box[q].Max - a.Box[q].Min) / num.BoxSteps
					}
				}
			}
			list = append(list, choice{id: p.id(index, u), action: index, at: at, stride: stride, cells: n})
		}
	}
	return list, side
}

// controlRounding is how much larger a squared side can be than it was asked for, as ids stand for
// some 262,144 places of a Box and a cell is a 1,000th of it at least.
const controlRounding = 1.01

// mostControls bounds the cells on an axis of a Box.
const mostControls = 1000

// id returns the id of an action.
func (p *space) id(index int, u []float64) int {
	id, err := p.spec.ActionID(index, u)
	if err != nil {
		panic(err) // a control of the Box
	}
	return id
}

// checkNoise returns the error of a mean or a standard deviation that no bound can be computed with.
func (p *space) checkNoise(s []float64, axis, latent, action int, mean, σ float64) error {
	name := p.spec.Axes[axis].Name
	switch {
	case !(math.Abs(mean) <= num.MaxValue):
		return p.spec.Fault(s, action, latent, "the mean of axis %q is %v in Smoothness, want a number within ±%g", name, mean, num.MaxValue)
	case !(σ > 0 && σ <= num.MaxValue):
		return p.spec.Fault(s, action, latent, "the standard deviation of axis %q is %v in Smoothness, want a positive number, as it is by Sigma", name, σ)
	}
	return nil
}

// cut returns the number of cells on the axes and on each Box for cells in which the means move by
// side standard deviations, and in which what means and rewards bend by is of the order of side².
func (p *space) cut(w wide, side float64) (axes []float64, boxes [][]float64) {
	most := func(mean, sigma []float64, reward float64) float64 { // the side of a cell, in Scale
		most := math.Inf(1)
		if reward > 0 {
			most = min(most, side*math.Sqrt(p.width*p.rate/(2*reward)))
		}
		for i := range p.spec.Axes {
			if c := mean[i] + sigma[i]; c > 0 {
				most = min(most, side*math.Sqrt(w.least[i]/c))
			}
		}
		return most
	}
	control := p.smooth.Control
	onAxis := most(p.smooth.MeanCurve, p.smooth.SigmaCurve, p.smooth.RewardCurve)
	onBox := most(control.Mean, control.Sigma, control.Reward)
	axes, boxes = make([]float64, len(p.spec.Axes)), make([][]float64, len(p.spec.Actions))
	for i, a := range p.spec.Axes {
		if σ := w.least[i]; σ > 0 {
			length := a.Max - a.Min
			axes[i] = max(2, math.Ceil(max(w.axis[i], length/σ)/side), math.Ceil(length/a.MetricUnit()/onAxis))
		}
	}
	for i, a := range p.spec.Actions {
		for q, b := range a.Box {
			boxes[i] = append(boxes[i], max(1, math.Ceil(w.box[i][q]/side), math.Ceil((b.Max-b.Min)/b.MetricUnit()/onBox)))
		}
	}
	return axes, boxes
}

// filled returns s with what it leaves out: lists for n axes, and what holds along a control.
func filled(s bcpace.Smoothness, n int) bcpace.Smoothness {
	fill := func(list []float64) []float64 { return append(list, make([]float64, n-len(list))...) }
	if s.SigmaCurve = fill(s.SigmaCurve); s.Jumps == nil {
		s.Jumps = make([][]float64, n)
	}
	control := bcpace.ControlCurve{Mean: s.MeanCurve, Sigma: s.SigmaCurve, Reward: s.RewardCurve}
	if c := s.Control; c != nil {
		control = bcpace.ControlCurve{Mean: fill(c.Mean), Sigma: fill(c.Sigma), Reward: c.Reward}
	}
	s.Control = &control
	return s
}

// bends reports whether the mean of some axis may bend.
func (p *space) bends() bool {
	return slices.Max(p.smooth.MeanCurve) > 0 || slices.Max(p.smooth.Control.Mean) > 0
}
