package viz

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Intervals draws one row for each of several things compared, such as
// algorithms: a point and the interval around it, or an interval alone.
type Intervals struct {
	Title, Subtitle string
	XLabel          string // what is measured, with its unit
	Rows            []Interval
	References      []Reference // upright lines, named in the legend
	// Interval says what the intervals are, for the legend. "" means "mean and
	// 95% interval", or "interval" where none has a mean.
	Interval string
}

// Interval is a row of Intervals.
type Interval struct {
	Label        string
	Mean, Lo, Hi float64 // Lo ≤ Mean ≤ Hi; all three equal where there is no interval
}

// Between is a row of Intervals without an estimate, such as bounds: the bar has ends and no
// point. Its Mean is NaN.
func Between(label string, lo, hi float64) Interval {
	return Interval{Label: label, Mean: math.NaN(), Lo: lo, Hi: hi}
}

// bare reports whether the row has no estimate.
func (r Interval) bare() bool { return math.IsNaN(r.Mean) }

// maxIntervals is the most rows of one figure.
const maxIntervals = 60

// Figure checks the values and draws the rows in their order, the first on top.
func (v Intervals) Figure() (*Figure, error) {
	check := checksOf("Intervals", v.Title)
	n := len(v.Rows)
	check.count(n, "rows", maxIntervals)
	bare := true // no row has an estimate
	for i, r := range v.Rows {
		check.part = fmt.Sprintf(", row %d (%q)", i, words(r.Label, 40))
		check.numbers("Lo", r.Lo)
		check.numbers("Hi", r.Hi)
		check.want(r.Lo <= r.Hi, ": Lo is %v and Hi is %v, want Lo ≤ Hi", r.Lo, r.Hi)
		if !r.bare() {
			bare = false
			check.numbers("Mean", r.Mean)
			check.want(r.Lo <= r.Mean && r.Mean <= r.Hi, ": the interval [%v, %v] does not hold the mean %v", r.Lo, r.Hi, r.Mean)
		}
	}
	if err := check.references(v.References, false); err != nil {
		return nil, err
	}
	what := "mean and 95% interval"
	if bare {
		what = "interval"
	}
	v.Interval = name(v.Interval, what)
	p := newPanel(v.XLabel, "")
	f := &Figure{Title: v.Title, Subtitle: v.Subtitle, Panels: []*plot.Plot{p}, Width: defaultWidth}
	style := styleOf(0)
	for i, r := range referenceLevels(v.References) {
		p.Add(upright{v.References[i].Value, r.style})
		f.Legend = append(f.Legend, LegendEntry{Text: r.label, Line: r.style})
	}
	ticks := make(plot.ConstantTicks, n)
	var rows whiskers
	var dots points
	for i, r := range v.Rows {
		y := float64(n - 1 - i)
		ticks[i] = plot.Tick{Value: y, Label: fit(label(r.Label, fmt.Sprintf("row %d", i+1)), labelStyle, 170*px)}
		rows.y, rows.lo, rows.hi = append(rows.y, y), append(rows.lo, r.Lo), append(rows.hi, r.Hi)
		if !r.bare() {
			dots.x, dots.y = append(dots.x, r.Mean), append(dots.y, y)
		}
	}
	rows.style = style.solid(2 * px)
	dots.style, dots.halo = style.marker(4.2*px), 0.8*px
	p.Add(rows, dots)
	widen(&p.X, 0.06)
	p.Y.Min, p.Y.Max = -0.6, float64(n)-0.4
	p.Y.Tick.Marker, p.Y.Tick.Length = ticks, 0
	p.Y.Tick.Label.Color, p.Y.Tick.Label.Font.Size = ink, labelSize
	entry := LegendEntry{Text: v.Interval, Line: rows.style}
	if !bare {
		entry.Marker = dots.style
	}
	f.Legend = append([]LegendEntry{entry}, f.Legend...)
	f.Alt = v.describe()
	f.Height = vg.Length(n)*28*px + 60*px + f.headHeight()
	return f, nil
}

func (v Intervals) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %s, %s:", name(v.Title, "Comparison"), name(v.XLabel, "values"), v.Interval)
	for i, r := range v.Rows {
		if i > 0 {
			b.WriteByte(';')
		}
		fmt.Fprintf(&b, " %s", label(r.Label, fmt.Sprintf("row %d", i+1)))
		if r.bare() {
			fmt.Fprintf(&b, " %s to %s", number(r.Lo), number(r.Hi))
			continue
		}
		fmt.Fprintf(&b, " %s (%s to %s)", number(r.Mean), number(r.Lo), number(r.Hi))
	}
	b.WriteString("." + describeReferences(v.References))
	return b.String()
}

// upright is a line from the bottom of the panel to its top.
type upright struct {
	value float64
	style draw.LineStyle
}

func (m upright) Plot(c draw.Canvas, p *plot.Plot) {
	x := c.X(p.X.Norm(m.value))
	c.StrokeLine2(m.style, x, c.Min.Y, x, c.Max.Y)
}

func (m upright) DataRange() (xmin, xmax, ymin, ymax float64) {
	_, _, ymin, ymax = emptyRange()
	return m.value, m.value, ymin, ymax
}
