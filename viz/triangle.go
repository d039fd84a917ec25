package viz

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"bayescpace/bcpace"
)

// triangleHeight is that of the triangle with sides of length 1: the first
// latent's corner is (0, 0), the second's on top, the third's (1, 0).
var triangleHeight = math.Sqrt(3) / 2

// onTriangle returns where a belief lies in the triangle.
func onTriangle(b bcpace.Belief) (x, y float64) { return b[2] + b[1]/2, b[1] * triangleHeight }

// beliefAt returns the belief at a share of the way from the left to the right
// side, at height belief in the second latent.
func beliefAt(second, share float64) bcpace.Belief {
	return bcpace.Belief{(1 - second) * (1 - share), second, (1 - second) * share}
}

// trianglePoints are the places of beliefs.
func trianglePoints(beliefs ...bcpace.Belief) (x, y []float64) {
	for _, b := range beliefs {
		bx, by := onTriangle(b)
		x, y = append(x, bx), append(y, by)
	}
	return x, y
}

// newTriangle returns an empty panel for a triangle, with room above it for the name of a corner
// and below it for those of two.
func newTriangle(below, above float64) *plot.Plot {
	p := newBarePanel("", "")
	p.HideAxes()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.02, 1.02, -below, triangleHeight+above
	return p
}

// setTriangleHeight gives the figure the height at which its triangle is as wide as the page allows.
func (f *Figure) setTriangleHeight() {
	p := f.Panels[0]
	f.Height = (f.Width-marginLeft-marginRight)*vg.Length((p.Y.Max-p.Y.Min)/(p.X.Max-p.X.Min)) + f.headHeight()
}

// gridStyle is that of the lines of equal belief, which cross all fills.
var gridStyle = draw.LineStyle{Color: color.NRGBA{0x66, 0x66, 0x66, 0x60}, Width: 0.8 * px}

// triangleGrid draws the sides of the triangle and the lines on which the belief
// in a latent is 0.2, 0.4, 0.6 and 0.8.
type triangleGrid struct{}

func (triangleGrid) Plot(c draw.Canvas, p *plot.Plot) {
	line := func(style draw.LineStyle, a, b bcpace.Belief) {
		x, y := trianglePoints(a, b)
		q := project(c, p, x, y)
		c.StrokeLine2(style, q[0].X, q[0].Y, q[1].X, q[1].Y)
	}
	for k := range 3 {
		i, j := (k+1)%3, (k+2)%3
		for step := range 5 {
			a, b := make(bcpace.Belief, 3), make(bcpace.Belief, 3)
			a[k], b[k] = float64(step)/5, float64(step)/5
			a[i], b[j] = 1-a[k], 1-b[k]
			style := gridStyle
			if step == 0 {
				style = draw.LineStyle{Color: muted, Width: 1.4 * px}
			}
			line(style, a, b)
		}
	}
}

// corners names the latents at the corners.
type corners []string

func (m corners) Plot(c draw.Canvas, p *plot.Plot) {
	for k := range m {
		b := make(bcpace.Belief, 3)
		b[k] = 1
		x, y := trianglePoints(b)
		q := project(c, p, x, y)[0]
		sty := labelStyle
		sty.XAlign, sty.YAlign = []draw.XAlignment{draw.XLeft, draw.XCenter, draw.XRight}[k], draw.YTop
		q.Y -= 6 * px
		if k == 1 {
			sty.YAlign = draw.YBottom
			q.Y += 12 * px
		}
		c.FillText(sty, q, fit(latentName(m, k), labelStyle, 220*px))
	}
}
