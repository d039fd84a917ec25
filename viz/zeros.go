package viz

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// zeros are counts of 0 on a logarithmic axis: markers in a band of their own, below a break
// of the axis and beside a 0.
type zeros struct {
	x      []float64
	series []int // whose style each has
}

func (m *zeros) add(series int, x []float64) {
	for _, at := range x {
		m.x, m.series = append(m.x, at), append(m.series, series)
	}
}

// below makes room for the band at the foot of a panel.
func (m zeros) below(p *plot.Plot) {
	p.Y.Min = belowZeros(p.Y.Min, p.Y.Max)
	p.X.Min, p.X.Max = slices.Min(append([]float64{p.X.Min}, m.x...)), slices.Max(append([]float64{p.X.Max}, m.x...))
	p.Y.Tick.Marker = brokenTicks{p.Y.Tick.Marker}
	p.Add(m)
}

// belowZeros is where an axis begins that goes on to hi above a break at edge: an eighth of
// the height above is for the band.
func belowZeros(edge, hi float64) float64 { return edge / math.Pow(hi/edge, 2./16) }

// zeroBand returns the middle of the band of an axis with a break, and its upper edge.
func zeroBand(lo, hi float64) (middle, edge float64) {
	step := math.Pow(hi/lo, 1./18)
	return lo * step, lo * step * step
}

// brokenTicks has a 0 below the break, and no other tick there.
type brokenTicks struct{ above plot.Ticker }

func (t brokenTicks) Ticks(lo, hi float64) []plot.Tick {
	middle, edge := zeroBand(lo, hi)
	return append([]plot.Tick{{Value: middle, Label: "0"}}, t.above.Ticks(edge, hi)...)
}

func (m zeros) Plot(c draw.Canvas, p *plot.Plot) {
	middle, top := zeroBand(p.Y.Min, p.Y.Max)
	edge := c.Y(p.Y.Norm(top))
	c.SetColor(gridGrey)
	c.Fill(vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: edge - px}, Max: vg.Point{X: c.Max.X, Y: edge + px}}.Path())
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
