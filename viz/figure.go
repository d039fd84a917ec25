// Package viz draws the figures of the toolkit: values in, a *Figure out.
//
// Every kind of figure is a struct whose exported fields are what it shows,
// with useful zero values, and whose method Figure checks them and lays the
// figure out:
//
//	fig, err := viz.QOverBelief{Run: run}.Figure()
//
// All figures share one style: a palette for every kind of colour vision,
// markers and dashes that survive a grey print, a legend outside the data, an
// opaque white ground for dark notebooks, and a description in words.
package viz

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Chart is anything that can be drawn: a *Figure, or one of the structs that
// describe one, such as QOverBelief. The error of Figure says which value
// cannot be drawn and what would be right.
type Chart interface {
	Figure() (*Figure, error)
}

// Figure is a drawing with its size and its description in words. The panels
// are ordinary plots and may be changed before the figure is drawn. A Figure
// is drawn by one goroutine at a time.
type Figure struct {
	Title, Subtitle string
	// Panels stand below each other, aligned. At least one.
	Panels []*plot.Plot
	// Legend stands between the titles and the panels.
	Legend []LegendEntry
	// Width and Height are the size on paper; 96 CSS pixels are an inch.
	Width, Height vg.Length
	// Alt says what the figure shows, with its main numbers, for those who do
	// not see it.
	Alt string
	// EqualScale gives the X and Y axes of every panel the same unit length.
	EqualScale bool

	least vg.Length // width that the panels need
	foot  float64   // room below the data of the first panel, as a share of their height
}

// Figure returns f, which makes a finished figure a Chart.
func (f *Figure) Figure() (*Figure, error) { return f, nil }

// note appends what a reader has to know of the drawing to the subtitle, if it is so.
func (f *Figure) note(so bool, text string) {
	if !so {
		return
	}
	if f.Subtitle = words(f.Subtitle, maxWords); f.Subtitle != "" {
		text = f.Subtitle + "; " + text
	}
	f.Subtitle = text
}

// crowd is a number of samples that are too many for each to have a marker.
const crowd = 100_000

// noteMarkers says what a figure draws of n samples, where they are too many.
func (f *Figure) noteMarkers(n int) {
	f.note(n > crowd, "of samples close together one is drawn")
}

// maxPixels bounds a PNG: 50 megapixels are 200 MB while being drawn.
const maxPixels = 50e6

// Size returns the size in CSS pixels.
func (f *Figure) Size() (width, height int) {
	return int(math.Round(float64(f.Width / px))), int(math.Round(float64(f.Height / px)))
}

// PNG returns the figure as a PNG image of scale times Size. 2 is sharp on
// most screens. The same figure gives the same bytes.
func (f *Figure) PNG(scale float64) ([]byte, error) {
	img, err := f.Image(scale)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, img); err != nil {
		return nil, fmt.Errorf("viz: encode PNG: %w", err)
	}
	return b.Bytes(), nil
}

// Image draws the figure, opaque, at scale times Size.
func (f *Figure) Image(scale float64) (image.Image, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	w, h := f.Size()
	pixels := float64(w) * float64(h) * scale * scale
	dpi := math.Round(96 * scale)
	if !(dpi >= 1) || !(pixels <= maxPixels) {
		return nil, fmt.Errorf("viz: PNG scale is %v for a figure of %d × %d pixels, want a positive number that keeps the image below %g pixels", scale, w, h, float64(maxPixels))
	}
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(w)*px, vg.Length(h)*px), vgimg.UseDPI(int(dpi)))
	f.Draw(draw.New(c))
	return c.Image(), nil
}

// SVG returns the figure as an SVG element of the size of f. Its text asks for
// Liberation Sans, Arial or Helvetica, which share one set of widths. The
// description is its accessible name.
func (f *Figure) SVG() ([]byte, error) {
	w, h := f.Size()
	return f.svg(false, strconv.Itoa(w), strconv.Itoa(h))
}

