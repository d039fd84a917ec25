package cmd

import (
	"image"
	"strings"
)

const (
	across, down = 2, 4
	blank        = '\u2800'
	// ink is which part of a dot's area must differ from the ground for the dot to be set, and differs how much a channel does then, of 65535.
	ink     = 0.2
	differs = 0x3000
)

// bits are those of the dots of a character, by row and column.
var bits = [down][across]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// braille returns img as lines of so many characters, 1 or more, for characters that are twice as high as wide. The colour of
// the upper left corner is the ground.
func braille(img image.Image, columns int) string {
	b := img.Bounds()
	if b.Empty() || columns < 1 {
		return ""
	}
	dots := columns * across
	size := float64(b.Dx()) / float64(dots)
	rows := max(1, int(float64(b.Dy())/size/down+0.5))
	high := float64(b.Dy()) / float64(rows*down)
	ground := img.At(b.Min.X, b.Min.Y)
	r0, g0, b0, _ := ground.RGBA()
	inked := func(x, y int) bool {
		r, g, b, _ := img.At(x, y).RGBA()
		return apart(r, r0) > differs || apart(g, g0) > differs || apart(b, b0) > differs
	}
	set := func(i, j int) bool {
		n, all := 0, 0
		for y := b.Min.Y + int(float64(j)*high); y < b.Min.Y+max(int(float64(j+1)*high), int(float64(j)*high)+1); y++ {
			for x := b.Min.X + int(float64(i)*size); x < b.Min.X+max(int(float64(i+1)*size), int(float64(i)*size)+1); x++ {
				if all++; inked(x, y) {
					n++
				}
			}
		}
		return float64(n) > ink*float64(all)
	}
	var out strings.Builder
	for row := range rows {
		var line strings.Builder
		for column := range columns {
			c := rune(blank)
			for j := range down {
				for i := range across {
					if set(column*across+i, row*down+j) {
						c |= bits[j][i]
					}
				}
			}
			line.WriteRune(c)
		}
		out.WriteString(strings.TrimRight(line.String(), string(blank)) + "\n")
	}
	return out.String()
}

func apart(a, b uint32) uint32 { return max(a, b) - min(a, b) }
