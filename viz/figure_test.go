package viz

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/plot"
)

func TestPNGHasTheSizeAsked(t *testing.T) {
	f := must(threeLines().Figure())
	f.Width, f.Height = f.Width/2, f.Height/2
	w, h := f.Size()
	for _, scale := range []float64{0.5, 1, 1.5, 2, 3} {
		b, err := f.PNG(scale)
		if err != nil {
			t.Fatal(err)
		}
		got := decode(t, b).Bounds().Max
		if want := image.Pt(int(float64(w)*scale+0.5), int(float64(h)*scale+0.5)); got != want {
			t.Errorf("PNG(%v) is %v, want %v", scale, got, want)
		}
	}
	for _, scale := range []float64{0, -1, 1e-9, 1e9, math.NaN(), math.Inf(1)} {
		if _, err := f.PNG(scale); err == nil || !strings.Contains(err.Error(), "scale") {
			t.Errorf("PNG(%v): error %v, want one about the scale", scale, err)
		}
	}
}

func TestFigureThatCannotBeDrawn(t *testing.T) {
	good := func() *Figure { return must(threeLines().Figure()) }
	for name, spoil := range map[string]func(f *Figure){
		"no panel":     func(f *Figure) { f.Panels = nil },
		"panel":        func(f *Figure) { f.Panels = []*plot.Plot{nil} },
		"pixels":       func(f *Figure) { f.Width = 0 },
		"not a number": func(f *Figure) { f.Panels[0].X.Min = math.NaN() },
	} {
		f := good()
		spoil(f)
		if _, err := f.PNG(1); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("PNG: error %v, want one about %q", err, name)
		}
		if _, err := f.SVG(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("SVG: error %v, want one about %q", err, name)
		}
		if _, err := f.PDF(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("PDF: error %v, want one about %q", err, name)
		}
	}
}

func TestSVGIsWellFormedAndDescribed(t *testing.T) {
	for name, chart := range goldens() {
		f := must(chart.Figure())
		f.Alt += ` <&"'>`
		b, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(b, []byte(`<svg role="img" `)) {
			t.Errorf("%s: SVG starts with %.40q, want the element itself", name, b)
		}
		label := ""
		for _, a := range wellFormed(t, b).Attr {
			if a.Name.Local == "aria-label" {
				label = a.Value
			}
		}
		if label != f.Alt {
			t.Errorf("%s: accessible name %q, want %q", name, label, f.Alt)
		}
	}
}

func TestSameFigureSameBytesOnAnyGoroutine(t *testing.T) {
	want, err := must(threeLines().Figure()).PNG(1)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			f := must(threeLines().Figure())
			for range 2 { // drawing leaves the figure as it was
				if got, err := f.PNG(1); err != nil || !bytes.Equal(got, want) {
					t.Errorf("drawn again: %d bytes, error %v; want the same %d bytes", len(got), err, len(want))
				}
			}
		})
	}
	wg.Wait()
}

// Every figure keeps its margins free, so that nothing is cut off, says what
// it shows, and stands on opaque white.
func TestMarginsAreFree(t *testing.T) {
	for name, chart := range goldens() {
		checkMargins(t, name, must(chart.Figure()))
	}
}

func checkMargins(t *testing.T, name string, f *Figure) {
	t.Helper()
	img, err := f.Image(1)
	if err != nil {
		t.Fatal(err)
	}
	checkMarginsOf(t, name, f, img)
}

// checkMarginsOf checks the margins of a figure that is drawn.
func checkMarginsOf(t *testing.T, name string, f *Figure, img image.Image) {
	t.Helper()
	size := img.Bounds().Max
	const margin = 5
	for y := range size.Y {
		for x := 0; x < size.X; x++ {
			if x == margin && y >= margin && y < size.Y-margin {
				x = size.X - margin
			}
			if img.At(x, y) != (color.RGBA{0xFF, 0xFF, 0xFF, 0xFF}) {
				t.Errorf("%s: the margin at (%d, %d) is not white: something is cut off", name, x, y)
				return
			}
		}
	}
	if len(f.Alt) < 20 {
		t.Errorf("%s: description %q, want a sentence", name, f.Alt)
	}
}
