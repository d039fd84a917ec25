package nb

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

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
	slices.SortFunc(colors, func(a, b [3]uint8) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), slices.Compare(a[:], b[:]))
	})
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
