package viz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"math"
	"strconv"
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
	chunk := []byte("pHYs")
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
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
	if err := errors.Join(c.err, c.doc.Output(&b)); err != nil {
		return nil, fmt.Errorf("viz: encode PDF: %w", err)
	}
	return b.Bytes(), nil
}

// pdfCanvas draws on a page. The canvas of gonum/plot for PDF knows the letters of western
// Europe only, so that it has neither φ nor ≤.
type pdfCanvas struct {
	doc           *fpdf.Fpdf
	width, height vg.Length
	page          float64 // height of the page in points
	state         pdfState
	stack         []pdfState
	fonts         map[string]bool // that the document has
	err           error
}

var _ vg.CanvasSizer = (*pdfCanvas)(nil)

// pdfState is what Push keeps.
type pdfState struct {
	at     [6]float64 // the matrix from the canvas to the page, as PDF writes it
	color  color.Color
	width  vg.Length
	dashes []vg.Length
	offset vg.Length
}

// pdfDate is the date of every document: one that tells the time of drawing would make
// the same figure different bytes.
var pdfDate = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func newPDFCanvas(width, height vg.Length, zoom float64) *pdfCanvas {
	size := fpdf.SizeType{Wd: zoom * width.Points(), Ht: zoom * height.Points()}
	c := &pdfCanvas{doc: fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: size}), width: width, height: height, page: size.Ht, fonts: make(map[string]bool)}
	c.state.at = [6]float64{zoom, 0, 0, zoom, 0, 0}
	c.doc.SetCatalogSort(true)
	c.doc.SetCreationDate(pdfDate)
	c.doc.SetModificationDate(pdfDate)
	c.doc.AddPage()
	vg.Initialize(c)
	return c
}

func (c *pdfCanvas) Size() (width, height vg.Length) { return c.width, c.height }

func (c *pdfCanvas) SetLineWidth(w vg.Length) { c.state.width = w }

func (c *pdfCanvas) SetLineDash(dashes []vg.Length, offset vg.Length) {
	c.state.dashes, c.state.offset = dashes, offset
}

func (c *pdfCanvas) SetColor(to color.Color) {
	if to == nil {
		to = color.Black
	}
	c.state.color = to
}

func (c *pdfCanvas) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	c.transform([6]float64{cos, sin, -sin, cos, 0, 0})
}

func (c *pdfCanvas) Translate(by vg.Point) {
	c.transform([6]float64{1, 0, 0, 1, by.X.Points(), by.Y.Points()})
}

func (c *pdfCanvas) Scale(x, y float64) { c.transform([6]float64{x, 0, 0, y, 0, 0}) }

// transform applies m before what was applied so far.
func (c *pdfCanvas) transform(m [6]float64) {
	t := c.state.at
	c.state.at = [6]float64{
		m[0]*t[0] + m[1]*t[2], m[0]*t[1] + m[1]*t[3],
		m[2]*t[0] + m[3]*t[2], m[2]*t[1] + m[3]*t[3],
		m[4]*t[0] + m[5]*t[2] + t[4], m[4]*t[1] + m[5]*t[3] + t[5],
	}
}

// zoom is how much longer a line is on the page.
func (c *pdfCanvas) zoom() float64 {
	t := c.state.at
	return math.Sqrt(math.Abs(t[0]*t[3] - t[1]*t[2]))
}

// on returns a point of the canvas on the page.
func (c *pdfCanvas) on(p vg.Point) (x, y float64) {
	t := c.state.at
	return p.X.Points()*t[0] + p.Y.Points()*t[2] + t[4], p.X.Points()*t[1] + p.Y.Points()*t[3] + t[5]
}

func (c *pdfCanvas) Push() { c.stack = append(c.stack, c.state) }

func (c *pdfCanvas) Pop() {
	c.state, c.stack = c.stack[len(c.stack)-1], c.stack[:len(c.stack)-1]
}

func (c *pdfCanvas) Stroke(path vg.Path) {
	if c.state.width <= 0 {
		return
	}
	zoom := c.zoom()
	dashes := make([]string, len(c.state.dashes))
	for i, d := range c.state.dashes {
		dashes[i] = pdfNumber(zoom * d.Points())
	}
	ops := fmt.Sprintf("%s w [%s] %s d\n", pdfNumber(zoom*c.state.width.Points()), strings.Join(dashes, " "), pdfNumber(zoom*c.state.offset.Points()))
	c.paint(ops + c.path(path) + "S")
}

func (c *pdfCanvas) Fill(path vg.Path) { c.paint(c.path(path) + "f") }

// paint writes operators that paint in the colour of the canvas.
func (c *pdfCanvas) paint(ops string) {
	c.colors()
	c.doc.RawWriteStr(ops)
}

