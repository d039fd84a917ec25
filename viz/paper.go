package viz

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"math"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	// paperZoom makes the smallest text 7 points high in print.
	paperZoom = float64(7 * vg.Inch / 72 / tickSize)
	// paperDPI is the resolution of a PNG image for print.
	paperDPI = 600
	// Widths of a figure in print, in millimetres.
	minPaper, maxPaper = 60, 300
)

// Paper draws the figure as a journal prints it: width millimetres wide, without its title
// and subtitle, which the caption replaces, and with all text at 7 points or more; subscripts
// are smaller. A journal's column is about 84 mm wide, and a page of two columns 174 mm.
//
// The format is "pdf", with the fonts in the document; "svg", with text as outlines; or
// "png", with 600 pixels an inch. The result also is the height in millimetres. The same
// figure gives the same bytes.
func (f *Figure) Paper(format string, width float64) (data []byte, height float64, err error) {
	if !(width >= minPaper && width <= maxPaper) {
		return nil, 0, fmt.Errorf("viz: the width of figure %q on paper is %v mm, want %d to %d", f.Title, width, minPaper, maxPaper)
	}
	if err := f.check(); err != nil {
		return nil, 0, err
	}
	const inch = 25.4 // millimetres
	if least := math.Ceil(float64(f.least/vg.Inch) * paperZoom * inch); width < least {
		return nil, 0, fmt.Errorf("viz: the width of figure %q on paper is %v mm, want %v at least, for what stands side by side in it", f.Title, width, least)
	}
	bare := *f
	bare.Title, bare.Subtitle = "", ""
	bare.Height += bare.headHeight() - f.headHeight()
	g := bare.laidOut(vg.Length(width/paperZoom/inch) * vg.Inch)
	w, h := g.Size()
	height = float64(h) * width / float64(w)
	zoom := width / inch * 96 / float64(w)
	switch format {
	case "pdf":
		data, err = g.pdf(zoom)
	case "svg":
		data, err = g.svg(true, fmt.Sprintf("%.4gmm", width), fmt.Sprintf("%.4gmm", height))
	case "png":
		if data, err = g.PNG(zoom * paperDPI / 96); err == nil {
			data = withDPI(data, paperDPI)
		}
	default:
		err = fmt.Errorf("viz: the format of figure %q on paper is %q, want pdf, svg or png", f.Title, format)
	}
	return data, height, err
}

// withDPI adds the resolution to a PNG image, which gives it its size in print.
func withDPI(png []byte, dpi float64) []byte {
	const header = 33 // bytes of the signature and of the chunk IHDR, which is the first
	perMetre := uint32(math.Round(dpi / 0.0254))
	chunk := binary.BigEndian.AppendUint32([]byte("pHYs"), perMetre)
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = append(chunk, 1) // the unit is the metre
	out := binary.BigEndian.AppendUint32(bytes.Clone(png[:header]), uint32(len(chunk)-4))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, png[header:]...)
}

// PDF returns the figure as a PDF document of one page, of the size of f. The page holds
// its fonts, of which only the letters that it uses. The same figure gives the same bytes.
func (f *Figure) PDF() ([]byte, error) { return f.pdf(1) }

// pdf draws the figure on a page of zoom times its size.
func (f *Figure) pdf(zoom float64) ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	w, h := f.Size()
	c := newPDFCanvas(vg.Length(w)*px, vg.Length(h)*px, zoom)
	c.doc.SetTitle(f.Title, true)
	c.doc.SetSubject(f.Alt, true)
	f.Draw(draw.New(c))
	var b bytes.Buffer
	if err := c.doc.Output(&b); err != nil {
		return nil, fmt.Errorf("viz: encode PDF: %w", err)
	}
	return b.Bytes(), nil
}

