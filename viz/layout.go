package viz

import (
	"fmt"
	"image/color"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Narrower returns the figure laid out anew, width CSS pixels wide, so that its text stays as
// large as it is. It returns f where that is as narrow, or cannot be narrower.
func (f *Figure) Narrower(width int) *Figure {
	to := vg.Length(width) * px
	if f.check() != nil || f.Width <= to || f.least > to || width < leastWidth {
		return f
	}
	return f.laidOut(to)
}

// leastWidth leaves room for labels in the margins, in CSS pixels.
const leastWidth = 240

// laidOut returns a copy of f of another width.
func (f *Figure) laidOut(width vg.Length) *Figure {
	g := f.copied()
	panels := f.Height - f.headHeight()
	if f.EqualScale { // more than they need; the rest is cut off below
		panels = panels*max(1, width/f.Width) + 80*px
	}
	g.Width = width
	g.Height = panels + g.headHeight()
	inner := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: g.Width, Y: g.Height}}}
	inner = draw.Crop(inner, marginLeft, -marginRight, marginBottom, -marginTop)
	inner.Max.Y -= g.headHeight() - marginTop - marginBottom
	for _, cell := range g.cells(inner) {
		data := cell.plot.DataCanvas(cell.canvas)
		p := g.Panels[cell.panel]
		// The titles of the axes stand around the middle of the data.
		middle := data.Center()
		p.X.Label.Text = fit(p.X.Label.Text, p.X.Label.TextStyle, 2*min(middle.X-inner.Min.X, inner.Max.X-middle.X))
		p.Y.Label.Text = fit(p.Y.Label.Text, p.Y.Label.TextStyle, 2*min(middle.Y-cell.canvas.Min.Y, cell.canvas.Max.Y-middle.Y))
		switch m := p.X.Tick.Marker.(type) {
		case categoryTicks:
			p.X.Tick.Marker = m.within(data.Max.X - data.Min.X)
		default:
			p.X.Tick.Marker = roomyTicks{m, p, data.Max.X - data.Min.X}
		}
	}
	if f.EqualScale {
		spare := vg.Length(math.Inf(1))
		for _, cell := range g.cells(inner) {
			spare = min(spare, equalScale(cell.plot, cell.canvas).Min.Y-cell.canvas.Min.Y)
		}
		g.Height -= spare * vg.Length(len(f.Panels))
	}
	return g
}

// copied returns a copy of f whose panels have axes of their own.
func (f *Figure) copied() *Figure {
	g := *f
	g.Panels = make([]*plot.Plot, len(f.Panels))
	for i, p := range f.Panels {
		q := *p
		if t, ok := q.X.Tick.Marker.(roomyTicks); ok {
			t.plot = &q
			q.X.Tick.Marker = t
		}
		g.Panels[i] = &q
	}
	return &g
}

// roomyTicks leaves out labels of an X axis so that those left do not touch one another.
type roomyTicks struct {
	plot.Ticker
	plot  *plot.Plot
	width vg.Length // of the axis
}

func (t roomyTicks) Ticks(lo, hi float64) []plot.Tick {
	ticks := t.Ticker.Ticks(lo, hi)
	for every := 1; every <= len(ticks); every++ {
		kept := slices.Clone(ticks)
		labels, end, room := 0, vg.Length(math.Inf(-1)), true
		for i, k := range ticks {
			switch {
			case k.IsMinor():
				continue
			case labels%every == 0:
				half := t.plot.X.Tick.Label.Width(k.Label) / 2
				at := vg.Length(t.plot.X.Norm(k.Value)) * t.width
				room = room && at-half >= end
				end = at + half + 5*px
			default:
				kept[i].Label = ""
			}
			labels++
		}
		if room {
			return kept
		}
	}
	return ticks
}

// LegendEntry explains one sign of a figure. Parts that are zero are left out.
type LegendEntry struct {
	Text   string
	Line   draw.LineStyle  // drawn across the key
	Marker draw.GlyphStyle // drawn in the middle of the key
	Fill   color.Color     // fills the key
	// Ramp, if set, is a bar of colours from 0 to 1 instead of the key, with
	// Text at its left end and RampEnd at its right.
	Ramp    func(float64) color.Color
	RampEnd string
}

