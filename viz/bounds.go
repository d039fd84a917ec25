package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"

	"gonum.org/v1/plot"
)

// Bounds draws how certified runs closed in on the value at the start, as Convergence does for
// any searches: the bounds at the end of each trial, against the samples.
type Bounds struct {
	Title, Subtitle string
	Runs            []BoundsRun // 1 to 7
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

// Figure takes the bounds from the traces of the runs and draws them.
func (b Bounds) Figure() (*Figure, error) {
	v := Convergence{Title: b.Title, Subtitle: b.Subtitle, References: b.References, LogX: b.LogX, GapOnly: b.GapOnly,
		XLabel: cmp.Or(when(b.Trials, "trials"), "samples")}
	check := checks{where: "viz: Bounds"}
	for i, r := range b.Runs {
		check.part = fmt.Sprintf(".Runs[%d]", i)
		if !check.want(r.Run != nil, ".Run is nil, want a run") ||
			!check.want(r.Run.Brackets(), " is a run of %q by averages, which bound nothing; want one of the certified algorithm", words(r.Run.Spec.Name, 40)) ||
			!check.want(len(r.Run.Trace) > 0, " has an empty trace, want at least one trial") {
			return nil, check.err
		}
		c := ConvergenceCurve{Label: label(r.Label, name(r.Run.Spec.Name, fmt.Sprintf("run %d", i+1))), Epsilon: r.Run.Epsilon()}
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
			c.X = append(c.X, at)
			c.Lower, c.Upper = append(c.Lower, t.Value-t.Gap), append(c.Upper, t.Value)
			c.gap = append(c.gap, t.Gap+slack)
		}
		v.Curves = append(v.Curves, c)
	}
	return v.Figure()
}

// Convergence draws how the bounds of several algorithms converge to the value at the
// start. The upper panel has the lower and the upper
// bound, and the lower panel the gap between them on a log scale, with the ε at which a
// search ends. Bounds that meet have a gap of 0, which stands below all others. A
// bound stays the same until the next point.
type Convergence struct {
	Title, Subtitle string
	// XLabel says what is counted or measured on the axis, such as "trials" or "seconds".
	XLabel     string
	Curves     []ConvergenceCurve // 1 to 7
	References []Reference        // levels of the value, such as an optimum
	// LogX makes the axis logarithmic; X must then be positive.
	LogX bool
	// GapOnly leaves out the upper panel, for values that are far apart.
	GapOnly bool
}

// ConvergenceCurve is one search in a Convergence.
type ConvergenceCurve struct {
	Label        string
	X            []float64 // ascending
	Lower, Upper []float64 // as long as X, Lower[i] ≤ Upper[i]; reward units
	Epsilon      float64   // gap at which the search ends; 0 for none

	gap []float64 // nil means the differences of the bounds
}

// ConvergenceOf returns the bounds of a solution by the number of trials. It has no points for a solver that does not
// bracket V*.
func ConvergenceOf(label string, s *bcpace.Solution) ConvergenceCurve {
	c := ConvergenceCurve{Label: label}
	if s == nil {
		return c
	}
	for _, p := range s.Trace {
		if p.Gap > 0 || p.Epsilon > 0 { // bounds may meet
			c.X, c.Lower, c.Upper = append(c.X, float64(p.Episodes)), append(c.Lower, p.Value-p.Gap), append(c.Upper, p.Value)
			c.Epsilon = p.Epsilon
		}
	}
	return c
}

