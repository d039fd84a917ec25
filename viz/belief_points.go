package viz

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// BeliefPoints draws beliefs of weighted points, such as particles, over a plane of two numbers that are hidden: each belief in a
// colour and with a marker of its own, whose area at each point is in proportion to its weight.
type BeliefPoints struct {
	Title, Subtitle string
	X, Y            bcpace.Axis     // names and units, and the limits if Min < Max
	Beliefs         []WeightedCloud // one to as many as there are colours
}

// WeightedCloud is a belief of a BeliefPoints.
type WeightedCloud struct {
	Label string
	X, Y  []float64 // at least one point
	// Weight of each point, 0 or more; nil for equal ones.
	Weight []float64
	// True is where the hidden numbers are; nil where that is not to be seen.
	True []float64
}

// maxCloudPoints is far more than a plane has room for.
const maxCloudPoints = 1 << 20

// Figure checks the values and draws them.
func (v BeliefPoints) Figure() (*Figure, error) {
	check := checksOf("BeliefPoints", v.Title)
	check.count(len(v.Beliefs), "beliefs", len(styles))
	for i, b := range v.Beliefs {
		check.part = fmt.Sprintf(", belief %d (%q)", i, words(b.Label, 40))
		b.check(check)
	}
	if check.err != nil {
		return nil, check.err
	}
	p := newPanel(axisLabel(v.X), axisLabel(v.Y))
	f := &Figure{Title: name(v.Title, "Belief over a plane"), Subtitle: v.Subtitle, Panels: []*plot.Plot{p}, Width: 520 * px}
	var alt strings.Builder
	var truth []plot.Plotter
	for i, b := range v.Beliefs {
		style := styleOf(i)
		named := label(b.Label, fmt.Sprintf("belief %d", i+1))
		p.Add(cloud{b, style})
		f.Legend = append(f.Legend, LegendEntry{Text: named, Marker: style.marker(4 * px)})
		x, y, dx, dy := b.moments()
		fmt.Fprintf(&alt, " %s: %s with mean (%s, %s) and deviations %s and %s", named, numtext.Several(len(b.X), "point"), number(x), number(y), number(dx), number(dy))
		if b.True != nil {
			at := points{x: b.True[:1], y: b.True[1:], style: style.marker(6 * px), halo: 2 * px}
			at.style.Shape = cross{}
			truth = append(truth, at)
			fmt.Fprintf(&alt, "; what is hidden is at (%s, %s)", number(b.True[0]), number(b.True[1]))
		}
		alt.WriteByte('.')
	}
	if truth != nil {
		p.Add(truth...)
		f.Legend = append(f.Legend, LegendEntry{Text: "what is hidden", Marker: draw.GlyphStyle{Color: ink, Radius: 5 * px, Shape: cross{}}})
	}
	limit(&p.X, v.X)
	limit(&p.Y, v.Y)
	f.Alt = f.Title + ". Points over " + name(v.X.Name, "x") + " and " + name(v.Y.Name, "y") + "." + alt.String()
	f.Height = 360*px + f.headHeight()
	return f, nil
}

// check looks for values that cannot be drawn.
func (b WeightedCloud) check(check *checks) {
	check.count(len(b.X), "points", maxCloudPoints)
	columns := []column{{"X", b.X, false}, {"Y", b.Y, false}}
	if b.Weight != nil {
		columns = append(columns, column{"Weight", b.Weight, false})
	}
	check.columns(columns...)
	check.want(b.True == nil || len(b.True) == 2, ": True has %d numbers, want two, or nil", len(b.True))
	check.numbers("True", b.True...)
	sum := 0.0
	for i, w := range b.Weight {
		check.want(w >= 0, ": Weight[%d] is %v, want 0 or more", i, w)
		sum += w
	}
	check.want(b.Weight == nil || sum > 0 && sum <= 1e200, ": the sum of Weight is %v, want one above 0, and 1e200 at most", sum)
}

// weight returns that of a point.
func (b WeightedCloud) weight(i int) float64 {
	if b.Weight == nil {
		return 1
	}
	return b.Weight[i]
}

// moments returns the mean and the standard deviation of both numbers.
func (b WeightedCloud) moments() (x, y, dx, dy float64) {
	sum := 0.0
	for i := range b.X {
		sum += b.weight(i)
	}
	for i := range b.X {
		x, y = x+b.weight(i)/sum*b.X[i], y+b.weight(i)/sum*b.Y[i]
	}
	for i := range b.X {
		dx, dy = dx+b.weight(i)/sum*(b.X[i]-x)*(b.X[i]-x), dy+b.weight(i)/sum*(b.Y[i]-y)*(b.Y[i]-y)
	}
	return x, y, math.Sqrt(dx), math.Sqrt(dy)
}

// cloud draws the points of a belief.
type cloud struct {
	WeightedCloud
	style series
}

// Plot implements plot.Plotter.
func (m cloud) Plot(c draw.Canvas, p *plot.Plot) {
	type cell struct{ x, y int }
	weight, places := make(map[cell]float64), []cell(nil)
	const apart = px // of the cells whose points are drawn as one
	for i, q := range project(c, p, m.X, m.Y) {
		if !c.Contains(q) {
			continue
		}
		at := cell{int(q.X / apart), int(q.Y / apart)}
		if _, known := weight[at]; !known {
			places = append(places, at)
		}
		weight[at] += m.weight(i)
	}
	most := 0.0
	for _, w := range weight {
		most = max(most, w)
	}
	sty := draw.GlyphStyle{Color: faded(m.style.color, 0.55), Shape: m.style.glyph}
	for _, at := range places {
		sty.Radius = max(5*px*vg.Length(math.Sqrt(weight[at]/most)), 0.7*px)
		c.DrawGlyphNoClip(sty, vg.Point{X: (vg.Length(at.x) + 0.5) * apart, Y: (vg.Length(at.y) + 0.5) * apart})
	}
}

// DataRange implements plot.DataRanger.
func (m cloud) DataRange() (xmin, xmax, ymin, ymax float64) { return dataRange(m.X, m.Y) }