// explain appends an entry to the legend, if its sign is shown.
func (f *Figure) explain(shown bool, e LegendEntry) {
	if shown {
		f.Legend = append(f.Legend, e)
	}
}

const (
	keyWidth, rampWidth = 28 * px, 100 * px
	rowHeight           = 19 * px
	entryGap, keyGap    = 18 * px, 6 * px
	maxRows             = 5
	// lift sets the middle of small letters on a line, where plot sets the
	// middle of ascender and descender.
	lift = 1.3 * px
)

// width returns the width of the entry once its texts are shortened to fit.
func (e *LegendEntry) width() vg.Length {
	if e.Ramp != nil {
		return labelStyle.Width(e.Text) + labelStyle.Width(e.RampEnd) + rampWidth + 2*keyGap
	}
	return keyWidth + keyGap + labelStyle.Width(e.Text)
}

// placed is a legend entry with its texts shortened and its place: its row, and
// the distance from the left edge.
type placed struct {
	LegendEntry
	x   vg.Length
	row int
}

// layoutLegend arranges the entries in rows of the given width, and returns
// the number of rows.
func (f *Figure) layoutLegend(width vg.Length) (entries []placed, rows int) {
	var x vg.Length
	row := 0
	for i, e := range f.Legend {
		most := max(width*0.6, min(width-keyWidth-keyGap, 360*px))
		if e.Ramp != nil {
			most = max(width*0.25, (width-rampWidth-2*keyGap)/2)
		}
		e.Text = fit(words(e.Text, maxWords), labelStyle, most)
		e.RampEnd = fit(words(e.RampEnd, maxWords), labelStyle, most)
		if x > 0 && x+e.width() > width {
			x, row = 0, row+1
			if row == maxRows {
				e = LegendEntry{Text: fmt.Sprintf("and %d more", len(f.Legend)-i)}
			}
		}
		entries = append(entries, placed{e, x, row})
		if row == maxRows {
			break
		}
		x += e.width() + entryGap
	}
	return entries, min(row+1, len(entries))
}

// drawLegend draws the entries below each other's rows at the top of c, and
// returns the rest of c.
func (f *Figure) drawLegend(c draw.Canvas) draw.Canvas {
	entries, rows := f.layoutLegend(c.Max.X - c.Min.X)
	sty := labelStyle
	sty.YAlign = draw.YCenter
	for _, e := range entries {
		e.draw(c, vg.Point{X: c.Min.X + e.x, Y: c.Max.Y - rowHeight*(vg.Length(e.row)+0.5)}, sty)
	}
	c.Max.Y -= legendHeight(rows)
	return c
}

func legendHeight(rows int) vg.Length {
	if rows == 0 {
		return 0
	}
	return rowHeight*vg.Length(rows) + 8*px
}

// draw draws the entry with the middle of its left edge at the given point.
func (e *LegendEntry) draw(c draw.Canvas, at vg.Point, sty draw.TextStyle) {
	if e.Ramp != nil {
		c.FillText(sty, vg.Point{X: at.X, Y: at.Y + lift}, e.Text)
		x := at.X + sty.Width(e.Text) + keyGap
		const steps, half = 33, 5.5 * px
		for i := range steps {
			// Each step reaches under the next, so that no gap shows between them.
			left, right := x+rampWidth*vg.Length(i)/steps, x+rampWidth*min(vg.Length(i)+2, steps)/steps
			c.FillPolygon(e.Ramp(float64(i)/(steps-1)), rectangle(left, at.Y-half, right, at.Y+half))
		}
		c.FillText(sty, vg.Point{X: x + rampWidth + keyGap, Y: at.Y + lift}, e.RampEnd)
		return
	}
	if e.Fill != nil {
		c.FillPolygon(e.Fill, rectangle(at.X, at.Y-5.5*px, at.X+keyWidth, at.Y+5.5*px))
	}
	if e.Line.Width > 0 {
		c.StrokeLine2(e.Line, at.X, at.Y, at.X+keyWidth, at.Y)
	}
	if e.Marker.Shape != nil && e.Marker.Radius > 0 {
		e.Marker.Shape.DrawGlyph(&c, e.Marker, vg.Point{X: at.X + keyWidth/2, Y: at.Y})
	}
	c.FillText(sty, vg.Point{X: at.X + keyWidth + keyGap, Y: at.Y + lift}, e.Text)
}

