package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayescpace/bcpace/cover"
)

// CoverCurve draws how the size of covers grows as ε falls: N(ε) against 1/ε on
// logarithmic axes, where a power law is a line whose slope is the covering
// dimension. Each curve has its fit with the interval of its slope in the legend, and
// a band up to an upper bound of the points that can be more than ε apart, where there is one.
type CoverCurve struct {
	Title, Subtitle string
	// XLabel and YLabel name what the axes measure. "" means "1/ε (per unit of distance)" and
	// "points of a cover".
	XLabel, YLabel string
	Curves         []CoverSeries // 1 to 7
	// NoFit leaves out the fits.
	NoFit bool
}

// CoverSeries is a curve with its name.
type CoverSeries struct {
	Label string
	Curve *cover.Curve
}

const maxCoverSeries = 7

// Figure fits the curves and draws them. A curve whose fit has too few points is drawn
// without.
func (c CoverCurve) Figure() (*Figure, error) {
	check := checksOf("CoverCurve", c.Title)
	check.count(len(c.Curves), "curves", maxCoverSeries)
	l := Lines{Title: name(c.Title, "Covering numbers"), Subtitle: c.Subtitle, XLabel: cmp.Or(c.XLabel, "1/ε (per unit of distance)"), YLabel: cmp.Or(c.YLabel, "points of a cover"),
		LogX: true, LogY: true, Band: "to an upper bound of the points ε apart"}
	var fits []curve
	var said strings.Builder
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
			shown.X, shown.Y = append(shown.X, 1/e), append(shown.Y, float64(net))
			shown.Lo, shown.Hi = append(shown.Lo, float64(net)), append(shown.Hi, float64(max(net, most)))
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
			fmt.Fprintf(&said, " %s: covering dimension, the %s.", set, slope)
		}
		l.Series = append(l.Series, shown)
	}
	f, err := l.Figure()
	if err = cmp.Or(check.err, err); err != nil {
		return nil, err
	}
	for _, line := range fits {
		f.Panels[0].Add(line)
	}
	if len(fits) > 0 {
		f.Legend = append(f.Legend, LegendEntry{Text: "fit", Line: series{color: faded(muted, 0.6)}.solid(1.2 * px)})
		f.setHeight()
	}
	// The scales are logarithmic: the ticks of whole numbers would begin at 1.
	f.Panels[0].X.Tick.Marker, f.Panels[0].Y.Tick.Marker = logTicks{data: l.places()}, logTicks{whole: true}
	f.Alt += said.String()
	return f, nil
}