// svg draws the figure as an SVG element with the given width and height. With outlines
// its text is the shapes of the letters, and it is a file of its own.
func (f *Figure) svg(outlines bool, width, height string) ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	w, h := f.Size()
	c := vgsvg.New(vg.Length(w)*px, vg.Length(h)*px)
	on := draw.New(c)
	if outlines {
		on.Canvas = outlined{c}
	}
	f.Draw(on)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("viz: encode SVG: %w", err)
	}
	s := b.String()
	// The element starts again at its viewBox: the prologue before it is not
	// allowed inside a page, and its size is in points, which some viewers do
	// not read.
	_, s, _ = strings.Cut(s, " viewBox=")
	s = fmt.Sprintf(`<svg role="img" aria-label="%s" width="%s" height="%s" viewBox=`, html.EscapeString(f.Alt), width, height) + s
	s = strings.ReplaceAll(s, "font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")
	return []byte(s), nil
}

// check returns an error where f cannot be drawn.
func (f *Figure) check() error {
	check := checks{where: fmt.Sprintf("viz: figure %q", f.Title)}
	w, h := f.Size()
	check.want(len(f.Panels) > 0, " has no panel, want at least one")
	check.want(w >= 120 && h >= 100 && w <= 10000 && h <= 10000, " is %d × %d pixels, want 120 × 100 to 10000 × 10000", w, h)
	for i, p := range f.Panels {
		if check.want(p != nil, " has a panel %d that is nil, want a plot", i) {
			check.want(!slices.ContainsFunc([]float64{p.X.Min, p.X.Max, p.Y.Min, p.Y.Max}, math.IsNaN), ": an axis of panel %d has an end that is not a number", i)
		}
	}
	return check.err
}

// Draw draws the figure on the whole of c.
func (f *Figure) Draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, marginLeft, -marginRight, marginBottom, -marginTop)
	c = f.drawTitles(c)
	c = f.drawLegend(c)

	for _, cell := range f.cells(c) {
		p, at := cell.plot, cell.canvas
		if f.EqualScale {
			at = equalScale(p, at)
		}
		p.Draw(at)
		if from := f.Panels[cell.panel]; logLabel(from) {
			sty := from.Y.Label.TextStyle
			sty.Rotation += math.Pi / 2
			sty.YAlign = draw.YTop
			data := p.DataCanvas(at)
			c.FillText(sty, vg.Point{X: c.Min.X, Y: data.Center().Y}, from.Y.Label.Text)
		}
	}
}

// cell is a panel and its place: the plot is the panel without the label that Draw draws.
type cell struct {
	plot   *plot.Plot
	canvas draw.Canvas
	panel  int
}

// cells places the panels on c, below one another and aligned.
func (f *Figure) cells(c draw.Canvas) []cell {
	rows := make([][]*plot.Plot, len(f.Panels))
	side := vg.Length(0)
	for i, p := range f.Panels {
		if logLabel(p) {
			side = max(side, labelStyle.FontExtents().Height+p.Y.Label.Padding)
			bare := *p
			bare.Y.Label.Text = ""
			p = &bare
		}
		rows[i] = []*plot.Plot{p}
	}
	tiles := draw.Tiles{Rows: len(rows), Cols: 1, PadY: 10 * px}
	cells := make([]cell, len(rows))
	for i, row := range plot.Align(rows, tiles, draw.Crop(c, side, 0, 0, 0)) {
		cells[i] = cell{rows[i][0], row[0], i}
	}
	return cells
}

// logLabel reports whether p has a label at a logarithmic Y axis. The library
// reserves space for it around the arithmetic mean of the axis, which is near the
// top, and leaves the panel less.
func logLabel(p *plot.Plot) bool { return isLog(p.Y) && p.Y.Label.Text != "" }

// drawTitles draws the title and the subtitle and returns the rest of c.
func (f *Figure) drawTitles(c draw.Canvas) draw.Canvas {
	for _, line := range f.titleLines() {
		sty := line.style
		sty.YAlign = draw.YTop
		c.FillText(sty, vg.Point{X: c.Min.X, Y: c.Max.Y}, line.text)
		c.Max.Y -= line.height()
	}
	c.Max.Y -= titleGap
	return c
}

// titleGap is the space below the titles.
const titleGap = 5 * px

