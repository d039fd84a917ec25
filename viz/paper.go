package viz

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"gonum.org/v1/plot"
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
	g := f.laidOut(vg.Length(width/paperZoom/inch) * vg.Inch)
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

// laidOut returns a copy of f of another width, without titles.
func (f *Figure) laidOut(width vg.Length) *Figure {
	g := *f
	panels := f.Height - f.headHeight()
	if f.EqualScale { // more than they need; the rest is cut off below
		panels = panels*max(1, width/f.Width) + 80*px
	}
	g.Title, g.Subtitle, g.Width = "", "", width
	g.Height = panels + g.headHeight()
	g.Panels = make([]*plot.Plot, len(f.Panels))
	for i, p := range f.Panels {
		q := *p
		g.Panels[i] = &q
	}
	inner := g.panelArea()
	for _, cell := range g.cells(inner) {
		data := cell.plot.DataCanvas(cell.canvas)
		p := g.Panels[cell.panel]
		p.X.Label.Text = fit(p.X.Label.Text, p.X.Label.TextStyle, inner.Max.X-inner.Min.X)
		p.Y.Label.Text = fit(p.Y.Label.Text, p.Y.Label.TextStyle, cell.canvas.Max.Y-cell.canvas.Min.Y)
		p.X.Tick.Marker = roomyTicks{p.X.Tick.Marker, p, data.Max.X - data.Min.X}
	}
	if f.EqualScale {
		spare := vg.Length(math.Inf(1))
		for _, cell := range g.cells(inner) {
			spare = min(spare, equalScale(cell.plot, cell.canvas).Min.Y-cell.canvas.Min.Y)
		}
		g.Height -= spare * vg.Length(len(f.Panels))
	}
	return &g
}

// panelArea returns where the panels of a figure without titles stand.
func (f *Figure) panelArea() draw.Canvas {
	c := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: f.Width, Y: f.Height}}}
	c = draw.Crop(c, marginLeft, -marginRight, marginBottom, -marginTop)
	_, rows := f.layoutLegend(c.Max.X - c.Min.X)
	c.Max.Y -= titleGap + legendHeight(rows)
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
