package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"

	"gonum.org/v1/plot"
)

// Bounds draws how certified runs closed in on the value at the start: above,
// the lower and the upper bound; below, the gap between them on a log scale,
// with the ε at which a run ends. Bounds that meet have a gap of 0, which stands
// below all others. Each holds from the end of a trial to that of the next.
type Bounds struct {
	Title, Subtitle string
	Runs            []BoundsRun // at least one
	References      []Reference // levels of the value, such as an optimum
	// Trials puts the number of trials on the axis instead of that of samples.
	Trials bool
	// LogX makes that axis logarithmic.
	LogX bool
	// GapOnly leaves out the upper panel, for runs of models whose values are
	// far apart.
	GapOnly bool
}

// BoundsRun is a run of the certified algorithm with its name; "" takes that of
// its model.
type BoundsRun struct {
	Label string
	Run   *runs.Run
}

// maxBoundsRuns is the most runs that can be told apart by their styles.
const maxBoundsRuns = 7

// Figure takes the bounds from the traces of the runs and draws them.
func (b Bounds) Figure() (*Figure, error) {
	v := bounds{title: b.Title, subtitle: b.Subtitle, references: b.References, x: "samples", logX: b.LogX, gapOnly: b.GapOnly}
	if b.Trials {
		v.x = "trials"
	}
	for i, r := range b.Runs {
		switch {
		case r.Run == nil:
			return nil, fmt.Errorf("viz: Bounds.Runs[%d].Run is nil, want a run", i)
		case !r.Run.Brackets():
			return nil, fmt.Errorf("viz: Bounds.Runs[%d] is a run of %q by averages, which bound nothing; want one of the certified algorithm", i, words(r.Run.Spec.Name, 40))
		case len(r.Run.Trace) == 0:
			return nil, fmt.Errorf("viz: Bounds.Runs[%d] has an empty trace, want at least one trial", i)
		}
		c := boundsCurve{label: label(r.Label, name(r.Run.Spec.Name, fmt.Sprintf("run %d", i+1))), epsilon: r.Run.Epsilon()}
		// An exact certificate is wider than the last bounds by what rounding may
		// have done. The gap includes that in every trial: it ends at what was
		// certified.
		slack := 0.0
		if r.Run.Certificate.Kind == bcpace.ExactCertificate {
			slack = max(r.Run.Certificate.Gap()-r.Run.Trace[len(r.Run.Trace)-1].Gap, 0)
		}
		samples := 0
		for k, t := range r.Run.Trace {
			samples += t.Added
			at := float64(samples)
			if b.Trials {
				at = float64(k + 1)
			}
			c.x = append(c.x, at)
			c.lower, c.upper = append(c.lower, t.Value-t.Gap), append(c.upper, t.Value)
			c.gap = append(c.gap, t.Gap+slack)
		}
		v.runs = append(v.runs, c)
	}
	return v.figure()
}

// bounds are the numbers of a Bounds.
type bounds struct {
	title, subtitle string
	x               string // what the axis counts or measures
	runs            []boundsCurve
	references      []Reference
	logX, gapOnly   bool
}

// boundsCurve is the bounds of one run: each slice has an entry for each trial.
type boundsCurve struct {
	label               string
	x                   []float64
	lower, upper, gap   []float64
	epsilon             float64
	stepX, lo, hi, step []float64 // the same as step functions, gap as its logarithm
}

func (v bounds) figure() (*Figure, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	zero := v.zero()
	for i := range v.runs {
		v.runs[i].hold(zero)
	}
	f := &Figure{Title: name(v.title, "Bounds of the value at the start"), Subtitle: v.subtitle, Width: defaultWidth}
	styles := make([]series, len(v.runs))
	for i, r := range v.runs {
		styles[i] = styleOf(i)
		f.Legend = append(f.Legend, LegendEntry{Text: r.label, Line: styles[i].line(2.2 * px), Marker: styles[i].marker(4 * px)})
	}
	if !v.gapOnly {
		f.Legend = append(f.Legend, LegendEntry{Text: "between the bounds", Fill: bandKey(styles)})
		f.Panels = append(f.Panels, v.valuePanel())
	}
	gaps, under := v.gapPanel(zero)
	f.Legend = append(f.Legend, groundEntry(under)...)
	f.Panels = append(f.Panels, gaps)
	for _, p := range f.Panels {
		v.setAxes(p)
	}
	f.Alt = v.describe(f.Title)
	f.setHeight()
	if len(f.Panels) > 1 {
		f.Height += 70 * px // for the labels of the upright axes
	}
	return f, nil
}

