package viz

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// maxColors bounds the time that compact takes.
const maxColors = 20_000

// compact returns img with a palette of 256 colours, which makes its PNG a
// third as large: a notebook holds dozens. The flat colours of a figure stay
// exact; only blends at the edges of lines and letters move, to the nearest
// colour in the palette. It is for opaque images; one with more than maxColors
// is no line drawing and comes back as it is.
func compact(img *image.RGBA) image.Image {
	count := make(map[[3]uint8]int)
	bounds := img.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		row := img.Pix[img.PixOffset(bounds.Min.X, y):img.PixOffset(bounds.Max.X, y)]
		for i := 0; i < len(row); i += 4 {
			count[[3]uint8(row[i:i+3])]++
		}
	}
	if len(count) > maxColors {
		return img
	}
	colors := make([][3]uint8, 0, len(count))
	for c := range count {
		colors = append(colors, c)
	}
	slices.SortFunc(colors, func(a, b [3]uint8) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), slices.Compare(a[:], b[:]))
	})

	// The most frequent colours are the flat ones and the steps of a ramp, whose
	// order must stay visible. Of the others, one close to a colour that is in
	// already can do without a place of its own; the closeness asked for grows
	// until all fit.
	const exact = 176
	var palette [][3]uint8
	for near := 0; ; near += 2 {
		palette = append(palette[:0], colors[:min(exact, len(colors))]...)
		for _, c := range colors[len(palette):] {
			if _, d := nearest(palette, c); d > near*near {
				if palette = append(palette, c); len(palette) > 256 {
					break
				}
			}
		}
		if len(palette) <= 256 {
			break
		}
	}

	out := image.NewPaletted(bounds, nil)
	for _, c := range palette {
		out.Palette = append(out.Palette, color.RGBA{c[0], c[1], c[2], 0xFF})
	}
	index := make(map[[3]uint8]uint8, len(colors))
	for _, c := range colors {
		k, _ := nearest(palette, c)
		index[c] = uint8(k)
	}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		row := img.Pix[img.PixOffset(bounds.Min.X, y):img.PixOffset(bounds.Max.X, y)]
		to := out.Pix[out.PixOffset(bounds.Min.X, y):]
		for i := 0; i < len(row); i += 4 {
			to[i/4] = index[[3]uint8(row[i:i+3])]
		}
	}
	return out
}

// nearest returns the first colour of the palette that is closest to c, and
// the square of their distance; a large distance for an empty palette.
func nearest(palette [][3]uint8, c [3]uint8) (index, distance int) {
	distance = 1 << 30
	for i, p := range palette {
		r, g, b := int(p[0])-int(c[0]), int(p[1])-int(c[1]), int(p[2])-int(c[2])
		if d := r*r + g*g + b*b; d < distance {
			index, distance = i, d
			if d == 0 {
				break
			}
		}
	}
	return index, distance
}
