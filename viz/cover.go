package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/pac"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// CoverCurve draws how the size of covers grows as ε falls: N(ε) against 1/ε on
// logarithmic axes, where a power law is a line whose slope is the covering
// dimension. Each curve has its fit with the interval of its slope in the legend, and
// a band that the sizes lie in of the smallest cover and of the points that can be more than ε apart, where
// there are bounds: without Least, from the net up.
type CoverCurve struct {
	Title, Subtitle string
	// XLabel and YLabel name what the axes measure. "" means "1/ε (per unit of distance)" and
	// "points of a cover".
	XLabel, YLabel string
	Curves         []CoverSeries // 1 to 7
	// Theory are curves to compare these with, such as what a theorem promises: sizes over 1/ε, both
	// positive. A band of theirs says itself what it is, in Series.Band.
	Theory []Series
	// References are numbers to compare the sizes with, such as that of a run's samples.
	References []Reference
	// NoFit leaves out the fits.
	NoFit bool
}

// CoverSeries is a curve with its name.
type CoverSeries struct {
	Label string
	Curve *cover.Curve
}

// Figure fits the curves and draws them. A curve whose fit has too few points is drawn
// without.
func (c CoverCurve) Figure() (*Figure, error) {
	check := checksOf("CoverCurve", c.Title)
	check.count(len(c.Curves), "curves", len(styles))
	l := Lines{Title: name(c.Title, "Covering numbers"), Subtitle: c.Subtitle, XLabel: cmp.Or(c.XLabel, "1/ε (per unit of distance)"), YLabel: cmp.Or(c.YLabel, "points of a cover"),
		References: c.References, LogX: true, LogY: true, Band: "from a lower bound of γ to an upper bound of α"}
	var fits []plot.Plotter
	said := ""
	for i, s := range c.Curves {
		check.part = fmt.Sprintf(", curve %d (%q)", i, words(s.Label, 40))
		if !check.want(s.Curve != nil && len(s.Curve.Epsilon) > 0, " is empty, want one of cover.NewCurve") {
			return nil, check.err
		}
		if n, nets, bounds := len(s.Curve.Epsilon), len(s.Curve.Net), len(s.Curve.Most); !check.want(nets == n && bounds == n, " has %d distances, %d nets and %d bounds, want the same number", n, nets, bounds) {
			return nil, check.err
		}
		shown := Series{Label: label(s.Label, fmt.Sprintf("set %d", i+1)), Markers: true}
		for k, e := range s.Curve.Epsilon {
			net, most := s.Curve.Net[k], s.Curve.Most[k]
			least := net
			if len(s.Curve.Least) > 0 {
				least = s.Curve.Least[k]
			}
			shown.X, shown.Y = append(shown.X, 1/e), append(shown.Y, float64(net))
			shown.Lo, shown.Hi = append(shown.Lo, float64(least)), append(shown.Hi, float64(max(net, most)))
			shown.unbounded = append(shown.unbounded, most < net)
		}
		if !slices.Contains(shown.unbounded, false) {
			shown.Lo, shown.Hi = nil, nil
		}
		if d, err := s.Curve.Dimension(); err == nil && !c.NoFit {
			// The slope is what the figure is for, so a long name makes room for it.
			slope := fmt.Sprintf("slope %.2f (%.2f to %.2f)", d.Slope, d.Low, d.High)
			set := words(shown.Label, 40)
			shown.Label = set + ": " + slope
			line := curve{style: series{color: faded(styleOf(i).color, 0.6)}.solid(1.2 * px)}
			for _, k := range []int{d.From, d.To - 1} {
				e := s.Curve.Epsilon[k]
				line.x, line.y = append(line.x, 1/e), append(line.y, math.Exp(d.Intercept)*math.Pow(e, -d.Slope))
			}
			fits = append(fits, line)
			said += fmt.Sprintf(" %s: covering dimension, the %s.", set, slope)
		}
		l.Series = append(l.Series, shown)
	}
	l.Series = append(l.Series, c.Theory...)
	f, err := l.Figure()
	if err = cmp.Or(check.err, err); err != nil {
		return nil, err
	}
	if f.Panels[0].Add(fits...); len(fits) > 0 {
		f.Legend = append(f.Legend, LegendEntry{Text: "fit", Line: series{color: faded(muted, 0.6)}.solid(1.2 * px)})
		f.setHeight()
	}
	// The scales are logarithmic: the ticks of whole numbers would begin at 1.
	f.Panels[0].X.Tick.Marker, f.Panels[0].Y.Tick.Marker = logTicks{data: l.places()}, logTicks{whole: true}
	f.Alt += said
	return f, nil
}

// PromisedSteps draws what the main theorem promises beside what explorations did,
// against ε, on logarithmic axes. Counts of 0, which have no logarithm, stand in a band of
// their own below a break of the axis.
type PromisedSteps struct {
	Title, Subtitle string
	Rows            []PromisedRow // one at least, in any order
}

// PromisedRow is one exploration; package pac has its numbers in an Audit.
type PromisedRow struct {
	Epsilon float64
	// Promised is m, the steps that may be farther below the best than the guarantee,
	// and Measured how many were.
	Promised float64
	Measured int
	// PromisedSamples is k·N, and Samples the size of the sample set.
	PromisedSamples float64
	Samples         int
	// PromisedEscapes is the most steps of a large escape probability, and Escapes how
	// many were measured.
	PromisedEscapes float64
	Escapes         int
}