// pdfCanvas draws on a page. The canvas of gonum/plot for PDF knows the letters of western
// Europe only, so that it has neither φ nor ≤.
type pdfCanvas struct {
	doc           *fpdf.Fpdf
	width, height vg.Length
	zoom          float64         // how much longer a line is on the page
	line          vg.Length       // the width of lines
	fonts         map[string]bool // that the document has
}

var _ vg.CanvasSizer = (*pdfCanvas)(nil)

// pdfDate is the date of every document: one that tells the time of drawing would make
// the same figure different bytes.
var pdfDate = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func newPDFCanvas(width, height vg.Length, zoom float64) *pdfCanvas {
	c := &pdfCanvas{width: width, height: height, zoom: zoom, fonts: make(map[string]bool)}
	c.doc = fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: c.points(width), Ht: c.points(height)}})
	c.doc.SetCatalogSort(true)
	c.doc.SetCreationDate(pdfDate)
	c.doc.SetModificationDate(pdfDate)
	c.doc.AddPage()
	vg.Initialize(c)
	return c
}

// points is a length on the page.
func (c *pdfCanvas) points(l vg.Length) float64 { return c.zoom * l.Points() }

// on returns a point of the canvas on the page, as the library counts: from the top.
func (c *pdfCanvas) on(p vg.Point) (x, y float64) { return c.points(p.X), c.points(c.height - p.Y) }

func (c *pdfCanvas) Size() (width, height vg.Length) { return c.width, c.height }

func (c *pdfCanvas) SetLineWidth(w vg.Length) {
	c.line = w
	c.doc.SetLineWidth(c.points(w))
}

func (c *pdfCanvas) SetLineDash(dashes []vg.Length, offset vg.Length) {
	c.doc.SetDashPattern(each(dashes, c.points), c.points(offset))
}

func (c *pdfCanvas) SetColor(to color.Color) {
	if to == nil {
		to = color.Black
	}
	k := color.NRGBAModel.Convert(to).(color.NRGBA)
	c.doc.SetAlpha(float64(k.A)/255, "Normal")
	for _, set := range []func(r, g, b int){c.doc.SetDrawColor, c.doc.SetFillColor, c.doc.SetTextColor} {
		set(int(k.R), int(k.G), int(k.B))
	}
}

// transform applies a matrix before what was applied so far. Those of PDF count from the bottom.
func (c *pdfCanvas) transform(a, b, d, e, x, y float64) {
	c.doc.RawWriteStr(fmt.Sprintf("%.6f %.6f %.6f %.6f %.3f %.3f cm", a, b, d, e, x, y))
}

func (c *pdfCanvas) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	c.transform(cos, sin, -sin, cos, 0, 0)
}

func (c *pdfCanvas) Translate(by vg.Point) { c.transform(1, 0, 0, 1, c.points(by.X), c.points(by.Y)) }

func (c *pdfCanvas) Scale(x, y float64) { c.transform(x, 0, 0, y, 0, 0) }

func (c *pdfCanvas) Push() { c.doc.TransformBegin() }

func (c *pdfCanvas) Pop() { c.doc.TransformEnd() }

func (c *pdfCanvas) Stroke(path vg.Path) {
	if c.line > 0 {
		c.paint(path, "D")
	}
}

func (c *pdfCanvas) Fill(path vg.Path) { c.paint(path, "F") }

func (c *pdfCanvas) paint(path vg.Path, how string) {
	for i, part := range path {
		x, y := c.on(part.Pos)
		switch part.Type {
		case vg.MoveComp:
			c.doc.MoveTo(x, y)
		case vg.LineComp:
			c.doc.LineTo(x, y)
		case vg.CurveComp:
			x0, y0 := c.on(part.Control[0])
			x1, y1 := c.on(part.Control[len(part.Control)-1])
			if len(part.Control) == 1 { // of degree two: the same curve as one of degree three
				lastX, lastY := c.doc.GetXY()
				x0, y0, x1, y1 = (lastX+2*x0)/3, (lastY+2*y0)/3, (x+2*x0)/3, (y+2*y0)/3
			}
			c.doc.CurveBezierCubicTo(x0, y0, x1, y1, x, y)
		case vg.ArcComp:
			const degrees = 180 / math.Pi
			r := c.points(part.Radius)
			if i == 0 {
				sin, cos := math.Sincos(part.Start)
				c.doc.MoveTo(x+r*cos, y-r*sin)
			}
			c.doc.ArcTo(x, y, r, r, 0, degrees*part.Start, degrees*(part.Start+part.Angle))
		case vg.CloseComp:
			c.doc.ClosePath()
		}
	}
	c.doc.DrawPath(how)
}

