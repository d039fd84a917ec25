package viz

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"gonum.org/v1/plot/vg"
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
