package viz

import (
	"image/color"
	"strings"
	"testing"
)

// box returns the columns of the leftmost and the rightmost pixel of a colour.
func box(t *testing.T, f *Figure, c color.NRGBA) (from, to int) {
	t.Helper()
	img, err := f.Image(2)
	if err != nil {
		t.Fatal(err)
	}
	from, to = img.Bounds().Dx(), -1
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if img.At(x, y) == (color.RGBA{c.R, c.G, c.B, 255}) {
				from, to = min(from, x), max(to, x)
			}
		}
	}
	return from, to
}

func TestCharactersThatTheFontLacks(t *testing.T) {
	draw := func(title string) *Figure {
		return must(Lines{Title: title, Series: []Series{{X: []float64{0, 1}, Y: []float64{0, 1}}}}.Figure())
	}
	chinese := draw("老虎")
	if from, to := box(t, chinese, ink); to-from < 20 {
		t.Errorf("the title reaches from %d to %d, want boxes for its characters", from, to)
	}
	svg, err := chinese.SVG()
	if err != nil || strings.Count(string(svg), "□") != 1 && !strings.Contains(string(svg), "□□") {
		t.Errorf("no boxes in the SVG, %v", err)
	}
	svg, err = draw("Q̃ of φ₁ at b′ ≤ ½, ε = 10⁻⁷ in L_Q: γ·Σ ∞ → – “tiger” ×÷…").SVG()
	if err != nil || strings.Contains(string(svg), "□") {
		t.Errorf("a box in a title of characters that the font has: %v", err)
	}
}