// colors sets the colour and its opacity.
func (c *pdfCanvas) colors() {
	k := color.NRGBAModel.Convert(c.state.color).(color.NRGBA)
	c.doc.SetAlpha(float64(k.A)/255, "Normal")
	rgb := pdfNumber(float64(k.R)/255) + " " + pdfNumber(float64(k.G)/255) + " " + pdfNumber(float64(k.B)/255)
	c.doc.RawWriteStr(rgb + " rg " + rgb + " RG")
}

// path writes the operators of a path.
func (c *pdfCanvas) path(path vg.Path) string {
	var b strings.Builder
	op := func(name string, points ...vg.Point) {
		for _, p := range points {
			x, y := c.on(p)
			b.WriteString(pdfNumber(x) + " " + pdfNumber(y) + " ")
		}
		b.WriteString(name + "\n")
	}
	var last vg.Point
	for i, part := range path {
		switch part.Type {
		case vg.MoveComp:
			op("m", part.Pos)
		case vg.LineComp:
			op("l", part.Pos)
		case vg.CurveComp:
			from, to := part.Control[0], part.Control[len(part.Control)-1]
			if len(part.Control) == 1 { // of degree two: the same curve as one of degree three
				from, to = last.Add(from.Sub(last).Scale(2./3)), part.Pos.Add(from.Sub(part.Pos).Scale(2./3))
			}
			op("c", from, to, part.Pos)
		case vg.ArcComp:
			begin := "l"
			if i == 0 {
				begin = "m"
			}
			op(begin, onArc(part, part.Start))
			n := math.Ceil(math.Abs(part.Angle) / (math.Pi / 2)) // a curve is close to a quarter of a circle
			step := part.Angle / max(n, 1)
			reach := vg.Length(4./3*math.Tan(step/4)) * part.Radius
			for k := range int(n) {
				from := part.Start + float64(k)*step
				op("c", along(onArc(part, from), from, reach), along(onArc(part, from+step), from+step, -reach), onArc(part, from+step))
			}
			last = onArc(part, part.Start+part.Angle)
			continue
		case vg.CloseComp:
			op("h")
			continue
		}
		last = part.Pos
	}
	return b.String()
}

// onArc returns the point of an arc at an angle.
func onArc(arc vg.PathComp, angle float64) vg.Point {
	sin, cos := math.Sincos(angle)
	return arc.Pos.Add(vg.Point{X: arc.Radius * vg.Length(cos), Y: arc.Radius * vg.Length(sin)})
}

// along moves a point of an arc in the direction that the arc has there.
func along(p vg.Point, angle float64, by vg.Length) vg.Point {
	sin, cos := math.Sincos(angle)
	return p.Add(vg.Point{X: -by * vg.Length(sin), Y: by * vg.Length(cos)})
}

func (c *pdfCanvas) FillString(face font.Face, at vg.Point, text string) {
	if face.Font.Size == 0 {
		return
	}
	name := strings.NewReplacer(" ", "", "-", "").Replace(face.Name())
	if !c.fonts[name] {
		var b bytes.Buffer
		if _, err := face.Face.WriteSourceTo(nil, &b); err != nil {
			c.err = err
			return
		}
		c.doc.AddUTF8FontFromBytes(name, "", b.Bytes())
		c.fonts[name] = true
	}
	c.doc.SetFont(name, "", face.Font.Size.Points())
	c.colors()
	t := c.state.at
	// The library cannot number letters beyond 16 bits, which the font does not have either.
	text = strings.Map(func(r rune) rune {
		if r > 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, text)
	for _, run := range kerned(face, text) {
		x, y := c.on(at.Add(vg.Point{X: run.at}))
		c.doc.RawWriteStr(fmt.Sprintf("q %s %s %s %s %s %s cm", pdfNumber(t[0]), pdfNumber(t[1]), pdfNumber(t[2]), pdfNumber(t[3]), pdfNumber(x), pdfNumber(y)))
		c.doc.Text(0, c.page, run.text)
		c.doc.RawWriteStr("Q")
	}
}

func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) {
	c.err = errors.New("a figure with an image in it cannot be a PDF document")
}

// pdfNumber writes a number to a thousandth of a point.
func pdfNumber(x float64) string {
	return strconv.FormatFloat(math.Round(x*1000)/1000+0, 'f', -1, 64)
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
			glyph, err := face.Face.GlyphIndex(&buf, r)
			if err != nil {
				continue
			}
			on := func(p fixed.Point26_6) vg.Point { // glyphs have their Y axis downward
				return vg.Point{X: x + vg.Length(p.X)*unit, Y: at.Y - vg.Length(p.Y)*unit}
			}
			segments, err := face.Face.LoadGlyph(&buf, glyph, em, nil)
			if err != nil {
				continue
			}
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
	var at vg.Length
	last := ""
	for _, r := range line {
		letter := string(r)
		advance := face.Width(letter)
		if kern := face.Width(last+letter) - face.Width(last) - advance; last != "" && max(kern, -kern) > 1e-6*face.Font.Size {
			at += kern
			runs = append(runs, kernedRun{at: at})
		}
		runs[len(runs)-1].text += letter
		at += advance
		last = letter
	}
	return runs
}