// Figure draws three pairs of curves: promised and measured.
func (p PromisedSteps) Figure() (*Figure, error) {
	if len(p.Rows) == 0 {
		return nil, fmt.Errorf("viz: PromisedSteps %q has no rows, want one at least", words(p.Title, 40))
	}
	rows := slices.SortedStableFunc(slices.Values(p.Rows), func(r, s PromisedRow) int { return cmp.Compare(r.Epsilon, s.Epsilon) })
	l := Lines{Title: name(p.Title, "Promised and measured"), Subtitle: p.Subtitle, XLabel: "ε (reward units)", YLabel: "steps, samples", LogX: true, LogY: true}
	var none zeros
	var epsilons []float64
	for _, r := range rows {
		epsilons = append(epsilons, r.Epsilon)
	}
	counts := []struct {
		label string
		value func(r PromisedRow) float64
	}{
		{"steps below the guarantee: m", func(r PromisedRow) float64 { return r.Promised }},
		{"steps below the guarantee: measured", func(r PromisedRow) float64 { return float64(r.Measured) }},
		{"steps that may escape: promised", func(r PromisedRow) float64 { return r.PromisedEscapes }},
		{"steps that may escape: measured", func(r PromisedRow) float64 { return float64(r.Escapes) }},
		{"samples: promised", func(r PromisedRow) float64 { return r.PromisedSamples }},
		{"samples: measured", func(r PromisedRow) float64 { return float64(r.Samples) }},
	}
	var empty []int // what is 0 everywhere, with no point on the axis
	for i, s := range counts {
		series := Series{Label: s.label, Markers: true}
		for _, r := range rows {
			if y := s.value(r); y != 0 {
				series.X, series.Y = append(series.X, r.Epsilon), append(series.Y, y)
			} else {
				none.x, none.series = append(none.x, r.Epsilon), append(none.series, i)
			}
		}
		if len(series.X) == 0 {
			empty = append(empty, i)
		} else {
			l.Series, l.styles = append(l.Series, series), append(l.styles, i)
		}
	}
	f, err := l.Figure()
	if err != nil {
		return nil, err
	}
	f.Panels[0].X.Tick.Marker = logTicks{data: slices.Compact(epsilons)}
	for _, i := range empty {
		f.Legend = slices.Insert(f.Legend, i, LegendEntry{Text: counts[i].label, Marker: styleOf(i).marker(3.6 * px)})
	}
	if len(empty) > 0 {
		f.setHeight()
	}
	if n := len(none.x); n > 0 {
		none.below(f.Panels[0])
		f.Alt += fmt.Sprintf(" %d counts are 0 and stand below the break of the axis.", n)
	}
	return f, nil
}

// PromisedOf sets what audits of one model at several ε measured beside what the theorems
// promise, for explorations in batches n times that (Proposition Batch Sample Update).
func PromisedOf(audits ...*pac.Audit) PromisedSteps {
	var p PromisedSteps
	for _, a := range audits {
		x := a.Analysis
		p.Title = titled(a.Run.Spec.Name, "promised and measured")
		p.Rows = append(p.Rows, PromisedRow{Epsilon: x.Setting.Epsilon, Promised: x.BatchM, Measured: a.BelowGuarantee,
			PromisedSamples: x.Samples, Samples: a.Run.Samples.Len(),
			PromisedEscapes: x.EscapeSteps * float64(x.Setting.Batch), Escapes: a.EscapeSteps})
	}
	return p
}

// zeros are counts of 0 on a logarithmic axis: markers in a band of their own, below a break
// of the axis and beside a 0.
type zeros struct {
	x      []float64
	series []int // whose style each has
}

// below makes room for the band at the foot of a panel.
func (m zeros) below(p *plot.Plot) {
	p.Y.Min = belowZeros(p.Y.Min, p.Y.Max)
	p.X.Min, p.X.Max = slices.Min(append([]float64{p.X.Min}, m.x...)), slices.Max(append([]float64{p.X.Max}, m.x...))
	p.Y.Tick.Marker = brokenTicks{p.Y.Tick.Marker}
	p.Add(m)
}

func (m zeros) Plot(c draw.Canvas, p *plot.Plot) {
	middle, top := zeroBand(p.Y.Min, p.Y.Max)
	edge := c.Y(p.Y.Norm(top))
	c.FillPolygon(gridGrey, rectangle(c.Min.X, edge-px, c.Max.X, edge+px))
	// The axis is broken: a gap between two slanted strokes.
	c.FillPolygon(white, []vg.Point{{X: c.Min.X - 5*px, Y: edge - 4*px}, {X: c.Min.X + 4*px, Y: edge - px}, {X: c.Min.X + 4*px, Y: edge + 4*px}, {X: c.Min.X - 5*px, Y: edge + px}})
	for _, by := range []vg.Length{-2.5 * px, 2.5 * px} {
		c.StrokeLine2(draw.LineStyle{Color: muted, Width: px}, c.Min.X-5*px, edge+by-1.5*px, c.Min.X+4*px, edge+by+1.5*px)
	}
	var markers nested
	for i, x := range m.x {
		markers = append(markers, points{x: []float64{x}, y: []float64{middle}, style: styleOf(m.series[i]).marker(3.6 * px)})
	}
	markers.Plot(c, p)
}
