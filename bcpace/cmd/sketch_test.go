package cmd

import (
	"image"
	"image/color"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestBraille: each dot is where the image has ink, of any size, and nothing is drawn of the ground.
func TestBraille(t *testing.T) {
	img := image.NewRGBA(image.Rect(3, 5, 3+8, 5+8)) // one dot for each pixel of 4 × 2 characters
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for i := 1; i < 8; i++ { // the corner is ground
		img.Set(3+i, 5+i, color.Black)
	}
	if got, want := braille(img, 4), "⠐⢄\n\u2800\u2800⠑⢄\n"; got != want {
		t.Errorf("a line is %q, want %q", got, want)
	}
	if got := braille(image.NewUniform(color.White), 0); got != "" {
		t.Errorf("no columns are %q", got)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		w, h, columns := 1+rng.IntN(60), 1+rng.IntN(60), 1+rng.IntN(40)
		for _, line := range strings.Split(braille(image.NewGray(image.Rect(0, 0, w, h)), columns), "\n") {
			if line != "" {
				t.Fatalf("an empty image of %d × %d is %q", w, h, line)
			}
		}
		full := image.NewGray(image.Rect(0, 0, w, h))
		for i := range full.Pix {
			full.Pix[i] = 255
		}
		full.Pix[0] = 0 // the ground
		for i, line := range strings.Split(strings.TrimSuffix(braille(full, columns), "\n"), "\n") {
			if utf8.RuneCountInString(line) > columns || i > 0 && w >= 2*columns && h >= 8 && strings.Trim(line, "⣿") != "" {
				t.Fatalf("line %d of a full image of %d × %d in %d columns is %q", i, w, h, columns, line)
			}
		}
	}
}
