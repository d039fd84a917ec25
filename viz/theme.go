package viz

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// px is the length of a CSS pixel, 1/96 of an inch.
const px = vg.Inch / 96

// Sizes of the parts of a figure.
const (
	defaultWidth  = 640 * px
	pageWidth     = 836 * px // at most: a page of 800 pixels then shows the smallest text 11 pixels high
	panelHeight   = 300 * px // of a figure with one panel, without title and legend
	stackedHeight = 175 * px // of each panel of a figure with several

	marginLeft, marginRight = 12 * px, 18 * px
	marginTop, marginBottom = 12 * px, 10 * px

	titleSize, labelSize, tickSize = 15 * px, 12.5 * px, 11.5 * px
)

// The colours of Okabe and Ito, which people with any kind of colour vision
// tell apart, without the yellow, which a white page swallows.
var (
	blue      = color.NRGBA{0x00, 0x72, 0xB2, 0xFF}
	vermilion = color.NRGBA{0xD5, 0x5E, 0x00, 0xFF}
	green     = color.NRGBA{0x00, 0x9E, 0x73, 0xFF}
	purple    = color.NRGBA{0xCC, 0x79, 0xA7, 0xFF}
	orange    = color.NRGBA{0xE6, 0x9F, 0x00, 0xFF}
	sky       = color.NRGBA{0x56, 0xB4, 0xE9, 0xFF}

	white    = color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}
	ink      = color.NRGBA{0x22, 0x22, 0x22, 0xFF} // text
	muted    = color.NRGBA{0x66, 0x66, 0x66, 0xFF} // axes and second lines of text
	gridGrey = color.NRGBA{0xE4, 0xE4, 0xE4, 0xFF}

	leaderGrey = color.NRGBA{0xBB, 0xBB, 0xBB, 0xFF} // lines from a name to its place
)

// series is how the i-th of several things is drawn: colour, marker and dashes
// all differ, so that a grey print still tells them apart.
type series struct {
	color  color.NRGBA
	glyph  draw.GlyphDrawer
	dashes []vg.Length
}

// styles are as many as can be told apart.
var styles = []series{
	{blue, disc{}, nil},
	{vermilion, triangleUp, []vg.Length{7 * px, 3 * px}},
	{green, square, []vg.Length{2 * px, 2.5 * px}},
	{purple, diamond, []vg.Length{9 * px, 3 * px, 2 * px, 3 * px}},
	{orange, triangleDown, []vg.Length{12 * px, 4 * px}},
	{sky, ring{}, []vg.Length{5 * px, 2 * px, 1.5 * px, 2 * px, 1.5 * px, 2 * px}},
	{ink, cross{}, []vg.Length{4 * px, 4 * px}},
}

// styleOf returns the style of the i-th series, round again after the last.
func styleOf(i int) series { return styles[i%len(styles)] }

func (s series) line(width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: s.color, Width: width, Dashes: s.dashes}
}

func (s series) solid(width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: s.color, Width: width}
}

// ground is the style of a line that another one is drawn on: wide and pale.
func (s series) ground() draw.LineStyle { return draw.LineStyle{Color: pale(s.color), Width: 6.5 * px} }

func (s series) marker(radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.color, Radius: radius, Shape: s.glyph}
}

// faded returns c with the given opacity in [0, 1].
func faded(c color.NRGBA, opacity float64) color.NRGBA {
	c.A = uint8(math.Round(255 * opacity))
	return c
}

// textStyle returns the style of plain text of one size and colour.
func textStyle(size vg.Length, c color.Color, bold bool) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = 3 // x/image/font.WeightBold
	}
	return text.Style{Color: c, Font: f, Handler: typesetter{text.Plain{Fonts: font.DefaultCache}}}
}

var (
	titleStyle    = textStyle(titleSize, ink, true)
	subtitleStyle = textStyle(labelSize, muted, false)
	labelStyle    = textStyle(labelSize, ink, false)
	tickStyle     = textStyle(tickSize, muted, false)
)

// gridLine is the style of the light lines at the labelled ticks.
var gridLine = draw.LineStyle{Color: gridGrey, Width: px}

// newPanel returns an empty plot with a grid in the house style.
func newPanel(xLabel, yLabel string) *plot.Plot {
	p := newBarePanel(xLabel, yLabel)
	p.Add(&plotter.Grid{Vertical: gridLine, Horizontal: gridLine})
	return p
}

// newBarePanel returns an empty plot in the house style.
func newBarePanel(xLabel, yLabel string) *plot.Plot {
	p := plot.New()
	// The figure paints the one white background: a panel's own would cover
	// the text of its neighbours.
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Width, a.Padding = muted, px, 0
		a.Tick.Color, a.Tick.Width, a.Tick.Length = muted, px, 4*px
		a.Tick.Marker = niceTicks{}
		a.Tick.Label.Color, a.Tick.Label.Font, a.Tick.Label.Handler = tickStyle.Color, tickStyle.Font, tickStyle.Handler
		a.Label.TextStyle = labelStyle
		a.Label.TextStyle.XAlign = draw.XCenter
		a.Label.Padding = 5 * px
	}
	// The axes may be that short beside names in the margins.
	p.X.Label.Text = fit(words(xLabel, maxWords), labelStyle, 380*px)
	p.Y.Label.Text = fit(words(yLabel, maxWords), labelStyle, 240*px)
	return p
}

// mixed is the opaque colour at a share of the way from one colour to another.
func mixed(from, to color.NRGBA, share float64) color.NRGBA {
	mix := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + share*(float64(y)-float64(x)))) }
	return color.NRGBA{mix(from.R, to.R), mix(from.G, to.G), mix(from.B, to.B), 0xFF}
}

// pale is the opaque fill in a tone of c on which its markers stand out.
func pale(c color.NRGBA) color.NRGBA { return lighter(c, 38) }

// lighter is the opaque colour of so many percent of c on white.
func lighter(c color.NRGBA, percent int) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8(0xFF - (0xFF-int(v))*percent/100) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 0xFF}
}

// The markers have about the same area, so that none looks more important.
type (
	disc  struct{}
	ring  struct{}
	cross struct{}
	// regular is a regular polygon with a corner at the angle turn, of size times the radius.
	regular struct {
		corners    int
		turn, size float64
	}
)

var square, diamond = regular{4, math.Pi / 4, 1.22}, regular{4, 0, 1.3}
var triangleUp, triangleDown = regular{3, math.Pi / 2, 1.4}, regular{3, -math.Pi / 2, 1.4}

func (disc) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	c.SetColor(s.Color)
	c.Fill(circle(at, s.Radius))
}

func (ring) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: s.Color, Width: 0.4 * s.Radius})
	c.Stroke(circle(at, 0.9*s.Radius))
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

func (g regular) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	r := g.size * float64(s.Radius)
	corners := make([]vg.Point, g.corners)
	for i := range corners {
		sin, cos := math.Sincos(g.turn + 2*math.Pi*float64(i)/float64(g.corners))
		corners[i] = vg.Point{X: at.X + vg.Length(r*cos), Y: at.Y + vg.Length(r*sin)}
	}
	c.FillPolygon(s.Color, corners)
}

// knownColor is the colour of a share of known actions, from light grey to blue.
func knownColor(share float64) color.Color {
	from, to := color.NRGBA{0xF4, 0xF4, 0xF4, 0xFF}, color.NRGBA{0x4A, 0x96, 0xC6, 0xFF}
	return mixed(from, to, share)
}