// titleLine is a line of text above the panels.
type titleLine struct {
	text  string
	style draw.TextStyle
}

func (l titleLine) height() vg.Length { return l.style.FontExtents().Height + 2*px }

// titleLines are the title and the subtitle, each on up to two lines.
func (f *Figure) titleLines() (lines []titleLine) {
	for _, l := range []titleLine{{f.Title, titleStyle}, {f.Subtitle, subtitleStyle}} {
		for _, text := range wrap(words(l.text, maxWords), l.style, f.Width-marginLeft-marginRight, 2) {
			lines = append(lines, titleLine{text, l.style})
		}
	}
	return lines
}

// headHeight is the height of all that surrounds the panels.
func (f *Figure) headHeight() vg.Length {
	_, rows := f.layoutLegend(f.Width - marginLeft - marginRight)
	h := marginTop + marginBottom + titleGap + legendHeight(rows)
	for _, l := range f.titleLines() {
		h += l.height()
	}
	return h
}

// equalScale shrinks c to its upper left until a unit is as long on the X axis
// of p as on its Y axis.
func equalScale(p *plot.Plot, c draw.Canvas) draw.Canvas {
	data := p.DataCanvas(c)
	w, h := data.Max.X-data.Min.X, data.Max.Y-data.Min.Y
	unit := min(w/vg.Length(p.X.Max-p.X.Min), h/vg.Length(p.Y.Max-p.Y.Min))
	dx, dy := w-unit*vg.Length(p.X.Max-p.X.Min), h-unit*vg.Length(p.Y.Max-p.Y.Min)
	return draw.Crop(c, 0, -dx, dy, 0)
}

// checks finds the first of a figure's values that cannot be drawn. What comes after it is not
// looked at, as it may mean nothing.
type checks struct {
	where string // begins the error
	part  string // such as a row, behind where
	err   error
}

// checksOf begins the checks of a figure with a title.
func checksOf(figure, title string) *checks {
	return &checks{where: fmt.Sprintf("viz: %s %q", figure, words(title, 40))}
}

// want notes an error unless all is well: format says, behind the name of the figure, what is there
// and what should be. It reports whether all has been well so far.
func (c *checks) want(well bool, format string, args ...any) bool {
	if c.err == nil && !well {
		c.err = fmt.Errorf("%s%s%s", c.where, c.part, fmt.Sprintf(format, args...))
	}
	return c.err == nil
}

// count wants at least one of a kind, and most at most.
func (c *checks) count(n int, kind string, most int) bool {
	return c.want(n > 0 && n <= most, " has %d %s, want 1 to %d", n, kind, most)
}

// column is a named slice of a figure's data.
type column struct {
	name     string
	values   []float64
	positive bool // as on a log axis
}

// columns wants all columns to be as long as the first one, of finite numbers that can be drawn.
func (c *checks) columns(columns ...column) bool {
	for _, x := range columns {
		if n := len(columns[0].values); !c.want(len(x.values) == n, ": %s has %d values and %s has %d, want the same number", columns[0].name, n, x.name, len(x.values)) {
			break
		}
		for i, v := range x.values {
			switch {
			// The bounds keep differences and powers of values finite.
			case !(math.Abs(v) <= 1e300):
				c.want(false, ": %s[%d] is %v, want a finite number of size 1e300 at most", x.name, i, v)
			case x.positive && !(v >= 1e-200 && v <= 1e200):
				c.want(false, ": %s[%d] is %v, want a positive number on a log axis, from 1e-200 to 1e200", x.name, i, v)
			}
		}
	}
	return c.err == nil
}

// numbers wants finite numbers that can be drawn.
func (c *checks) numbers(name string, values ...float64) bool {
	return c.columns(column{name, values, false})
}

// beliefs wants probabilities, up to rounding.
func (c *checks) beliefs(values []float64) bool {
	for i, b := range values {
		c.want(b >= -1e-9 && b <= 1+1e-9, ": Belief[%d] is %v, want a probability in [0, 1]", i, b)
	}
	return c.err == nil
}

// maxPathPoints is far more than a room shows apart.
const maxPathPoints = 20_000