func (c *pdfCanvas) FillString(face font.Face, at vg.Point, text string) {
	if face.Font.Size == 0 {
		return
	}
	name := strings.NewReplacer(" ", "", "-", "").Replace(face.Name())
	if !c.fonts[name] {
		var b bytes.Buffer
		if _, err := face.Face.WriteSourceTo(nil, &b); err != nil {
			c.doc.SetError(err)
			return
		}
		c.doc.AddUTF8FontFromBytes(name, "", b.Bytes())
		c.fonts[name] = true
	}
	c.doc.SetFont(name, "", c.points(face.Font.Size))
	// The library cannot number letters beyond 16 bits, which the font does not have either.
	text = strings.Map(func(r rune) rune {
		if r > 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, text)
	for _, run := range kerned(face, text) {
		x, y := c.on(at.Add(vg.Point{X: run.at}))
		c.doc.Text(x, y, run.text)
	}
}

func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) {
	c.doc.SetErrorf("a figure with an image in it cannot be a PDF document")
}

// outlined is a canvas that draws the shapes of letters, so that they look the same where
// their font is missing.
type outlined struct{ vg.Canvas }

func (c outlined) FillString(face font.Face, at vg.Point, text string) {
	var buf sfnt.Buffer
	em := fixed.Int26_6(face.Face.UnitsPerEm())
	unit := face.Font.Size / vg.Length(em)
	var path vg.Path
	for _, run := range kerned(face, text) {
		x := at.X + run.at
		for _, r := range run.text {
			on := func(p fixed.Point26_6) vg.Point { // glyphs have their Y axis downward
				return vg.Point{X: x + vg.Length(p.X)*unit, Y: at.Y - vg.Length(p.Y)*unit}
			}
			glyph, _ := face.Face.GlyphIndex(&buf, r) // the fonts of figures can be read
			segments, _ := face.Face.LoadGlyph(&buf, glyph, em, nil)
			for _, s := range segments {
				switch s.Op {
				case sfnt.SegmentOpMoveTo:
					path.Move(on(s.Args[0]))
				case sfnt.SegmentOpLineTo:
					path.Line(on(s.Args[0]))
				case sfnt.SegmentOpQuadTo:
					path.QuadTo(on(s.Args[0]), on(s.Args[1]))
				case sfnt.SegmentOpCubeTo:
					path.CubeTo(on(s.Args[0]), on(s.Args[1]), on(s.Args[2]))
				}
			}
			x += face.Width(string(r))
		}
	}
	if len(path) > 0 {
		c.Fill(path)
	}
}

// kernedRun is a part of a line without kerning, at a distance from its beginning.
type kernedRun struct {
	text string
	at   vg.Length
}

// kerned cuts a line where its font moves two letters closer or farther apart, as
// font.Face.Width counts it.
func kerned(face font.Face, line string) []kernedRun {
	runs := []kernedRun{{}}
	for i, r := range line {
		last := &runs[len(runs)-1]
		at := face.Width(line[:i]+string(r)) - face.Width(string(r))
		if kern := at - last.at - face.Width(last.text); max(kern, -kern) > 1e-6*face.Font.Size {
			runs = append(runs, kernedRun{at: at})
			last = &runs[len(runs)-1]
		}
		last.text += string(r)
	}
	return runs
}