func (v bounds) check() error {
	where := fmt.Sprintf("viz: Bounds %q", words(v.title, 40))
	if n := len(v.runs); n == 0 || n > maxBoundsRuns {
		return fmt.Errorf("%s has %d runs, want 1 to %d", where, n, maxBoundsRuns)
	}
	for i, r := range v.runs {
		here := fmt.Sprintf("%s, run %d (%q)", where, i, words(r.label, 40))
		if err := checkColumns(here, []column{{v.x, r.x, v.logX}, {"lower", r.lower, false}, {"upper", r.upper, false}, {"gap", r.gap, false}}); err != nil {
			return err
		}
		if least, most := slices.Min(r.gap), slices.Max(r.gap); !(least >= 0 && most <= 1e200) {
			return fmt.Errorf("%s: gap from %v to %v, want gaps from 0 to 1e200", here, least, most)
		}
	}
	return checkReferences(where, v.references, false)
}

// zero returns the logarithm that stands for a gap of 0: a decade below all other gaps and every ε.
func (v bounds) zero() float64 {
	least := math.Inf(1)
	for _, r := range v.runs {
		for _, g := range append([]float64{r.epsilon}, r.gap...) {
			if g > 1e-200 { // and told from 0
				least = min(least, g)
			}
		}
	}
	return math.Log10(min(least, 1e200)) - 1
}

// hold makes step functions of the bounds.
func (r *boundsCurve) hold(zero float64) {
	r.stepX, r.lo = held(r.x, r.lower)
	_, r.hi = held(r.x, r.upper)
	logs := make([]float64, len(r.gap))
	for k, g := range r.gap {
		logs[k] = max(zero, math.Log10(g))
	}
	_, r.step = held(r.x, logs)
}

// valuePanel draws the bounds of each run and what lies between, and the references.
func (v bounds) valuePanel() *plot.Plot {
	p := newPanel("", "value (discounted reward)")
	for i, r := range v.runs {
		x, lo, hi := thinBand(r.stepX, r.lo, r.hi)
		p.Add(band{x, lo, hi, bandFill(styleOf(i))})
	}
	if len(v.references) > 0 {
		p.Add(referenceLevels(v.references))
	}
	for i, r := range v.runs {
		for _, y := range [][]float64{r.lo, r.hi} {
			tx, ty := thin(r.stepX, y)
			p.Add(curve{tx, ty, styleOf(i).line(1.8 * px)})
		}
	}
	return p
}

// gapPanel draws the gap of each run with its end, and the ε at which runs end. It returns the
// grounds of the curves too.
func (v bounds) gapPanel(zero float64) (p *plot.Plot, under []plot.Plotter) {
	p = newPanel(v.x, "gap (discounted reward)")
	p.Y.Tick.Marker = gapTicks{zero}
	var limits levels
	var epsilons []float64 // each of them once
	gaps := make([]curve, len(v.runs))
	for i, r := range v.runs {
		gaps[i].x, gaps[i].y = thin(r.stepX, r.step)
		if r.epsilon > 0 && !slices.Contains(epsilons, r.epsilon) {
			epsilons = append(epsilons, r.epsilon)
			limits = append(limits, level{math.Log10(r.epsilon), valued("ε", r.epsilon), exactStyle(series{color: muted})})
		}
	}
	p.Add(limits)
	under = grounds(gaps, styleOf, v.logX, false)
	p.Add(under...)
	for i, r := range v.runs {
		p.Add(curve{gaps[i].x, gaps[i].y, styleOf(i).line(2.2 * px)})
		end := len(r.step) - 1
		p.Add(points{x: r.stepX[end:], y: r.step[end:], style: styleOf(i).marker(4 * px), halo: px})
	}
	return p, under
}

