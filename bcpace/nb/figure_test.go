package nb

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
)

// square is a figure of one colour.
type square struct {
	W, H int
	C    color.NRGBA
	Alt  string
	Err  error
}

func (s *square) Size() (int, int) { return s.W, s.H }

func (s *square) PNG(scale float64) ([]byte, error) {
	if s.Err != nil {
		return nil, s.Err
	}
	img := image.NewNRGBA(image.Rect(0, 0, int(scale)*s.W, int(scale)*s.H))
	for i := range img.Pix {
		img.Pix[i] = []uint8{s.C.R, s.C.G, s.C.B, s.C.A}[i%4]
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// chart makes a figure, as the structs of package viz do.
type chart struct{ s *square }

func (c chart) Figure() (*square, error) { return c.s, c.s.Err }

var (
	red   = &square{W: 300, H: 200, C: color.NRGBA{255, 0, 0, 255}, Alt: "a red one"}
	green = &square{W: 1000, H: 100, C: color.NRGBA{0, 255, 0, 255}, Alt: "a green one"}
	white = color.NRGBA{255, 255, 255, 255}
	blue  = &square{W: 100, H: 50, C: color.NRGBA{0, 0, 255, 255}, Alt: "a blue\none\x00"}
)

func TestFigure(t *testing.T) {
	ms, err := render([]any{red, "text", chart{blue}})
	if err != nil || len(ms) != 3 {
		t.Fatalf("%d messages, %v, want 3", len(ms), err)
	}
	want, _ := red.PNG(2)
	if m := ms[0]; !bytes.Equal(m.png, want) || m.width != 300 || m.height != 200 || m.plain != "a red one" {
		t.Errorf("figure is %d × %d, %q", m.width, m.height, m.plain)
	}
	if m := ms[2]; m.width != 100 || m.plain != "a blue\none\uFFFD" {
		t.Errorf("chart is %d wide, %q", m.width, m.plain)
	}
}

func TestFiguresSideBySide(t *testing.T) {
	ms, err := render([]any{chart{red}, green, blue})
	if err != nil || len(ms) != 1 {
		t.Fatalf("%d messages, %v, want 1", len(ms), err)
	}
	m := ms[0]
	if m.plain != "a red one\na green one\na blue\none\uFFFD" {
		t.Errorf("description is %q", m.plain)
	}
	// 300 + 16 + 1000 = 1316 fit in the first row, the third figure does not.
	if m.width != 1316 || m.height != 200+16+50 {
		t.Errorf("size is %d × %d, want 1316 × 266", m.width, m.height)
	}
	img, err := png.Decode(bytes.NewReader(m.png))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != 2*m.width || b.Dy() != 2*m.height {
		t.Errorf("image is %d × %d, want twice the size", b.Dx(), b.Dy())
	}
	for _, c := range []struct {
		x, y int
		want color.NRGBA
	}{{0, 0, red.C}, {599, 399, red.C}, {600, 0, white}, {632, 0, green.C}, {2631, 199, green.C}, {632, 201, white}, {0, 432, blue.C}, {199, 531, blue.C}} {
		if got := color.NRGBAModel.Convert(img.At(c.x, c.y)); got != c.want {
			t.Errorf("pixel %d, %d is %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// painting is a figure with a palette, as viz makes them.
type painting struct{ *square }

func (p painting) PNG(scale float64) ([]byte, error) {
	img := image.NewPaletted(image.Rect(0, 0, int(scale)*p.W, int(scale)*p.H), color.Palette{color.RGBA{0, 0, 0, 255}, color.RGBA{p.C.R, p.C.G, p.C.B, 255}})
	for i := range img.Pix {
		img.Pix[i] = 1
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// TestPalette: figures with palettes look the same, in an image with one.
func TestPalette(t *testing.T) {
	plain, err := figures([]Figure{red, green, blue})
	if err != nil {
		t.Fatal(err)
	}
	palette, err := figures([]Figure{painting{red}, painting{green}, painting{blue}})
	if err != nil {
		t.Fatal(err)
	}
	if len(palette.png) >= len(plain.png) {
		t.Errorf("%d bytes with a palette, %d without", len(palette.png), len(plain.png))
	}
	a, err := png.Decode(bytes.NewReader(plain.png))
	if err != nil {
		t.Fatal(err)
	}
	b, err := png.Decode(bytes.NewReader(palette.png))
	if err != nil {
		t.Fatal(err)
	}
	if a.Bounds() != b.Bounds() {
		t.Fatalf("sizes are %v and %v", a.Bounds(), b.Bounds())
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if color.RGBAModel.Convert(a.At(x, y)) != color.RGBAModel.Convert(b.At(x, y)) {
				t.Fatalf("pixel %d, %d is %v with a palette, %v without", x, y, b.At(x, y), a.At(x, y))
			}
		}
	}
}

func TestFigureErrors(t *testing.T) {
	broken := &square{W: 10, H: 10, Err: errors.New("viz: an axis has no length")}
	var none *square
	for name, v := range map[string]any{"figure": broken, "chart": chart{broken}, "nil figure": none} {
		ms, err := render([]any{"before", v})
		if err == nil || len(ms) != 1 || ms[0].plain != "before" {
			t.Errorf("%s: %d messages, %v, want the text before it and an error", name, len(ms), err)
		}
	}
	huge := &square{W: 1000, H: 9000, C: red.C}
	if _, err := figures([]Figure{huge, huge, huge}); err == nil || !strings.Contains(err.Error(), "pixels") {
		t.Errorf("huge figures: %v", err)
	}
}

func TestTerminal(t *testing.T) {
	var b bytes.Buffer
	o := &output{screen: terminal{&b}}
	ms, err := render([]any{"one", red, Table{Rows: [][]any{{1, "<b>"}}}})
	if err != nil {
		t.Fatal(err)
	}
	o.show(ms...)
	if want := "one\na red one\n1  <b>\n"; b.String() != want {
		t.Errorf("terminal shows %q, want %q", b.String(), want)
	}
}
