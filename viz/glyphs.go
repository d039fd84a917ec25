package viz

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The markers have about the same area, so that none looks more important.
type (
	disc     struct{}
	ring     struct{}
	square   struct{}
	diamond  struct{}
	triangle struct{ up bool }
	cross    struct{}
)

func (disc) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	c.SetColor(s.Color)
	c.Fill(circle(at, s.Radius))
}

func (ring) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: s.Color, Width: 0.4 * s.Radius})
	c.Stroke(circle(at, 0.9*s.Radius))
}

func (square) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	polygon(c, s, at, 4, math.Pi/4, 1.22)
}

func (diamond) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	polygon(c, s, at, 4, 0, 1.3)
}

func (t triangle) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	turn := -math.Pi / 2
	if t.up {
		turn = math.Pi / 2
	}
	polygon(c, s, at, 3, turn, 1.4)
}

func (cross) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: s.Color, Width: 0.45 * s.Radius})
	r := 0.85 * s.Radius
	var p vg.Path
	p.Move(vg.Point{X: at.X - r, Y: at.Y - r})
	p.Line(vg.Point{X: at.X + r, Y: at.Y + r})
	p.Move(vg.Point{X: at.X - r, Y: at.Y + r})
	p.Line(vg.Point{X: at.X + r, Y: at.Y - r})
	c.Stroke(p)
}

func circle(at vg.Point, radius vg.Length) vg.Path {
	var p vg.Path
	p.Move(vg.Point{X: at.X + radius, Y: at.Y})
	p.Arc(at, radius, 0, 2*math.Pi)
	p.Close()
	return p
}

// polygon fills a regular polygon with a corner at the angle turn.
func polygon(c *draw.Canvas, s draw.GlyphStyle, at vg.Point, corners int, turn, size float64) {
	r := size * float64(s.Radius)
	var p vg.Path
	for i := range corners {
		sin, cos := math.Sincos(turn + 2*math.Pi*float64(i)/float64(corners))
		q := vg.Point{X: at.X + vg.Length(r*cos), Y: at.Y + vg.Length(r*sin)}
		if i == 0 {
			p.Move(q)
		} else {
			p.Line(q)
		}
	}
	p.Close()
	c.SetColor(s.Color)
	c.Fill(p)
}
