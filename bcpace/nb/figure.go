package nb

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"reflect"
	"slices"
	"strings"
)

// Drawable is what Show draws: every *viz.Figure is one. Its description in
// words is taken from a field Alt.
type Drawable interface {
	// Image draws the figure at scale times Size.
	Image(scale float64) (image.Image, error)
	// Size returns the size in CSS pixels.
	Size() (width, height int)
}

const (
	scale    = 2   // of the images, against CSS pixels: sharp on most screens
	maxRow   = 836 // CSS pixels that figures side by side may take: on a page of 800, text of 11.5 is 11 high
	gap      = 16  // CSS pixels between them
	maxImage = 100e6
)

// figureOf returns v as a figure. A chart of package viz is one as well: it
// has a method Figure, whose result is a *viz.Figure, a type that cannot be
// named here without linking the plotting library into every cell.
func figureOf(v any) (Drawable, bool, error) {
	x := reflect.ValueOf(v)
	null := x.Kind() == reflect.Pointer && x.IsNil()
	if f, ok := v.(Drawable); ok {
		if null {
			return nil, false, errors.New("nb: a figure is nil, want a figure")
		}
		return f, true, nil
	}
	if v == nil || null {
		return nil, false, nil
	}
	method := x.MethodByName("Figure")
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 2 {
		return nil, false, nil
	}
	out := method.Call(nil)
	if err, _ := out[1].Interface().(error); err != nil {
		return nil, false, err
	}
	f, ok := out[0].Interface().(Drawable)
	return f, ok, nil
}

// abreast returns figures that stand side by side, two in a row, where they are too wide for
// that: laid out anew, so that their text stays as large. It finds the method as figureOf does.
func abreast(fs []Drawable) []Drawable {
	if len(fs) < 2 {
		return fs
	}
	out := slices.Clone(fs)
	const most = (maxRow - gap) / 2
	for i, f := range fs {
		method := reflect.ValueOf(f).MethodByName("Narrower")
		if w, _ := f.Size(); w <= most || !method.IsValid() || !strings.HasPrefix(method.Type().String(), "func(int) ") {
			continue
		}
		if narrow, ok := method.Call([]reflect.Value{reflect.ValueOf(most)})[0].Interface().(Drawable); ok {
			out[i] = narrow
		}
	}
	return out
}

// figures draws figures side by side, in as many rows as they need. They are
// one image and not an HTML row of images, because code hosts take images in
// HTML out of the notebooks that they show.
func figures(fs []Drawable) (message, error) {
	fs = abreast(fs)
	places, w, h := arrange(fs)
	if float64(w)*float64(h)*scale*scale > maxImage {
		return message{}, fmt.Errorf("nb: figures side by side are %d × %d pixels, want fewer or smaller figures in one call of Show", w, h)
	}
	imgs := make([]image.Image, len(fs))
	for i, f := range fs {
		var err error
		if imgs[i], err = f.Image(scale); err != nil {
			return message{}, err
		}
	}
	img := reduce(join(imgs, places, w, h), 256-len(shades))
	if p, ok := img.(*image.Paletted); ok {
		card(p)
	}
	data, err := encode(img)
	if err != nil {
		return message{}, err
	}
	svg, err := svgOf(fs, places, w, h)
	if err != nil {
		return message{}, err
	}
	if svg != nil {
		data = carry(data, svg)
	}
	return message{plain: altsOf(fs), png: data, width: w, height: h}, nil
}

// altsOf are the descriptions of figures, one below the other.
func altsOf(fs []Drawable) string {
	return strings.Join(texts(fs, func(f Drawable) string {
		if x := reflect.Indirect(reflect.ValueOf(f)); x.Kind() == reflect.Struct {
			if alt := x.FieldByName("Alt"); alt.Kind() == reflect.String {
				return cleanLines(alt.String())
			}
		}
		return "figure"
	}), "\n")
}

// join draws images at their places on an opaque white ground. Places and size
// are in CSS pixels.
func join(imgs []image.Image, places []image.Point, width, height int) *image.RGBA {
	canvas := image.NewRGBA(image.Rect(0, 0, scale*width, scale*height))
	draw.Draw(canvas, canvas.Rect, image.White, image.Point{}, draw.Src)
	for i, img := range imgs {
		at := img.Bounds().Sub(img.Bounds().Min).Add(places[i].Mul(scale))
		draw.Draw(canvas, at, img, img.Bounds().Min, draw.Over)
	}
	return canvas
}

// encode writes an image as PNG. The same image gives the same bytes.
func encode(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	// The best compression takes ten times as long and saves a thirteenth.
	if err := png.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("nb: encode figures: %w", err)
	}
	return b.Bytes(), nil
}

// arrange places figures in rows of at most maxRow pixels and returns their
// corners and the size of the whole.
func arrange(fs []Drawable) (places []image.Point, width, height int) {
	x, y, rowHeight := 0, 0, 0
	for _, f := range fs {
		w, h := f.Size()
		if x > 0 && x+w > maxRow {
			x, y, rowHeight = 0, y+rowHeight+gap, 0
		}
		places = append(places, image.Pt(x, y))
		width, height = max(width, x+w), max(height, y+h)
		x, rowHeight = x+w+gap, max(rowHeight, h)
	}
	return places, width, height
}

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

// corner is the radius of the corners of a card, in CSS pixels.
const corner = 6

// shades are the steps from transparent to white at the edge of a corner.
var shades = color.Palette{color.NRGBA{255, 255, 255, 0}, color.NRGBA{255, 255, 255, 64}, color.NRGBA{255, 255, 255, 128}, color.NRGBA{255, 255, 255, 192}}