// setAxes gives a panel the X axis of all panels, and room above and below its data.
func (v bounds) setAxes(p *plot.Plot) {
	begin, end, whole := math.Inf(1), 0.0, true
	for _, r := range v.runs {
		begin, end = min(begin, r.x[0]), max(end, r.x[len(r.x)-1])
		for _, x := range r.x {
			whole = whole && x == math.Trunc(x)
		}
	}
	p.X.Min, p.X.Max = 0, end*1.02
	p.X.Tick.Marker = niceTicks{whole: whole}
	if v.logX {
		p.X.Min, p.X.Scale, p.X.Tick.Marker = begin, plot.LogScale{}, logTicks{whole: whole, data: []float64{begin, end}, besides: true}
		widen(&p.X, 0.02)
	}
	widen(&p.Y, 0.05)
}

// decadeTicks are logTicks of an axis that shows logarithms to base 10. The
// log scale of plot misplaces a long label of an axis of many decades, and
// leaves a blank there.
type decadeTicks struct{}

func (decadeTicks) Ticks(lo, hi float64) []plot.Tick {
	ticks := logTicks{}.Ticks(math.Pow(10, lo), math.Pow(10, hi))
	for i := range ticks {
		ticks[i].Value = math.Log10(ticks[i].Value)
	}
	return ticks
}

// gapTicks are decadeTicks, and where the axis goes down to zero a 0 there, with no other tick in
// the decade above.
type gapTicks struct{ zero float64 }

func (t gapTicks) Ticks(lo, hi float64) []plot.Tick {
	if above := t.zero + 1; lo <= t.zero {
		return append([]plot.Tick{{Value: t.zero, Label: "0"}}, decadeTicks{}.Ticks(above, max(above, hi))...)
	}
	return decadeTicks{}.Ticks(lo, hi)
}

// held turns values that hold until the next one into the corners of a step
// function.
func held(x, y []float64) (sx, sy []float64) {
	for i := range x {
		if i > 0 {
			sx, sy = append(sx, x[i]), append(sy, y[i-1])
		}
		sx, sy = append(sx, x[i]), append(sy, y[i])
	}
	return sx, sy
}

func (v bounds) describe(title string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. Lower and upper bound of the value at the start, and the gap between them on a log scale, against %s.", words(title, maxWords), v.x)
	for _, r := range v.runs {
		last := len(r.x) - 1
		fmt.Fprintf(&b, " %s: %s to %s after %s %s, %s to %s after %s %s.", r.label,
			lowerNumber(r.lower[0], 4), upperNumber(r.upper[0], 4), number(r.x[0]), v.x,
			lowerNumber(r.lower[last], closeDigits(r.lower[last], r.gap[last])), upperNumber(r.upper[last], closeDigits(r.upper[last], r.gap[last])), number(r.x[last]), v.x)
		fmt.Fprintf(&b, " Gap %s, at the end %s.", number(r.gap[0]), number(r.gap[last]))
	}
	if !v.gapOnly {
		b.WriteString(describeReferences(v.references))
	}
	return b.String()
}

// closeDigits is how many digits tell x from what is gap away.
func closeDigits(x, gap float64) int {
	if !(gap > 0) || x == 0 {
		return 4
	}
	digits := math.Ceil(math.Log10(math.Abs(x))) - math.Floor(math.Log10(gap)) + 1
	return int(min(max(digits, 4), 9))
}

// lowerNumber writes a lower bound, rounded down.
func lowerNumber(x float64, digits int) string {
	return significant(numtext.Down(x, numtext.Digits(x, digits)), digits)
}

// upperNumber writes an upper bound, rounded up.
func upperNumber(x float64, digits int) string {
	return significant(numtext.Up(x, numtext.Digits(x, digits)), digits)
}