// Figure checks the values and draws them.
func (v Convergence) Figure() (*Figure, error) {
	v.XLabel, v.Curves = name(v.XLabel, "trials"), slices.Clone(v.Curves)
	if err := v.check(); err != nil {
		return nil, err
	}
	f := &Figure{Title: name(v.Title, "Bounds of the value at the start"), Subtitle: v.Subtitle, Width: defaultWidth}
	for i, c := range v.Curves {
		f.Legend = append(f.Legend, LegendEntry{Text: c.Label, Line: styleOf(i).line(2.2 * px), Marker: styleOf(i).marker(4 * px)})
	}
	if !v.GapOnly {
		f.Legend = append(f.Legend, LegendEntry{Text: "between the bounds", Fill: bandKey(styles[:len(v.Curves)])})
		f.Panels = append(f.Panels, v.valuePanel())
	}
	gaps, under := v.gapPanel()
	f.explain(len(under) > 0, groundEntry)
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

// check checks the values, and sets the names and the gaps that are not given.
func (v Convergence) check() error {
	check := checksOf("Convergence", v.Title)
	check.count(len(v.Curves), "runs", len(styles))
	for i := range v.Curves {
		c := &v.Curves[i]
		check.part = fmt.Sprintf(", search %d (%q)", i, words(c.Label, 40))
		if !check.want(len(c.X) > 0, " has no points, want at least one") ||
			!check.columns(column{"X", c.X, v.LogX}, column{"Lower", c.Lower, false}, column{"Upper", c.Upper, false}) {
			return check.err
		}
		c.Label = label(c.Label, fmt.Sprintf("search %d", i+1))
		given := c.gap != nil
		for k, x := range c.X {
			check.want(k == 0 || x >= c.X[max(k-1, 0)], ": X[%d] is %v after %v, want ascending values", k, x, c.X[max(k-1, 0)])
			check.want(x >= 0, ": X[%d] is %v, want values from 0", k, x)
			check.want(c.Upper[k] >= c.Lower[k], ": Upper[%d] is %v and Lower[%d] is %v, want a lower bound that is not above the upper one", k, c.Upper[k], k, c.Lower[k])
			if !given {
				c.gap = append(c.gap, c.Upper[k]-c.Lower[k])
			}
		}
		check.numbers("gap", c.gap...)
		least, most := slices.Min(c.gap), slices.Max(c.gap)
		check.want(least >= 0 && most <= 1e200, ": gap from %v to %v, want gaps from 0 to 1e200", least, most)
	}
	return check.references(v.References, false)
}

// zero returns the logarithm that stands for a gap of 0: a decade below all other gaps and every ε.
func (v Convergence) zero() float64 {
	least := 1e200
	for _, c := range v.Curves {
		for _, g := range append([]float64{c.Epsilon}, c.gap...) {
			if g > 1e-200 { // and told from 0
				least = min(least, g)
			}
		}
	}
	return math.Log10(least) - 1
}

// valuePanel draws the bounds of each search and what lies between, and the references.
func (v Convergence) valuePanel() *plot.Plot {
	p := newPanel("", "value (discounted reward)")
	for i, c := range v.Curves {
		x, lo := held(c.X, c.Lower)
		_, hi := held(c.X, c.Upper)
		x, lo, hi = thinBand(x, lo, hi)
		p.Add(band(x, lo, hi, bandFill(styleOf(i))))
	}
	if len(v.References) > 0 {
		p.Add(referenceLevels(v.References))
	}
	for i, c := range v.Curves {
		for _, y := range [][]float64{c.Lower, c.Upper} {
			x, y := thin(held(c.X, y))
			p.Add(curve{x, y, styleOf(i).line(1.8 * px)})
		}
	}
	return p
}

// gapPanel draws the gap of each search with its end, and the ε at which searches end. It returns the
// grounds of the curves too.
func (v Convergence) gapPanel() (p *plot.Plot, under []plot.Plotter) {
	zero := v.zero()
	p = newPanel(v.XLabel, "gap (discounted reward)")
	p.Y.Tick.Marker = gapTicks{zero}
	var limits levels
	var epsilons []float64 // each of them once
	gaps, ends := make([]curve, len(v.Curves)), make([]points, len(v.Curves))
	for i, c := range v.Curves {
		logs := each(c.gap, func(g float64) float64 { return max(zero, math.Log10(g)) })
		x, y := held(c.X, logs)
		gaps[i].x, gaps[i].y = thin(x, y)
		gaps[i].style = styleOf(i).line(2.2 * px)
		ends[i] = points{x: x[len(x)-1:], y: y[len(y)-1:], style: styleOf(i).marker(4 * px), halo: px}
		if c.Epsilon > 0 && !slices.Contains(epsilons, c.Epsilon) {
			epsilons = append(epsilons, c.Epsilon)
			limits = append(limits, level{value: math.Log10(c.Epsilon), label: valued("ε", c.Epsilon), style: exactStyle(series{color: muted})})
		}
	}
	p.Add(limits)
	under = grounds(gaps, styleOf, v.LogX, false)
	p.Add(under...)
	for i := range gaps {
		p.Add(gaps[i], ends[i])
	}
	return p, under
}

// setAxes gives a panel the X axis of all panels, and room above and below its data.
func (v Convergence) setAxes(p *plot.Plot) {
	begin, end, whole := math.Inf(1), 0.0, true
	for _, c := range v.Curves {
		begin, end = min(begin, c.X[0]), max(end, c.X[len(c.X)-1])
		whole = whole && allWhole(c.X)
	}
	p.X.Min, p.X.Max = 0, end*1.02
	p.X.Tick.Marker = niceTicks{whole: whole}
	if v.LogX {
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

func (v Convergence) describe(title string) string {
	text := fmt.Sprintf("%s. Lower and upper bound of the value at the start, and the gap between them on a log scale, against %s.", words(title, maxWords), v.XLabel)
	for _, c := range v.Curves {
		last := len(c.X) - 1
		text += fmt.Sprintf(" %s: %s to %s after %s %s, %s to %s after %s %s.", c.Label,
			rounded(numtext.Down, c.Lower[0], 4), rounded(numtext.Up, c.Upper[0], 4), number(c.X[0]), v.XLabel,
			rounded(numtext.Down, c.Lower[last], closeDigits(c.Lower[last], c.gap[last])), rounded(numtext.Up, c.Upper[last], closeDigits(c.Upper[last], c.gap[last])), number(c.X[last]), v.XLabel)
		text += fmt.Sprintf(" Gap %s, at the end %s.", number(c.gap[0]), number(c.gap[last]))
	}
	return text + when(!v.GapOnly, "%s", describeReferences(v.References))
}

// closeDigits is how many digits tell x from what is gap away.
func closeDigits(x, gap float64) int {
	if !(gap > 0) || x == 0 {
		return 4
	}
	digits := math.Ceil(math.Log10(math.Abs(x))) - math.Floor(math.Log10(gap)) + 1
	return int(min(max(digits, 4), 9))
}

// rounded writes a bound: a lower one is rounded down, by numtext.Down, and an upper one up, by numtext.Up.
func rounded(outward func(x float64, decimals int) float64, x float64, digits int) string {
	return significant(outward(x, numtext.Digits(x, digits)), digits)
}