// card rounds the corners of figures on their white ground, which makes them a
// light card where the page is dark; on a white page nothing is to be seen. The
// image keeps its corners where they are not white. Its palette must have room
// for the shades.
func card(img *image.Paletted) {
	const r = corner * scale
	b := img.Rect
	if b.Dx() < 2*r || b.Dy() < 2*r {
		return
	}
	// Every place of the upper left corner, and the three that mirror it.
	each := func(do func(x, y int, at [4]int)) {
		for y := range r {
			for x := range r {
				left, right := b.Min.X+x, b.Max.X-1-x
				top, bottom := b.Min.Y+y, b.Max.Y-1-y
				do(x, y, [4]int{img.PixOffset(left, top), img.PixOffset(right, top), img.PixOffset(left, bottom), img.PixOffset(right, bottom)})
			}
		}
	}
	white := true
	each(func(_, _ int, at [4]int) {
		for _, i := range at {
			white = white && img.Palette[img.Pix[i]] == color.RGBA{255, 255, 255, 255}
		}
	})
	if !white {
		return
	}
	// They come early in the palette, as PNG lists the opacities up to the last
	// colour that is not opaque, and after the ground: rows begin with a zero, so
	// that runs of the first colour continue from row to row.
	img.Palette = slices.Insert(img.Palette, 1, shades...)
	for i, c := range img.Pix {
		if c > 0 {
			img.Pix[i] += uint8(len(shades))
		}
	}
	each(func(x, y int, at [4]int) {
		if s := inside(x, y, r); s < len(shades) {
			for _, i := range at {
				img.Pix[i] = uint8(1 + s)
			}
		}
	})
}

// inside is the quarters of the pixel at x, y that lie within a circle of radius
// r that touches both axes.
func inside(x, y, r int) int {
	const n = 4 // points a side; in units of half their distance, all is whole
	count := 0
	for i := range n {
		for j := range n {
			dx, dy := 2*n*(r-x)-2*i-1, 2*n*(r-y)-2*j-1
			if dx*dx+dy*dy <= 4*n*n*r*r {
				count++
			}
		}
	}
	return (4*count + n*n/2) / (n * n)
}

const (
	maxColors = 20_000 // of an image that gets a palette: it bounds the time
	flat      = 64     // colours that are kept: the most frequent ones, of areas and letters
	maxShift  = 16     // the most that a channel may move, of 255: in blends at edges no eye sees it
)

// reduce returns img with a palette of at most n colours, which makes its PNG a
// third as large. Where it has more colours, the most frequent ones stay exact
// and blends at the edges of lines and letters move to the nearest colour left;
// the colours are chosen so that no channel moves far. An image that would
// change visibly, a photograph say, comes back as it is. img must be opaque.
func reduce(img *image.RGBA, n int) image.Image {
	count := make(map[[3]uint8]int)
	for i := 0; i < len(img.Pix); {
		c := [3]uint8(img.Pix[i : i+3])
		from := i
		for i += 4; i < len(img.Pix) && [3]uint8(img.Pix[i:i+3]) == c; i += 4 {
		}
		count[c] += (i - from) / 4
		if len(count) > maxColors {
			return img
		}
	}
	colors := make([][3]uint8, 0, len(count))
	for c := range count {
		colors = append(colors, c)
	}
	slices.SortFunc(colors, func(a, b [3]uint8) int { return cmp.Or(cmp.Compare(count[b], count[a]), slices.Compare(a[:], b[:])) })
	chosen := pick(colors, n)
	if chosen == nil {
		return img
	}
	out := image.NewPaletted(img.Rect, nil)
	for _, c := range chosen {
		out.Palette = append(out.Palette, color.RGBA{c[0], c[1], c[2], 255})
	}
	index := make(map[[3]uint8]uint8, len(colors))
	for _, c := range colors {
		k, _ := nearest(chosen, c)
		index[c] = uint8(k)
	}
	var last [3]uint8
	at := index[last]
	for i := range out.Pix {
		if c := [3]uint8(img.Pix[4*i : 4*i+3]); c != last {
			last, at = c, index[c]
		}
		out.Pix[i] = at
	}
	return out
}

// pick takes at most n of the colours, which come by falling frequency, so
// that every other one is near one of them, as near as can be had: a colour is
// taken unless one within reach is in already, and the reach grows until all
// fit. It returns nil where that reach is too far.
func pick(colors [][3]uint8, n int) [][3]uint8 {
	if len(colors) <= n {
		return colors
	}
	var chosen [][3]uint8
reach:
	for reach := 1; reach <= maxShift; reach++ {
		chosen = append(chosen[:0], colors[:min(flat, n)]...)
		for _, c := range colors[len(chosen):] {
			if _, d := nearest(chosen, c); d > reach {
				if len(chosen) == n {
					continue reach
				}
				chosen = append(chosen, c)
			}
		}
		return chosen
	}
	return nil
}

// nearest returns the first colour of the palette that is closest to c, and how
// far the channel lies that is farthest.
func nearest(palette [][3]uint8, c [3]uint8) (index, distance int) {
	distance = 256
	for i, p := range palette {
		d := max(apart(p[0], c[0]), apart(p[1], c[1]), apart(p[2], c[2]))
		if d < distance {
			index, distance = i, d
			if d == 0 {
				break
			}
		}
	}
	return index, distance
}

func apart(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

// message is one output of a cell. Every message has a plain form, which
// terminals, diffs and screen readers get.
type message struct {
	plain         string
	html          string // "" for none
	png           []byte // nil for none
	width, height int    // of the png, in CSS pixels
}