// SameAxes draws charts of one kind with the same ranges on their axes, so that what they
// show can be compared:
//
//	nb.Show(viz.SameAxes(viz.QOverBelief{Run: one}, viz.QOverBelief{Run: other})...)
//
// The panels of the charts are compared in their order, as far as all have them. An axis with
// names in place of numbers keeps its range. With an error every chart returned has it: that of
// a chart that cannot be drawn, or one that says which charts are of different kinds, or have
// a logarithmic axis beside an even one. A *Figure may be of any kind, and stays as it is.
func SameAxes(charts ...Chart) []any {
	figures, err := sameKind(charts)
	if err != nil {
		return slices.Repeat([]any{undrawn{err}}, len(charts))
	}
	shared := 0 // panels that all have
	if len(figures) > 0 {
		shared = slices.Min(each(figures, func(f *Figure) int { return len(f.Panels) }))
	}
	for panel := range shared {
		x0, x1, y0, y1 := emptyRange()
		broken, foot := false, 0.0
		for _, f := range figures {
			p := f.Panels[panel]
			low := p.Y.Min
			if _, is := p.Y.Tick.Marker.(brokenTicks); is {
				_, low = zeroBand(p.Y.Min, p.Y.Max)
				broken = true
			}
			if panel == 0 {
				low = p.Y.Max - (p.Y.Max-low)/(1+f.foot)
				foot = max(foot, f.foot)
			}
			x0, x1, y0, y1 = min(x0, p.X.Min), max(x1, p.X.Max), min(y0, low), max(y1, p.Y.Max)
		}
		if broken {
			y0 = belowZeros(y0, y1)
		}
		y0 -= foot * (y1 - y0)
		for _, f := range figures {
			p := f.Panels[panel]
			if !named(p.X.Tick.Marker) {
				p.X.Min, p.X.Max = x0, x1
			}
			if !named(p.Y.Tick.Marker) {
				p.Y.Min, p.Y.Max = y0, y1
			}
		}
	}
	return each(figures, func(f *Figure) any { return f })
}

// sameKind returns copies of the figures of charts, or an error that says which have no common ranges.
func sameKind(charts []Chart) (figures []*Figure, err error) {
	first, kinds := -1, make([]reflect.Type, len(charts))
	for i, c := range charts {
		v := reflect.ValueOf(c)
		if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, fmt.Errorf("viz: SameAxes: chart %d is nil, want a chart", i)
		}
		f, err := c.Figure()
		if err != nil {
			return nil, err
		}
		figures = append(figures, f.copied())
		switch kinds[i] = reflect.Indirect(v).Type(); {
		case kinds[i] == reflect.TypeFor[Figure]():
		case first < 0:
			first = i
		case kinds[i] != kinds[first]:
			return nil, fmt.Errorf("viz: SameAxes: chart %d is a %v and chart %d a %v, want charts of one kind", first, kinds[first], i, kinds[i])
		}
		for k := range min(len(f.Panels), len(figures[0].Panels)) {
			p, q := figures[0].Panels[k], f.Panels[k]
			axis := "X"
			if isLog(p.X) == isLog(q.X) {
				axis = "Y"
			}
			if isLog(p.X) != isLog(q.X) || isLog(p.Y) != isLog(q.Y) {
				return nil, fmt.Errorf("viz: SameAxes: one of the %s axes of charts 0 and %d is logarithmic and the other one is not, want both or neither", axis, i)
			}
		}
	}
	return figures, nil
}

// isLog reports whether an axis is logarithmic.
func isLog(a plot.Axis) bool {
	_, log := a.Scale.(plot.LogScale)
	return log
}

// undrawn is a chart that cannot be drawn.
type undrawn struct{ err error }

func (u undrawn) Figure() (*Figure, error) { return nil, u.err }

// named reports whether an axis has names in place of numbers.
func named(t any) bool {
	switch t := t.(type) {
	case categoryTicks, plot.ConstantTicks:
		return true
	case roomyTicks:
		return named(t.Ticker)
	}
	return false
}

// setHeight gives the figure the usual height for its panels and legend.
func (f *Figure) setHeight() {
	panels := panelHeight
	if n := len(f.Panels); n > 1 {
		panels = vg.Length(n)*stackedHeight + 20*px
	}
	f.Height = panels + f.headHeight()
}
