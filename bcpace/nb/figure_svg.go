package nb

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
)

// A PNG image of figures carries the same figures as SVG, in a compressed text chunk
// with the keyword SVG: JupyterLab and exported pages have a button that saves it,
// and everything else shows the image as any other. An output of its own for it would
// be shown in place of the image by some and as an empty line by others.
const (
	svgKeyword = "SVG"
	maxSVG     = 256 << 10 // bytes; a figure of more, of a hundred thousand marks, has none
)

// vector is a figure that can be drawn as SVG, an element with a width and a height,
// as *viz.Figure can.
type vector interface{ SVG() ([]byte, error) }

// svgOf returns figures at their places as one SVG image, or nil where one of them
// cannot be drawn so.
func svgOf(fs []Drawable, places []image.Point, width, height int) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d">`, width, height)
	for i, f := range fs {
		v, ok := f.(vector)
		if !ok {
			return nil, nil
		}
		s, err := v.SVG()
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "\n"+`<g transform="translate(%d,%d)">%s</g>`, places[i].X, places[i].Y, s)
	}
	b.WriteString("\n</svg>\n")
	return b.Bytes(), nil
}

// carry puts an SVG image into a PNG image of the same figures.
func carry(png, svg []byte) []byte {
	var text bytes.Buffer
	text.WriteString("iTXt" + svgKeyword + "\x00\x01\x00\x00\x00") // compressed; no language, no translated keyword
	z, _ := zlib.NewWriterLevel(&text, zlib.BestCompression)
	z.Write(svg) // into memory
	z.Close()
	if text.Len() > maxSVG {
		return png
	}
	const end = 12 // bytes of the chunk IEND, the last one
	at := len(png) - end
	out := binary.BigEndian.AppendUint32(bytes.Clone(png[:at]), uint32(text.Len()-4))
	out = append(out, text.Bytes()...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(text.Bytes()))
	return append(out, png[at:]...)
}
