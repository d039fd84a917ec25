package nb

import (
	"image"
	"image/color"
	"slices"
)

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
