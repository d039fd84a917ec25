package nb

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"reflect"
	"strings"
)

// Figure is what Show draws: every *viz.Figure is one. Its description in
// words is taken from a method AltText() string or a field Alt.
type Figure interface {
	// PNG returns the figure as a PNG image of scale times Size.
	PNG(scale float64) ([]byte, error)
	// Size returns the size in CSS pixels.
	Size() (width, height int)
}

const (
	scale    = 2    // of the images, against CSS pixels: sharp on most screens
	maxRow   = 1320 // CSS pixels that figures side by side may take: two of the usual size
	gap      = 16   // CSS pixels between them
	maxImage = 100e6
)

// figureOf returns v as a figure. A chart of package viz is one as well: it
// has a method Figure, whose result is a *viz.Figure, a type that cannot be
// named here without linking the plotting library into every cell.
func figureOf(v any) (Figure, bool, error) {
	if f, ok := v.(Figure); ok {
		return f, true, nil
	}
	if v == nil {
		return nil, false, nil
	}
	method := reflect.ValueOf(v).MethodByName("Figure")
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 2 {
		return nil, false, nil
	}
	if x := reflect.ValueOf(v); x.Kind() == reflect.Pointer && x.IsNil() {
		return nil, false, nil
	}
	out := method.Call(nil)
	if err, _ := out[1].Interface().(error); err != nil {
		return nil, false, err
	}
	f, ok := out[0].Interface().(Figure)
	return f, ok, nil
}

// altOf is the description of a figure.
func altOf(f Figure) string {
	if a, ok := f.(interface{ AltText() string }); ok {
		return cleanLines(a.AltText())
	}
	x := reflect.ValueOf(f)
	if x.Kind() == reflect.Pointer {
		x = x.Elem()
	}
	if x.Kind() == reflect.Struct {
		if alt := x.FieldByName("Alt"); alt.IsValid() && alt.Kind() == reflect.String {
			return cleanLines(alt.String())
		}
	}
	return "figure"
}

// figures draws figures side by side, in as many rows as they need. They are
// one image and not an HTML row of images, because code hosts take images in
// HTML out of the notebooks that they show.
func figures(fs []Figure) (message, error) {
	for i, f := range fs {
		if x := reflect.ValueOf(f); x.Kind() == reflect.Pointer && x.IsNil() {
			return message{}, fmt.Errorf("nb: figure %d is nil, want a figure", i+1)
		}
	}
	places, w, h := arrange(fs)
	if float64(w)*float64(h)*scale*scale > maxImage {
		return message{}, fmt.Errorf("nb: figures side by side are %d × %d pixels, want fewer or smaller figures in one call of Show", w, h)
	}
	alts := make([]string, len(fs))
	pngs := make([][]byte, len(fs))
	for i, f := range fs {
		var err error
		if pngs[i], err = f.PNG(scale); err != nil {
			return message{}, err
		}
		alts[i] = altOf(f)
	}
	m := message{plain: strings.Join(alts, "\n"), width: w, height: h}
	if len(fs) == 1 {
		m.png = pngs[0]
		return m, nil
	}
	imgs := make([]image.Image, len(pngs))
	for i, data := range pngs {
		var err error
		if imgs[i], err = png.Decode(bytes.NewReader(data)); err != nil {
			return message{}, fmt.Errorf("nb: figure %d is no PNG image: %w", i+1, err)
		}
	}
	canvas := join(imgs, places, image.Rect(0, 0, w*scale, h*scale))
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, canvas); err != nil {
		return message{}, fmt.Errorf("nb: encode figures: %w", err)
	}
	m.png = b.Bytes()
	return m, nil
}

// join draws images at their places on an opaque white ground: with a palette
// where theirs fit into one, which takes half the bytes.
func join(imgs []image.Image, places []image.Point, r image.Rectangle) image.Image {
	if palette, ok := jointPalette(imgs); ok {
		canvas := image.NewPaletted(r, palette) // white, the first of the palette
		index := make(map[color.Color]uint8, len(palette))
		for i, c := range palette {
			index[c] = uint8(i)
		}
		for i, img := range imgs {
			copyPaletted(canvas, places[i].Mul(scale), img.(*image.Paletted), index)
		}
		return canvas
	}
	canvas := image.NewRGBA(r)
	draw.Draw(canvas, r, image.White, image.Point{}, draw.Src)
	for i, img := range imgs {
		at := img.Bounds().Sub(img.Bounds().Min).Add(places[i].Mul(scale))
		draw.Draw(canvas, at, img, img.Bounds().Min, draw.Over)
	}
	return canvas
}

// jointPalette returns a palette of white and all colours of the images, or
// false where they have too many or some that are transparent.
func jointPalette(imgs []image.Image) (color.Palette, bool) {
	white := color.RGBA{255, 255, 255, 255}
	palette := color.Palette{white}
	seen := map[color.Color]bool{white: true}
	for _, img := range imgs {
		p, ok := img.(*image.Paletted)
		if !ok {
			return nil, false
		}
		for _, c := range p.Palette {
			if _, opaque := c.(color.RGBA); !opaque { // png.Decode makes others of the transparent ones
				return nil, false
			}
			if !seen[c] {
				seen[c] = true
				palette = append(palette, c)
			}
		}
	}
	return palette, len(palette) <= 256
}

// copyPaletted copies src into canvas with its corner at the given point.
func copyPaletted(canvas *image.Paletted, at image.Point, src *image.Paletted, index map[color.Color]uint8) {
	var to [256]uint8
	for i, c := range src.Palette {
		to[i] = index[c]
	}
	b := src.Bounds()
	n := min(b.Dx(), canvas.Rect.Max.X-at.X)
	for y := range min(b.Dy(), canvas.Rect.Max.Y-at.Y) {
		from := src.Pix[y*src.Stride:]
		row := canvas.Pix[canvas.PixOffset(at.X, at.Y+y):]
		for x := range n {
			row[x] = to[from[x]]
		}
	}
}

// arrange places figures in rows of at most maxRow pixels and returns their
// corners and the size of the whole.
func arrange(fs []Figure) (places []image.Point, width, height int) {
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
