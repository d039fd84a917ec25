package viz

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// zeros are counts of 0 on a logarithmic axis: markers in a band of their own, below a break
// of the axis and beside a 0.
type zeros struct {
	x      []float64
	series []int // whose style each has
	at     float64
	edge   float64 // of the band
}

func (m *zeros) add(series int, x []float64) {
	for _, at := range x {
		m.x, m.series = append(m.x, at), append(m.series, series)
	}
}

// below makes room for the band at the foot of a panel.
func (m zeros) below(p *plot.Plot) {
	// The break is where the panel has begun; an eighth of the height is for the band.
	m.edge = p.Y.Min
	step := math.Pow(p.Y.Max/p.Y.Min, 1./16)
	m.at, p.Y.Min = m.edge/step, m.edge/(step*step)
	p.X.Min, p.X.Max = min(p.X.Min, least(m.x)), max(p.X.Max, largest(m.x))
	p.Y.Tick.Marker = brokenTicks{p.Y.Tick.Marker, m}
	p.Add(m)
}

func least(list []float64) float64 {
	lo := math.Inf(1)
	for _, x := range list {
		lo = min(lo, x)
	}
	return lo
}

// brokenTicks has a 0 below the break, and no other tick there.
type brokenTicks struct {
	above plot.Ticker
	zeros zeros
}

func (t brokenTicks) Ticks(_, hi float64) []plot.Tick {
	return append([]plot.Tick{{Value: t.zeros.at, Label: "0"}}, t.above.Ticks(t.zeros.edge, hi)...)
}

func (m zeros) Plot(c draw.Canvas, p *plot.Plot) {
	edge := c.Y(p.Y.Norm(m.edge))
	c.SetColor(gridGrey)
	c.Fill(vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: edge - px}, Max: vg.Point{X: c.Max.X, Y: edge + px}}.Path())
	// The axis is broken: a gap between two slanted strokes.
	c.FillPolygon(white, []vg.Point{{X: c.Min.X - 5*px, Y: edge - 4*px}, {X: c.Min.X + 4*px, Y: edge - px}, {X: c.Min.X + 4*px, Y: edge + 4*px}, {X: c.Min.X - 5*px, Y: edge + px}})
	for _, by := range []vg.Length{-2.5 * px, 2.5 * px} {
		c.StrokeLine2(draw.LineStyle{Color: muted, Width: px}, c.Min.X-5*px, edge+by-1.5*px, c.Min.X+4*px, edge+by+1.5*px)
	}
	var markers abreast
	for i, x := range m.x {
		markers = append(markers, points{x: []float64{x}, y: []float64{m.at}, style: styleOf(m.series[i]).marker(3.6 * px)})
	}
	markers.Plot(c, p)
}
