package viz

import (
	"math"

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
	inner := g.panelArea()
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

// panelArea returns where the panels of a figure stand.
func (f *Figure) panelArea() draw.Canvas {
	c := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: f.Width, Y: f.Height}}}
	c = draw.Crop(c, marginLeft, -marginRight, marginBottom, -marginTop)
	c.Max.Y -= f.headHeight() - marginTop - marginBottom
	return c
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
		kept := make([]plot.Tick, len(ticks))
		labels, end, room := 0, vg.Length(math.Inf(-1)), true
		for i, k := range ticks {
			if kept[i] = k; k.IsMinor() {
				continue
			}
			if labels++; (labels-1)%every != 0 {
				kept[i].Label = ""
				continue
			}
			half := t.plot.X.Tick.Label.Width(k.Label) / 2
			at := vg.Length(t.plot.X.Norm(k.Value)) * t.width
			room = room && at-half >= end
			end = at + half + 5*px
		}
		if room {
			return kept
		}
	}
	return ticks
}
