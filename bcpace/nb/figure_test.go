package nb

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// square is a figure of one colour.
type square struct {
	W, H int
	C    color.NRGBA
	Alt  string
	Err  error
}

func (s *square) Size() (int, int) { return s.W, s.H }

func (s *square) Image(scale float64) (image.Image, error) {
	if s.Err != nil {
		return nil, s.Err
	}
	img := image.NewNRGBA(image.Rect(0, 0, int(scale)*s.W, int(scale)*s.H))
	for i := range img.Pix {
		img.Pix[i] = []uint8{s.C.R, s.C.G, s.C.B, s.C.A}[i%4]
	}
	return img, nil
}

// chart makes a figure, as the structs of package viz do.
type chart struct{ s *square }

func (c chart) Figure() (*square, error) { return c.s, c.s.Err }

var (
	red   = &square{W: 300, H: 200, C: color.NRGBA{255, 0, 0, 255}, Alt: "a red one"}
	green = &square{W: 500, H: 100, C: color.NRGBA{0, 255, 0, 255}, Alt: "a green one"}
	white = color.NRGBA{255, 255, 255, 255}
	blue  = &square{W: 100, H: 50, C: color.NRGBA{0, 0, 255, 255}, Alt: "a blue\none\x00"}
)

func TestFigure(t *testing.T) {
	ms, err := render([]any{red, "text", chart{blue}})
	if err != nil || len(ms) != 3 {
		t.Fatalf("%d messages, %v, want 3", len(ms), err)
	}
	img, _ := red.Image(2)
	want, _ := encode(img)
	if m := ms[0]; !same(t, m.png, want) || m.width != 300 || m.height != 200 || m.plain != "a red one" {
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
	// 300 + 16 + 500 = 816 fit in the first row, the third figure does not.
	if m.width != 816 || m.height != 200+16+50 {
		t.Errorf("size is %d × %d, want 816 × 266", m.width, m.height)
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
	}{{0, 0, red.C}, {599, 399, red.C}, {600, 0, white}, {632, 0, green.C}, {1631, 199, green.C}, {632, 201, white}, {0, 432, blue.C}, {199, 531, blue.C}} {
		if got := color.NRGBAModel.Convert(img.At(c.x, c.y)); got != c.want {
			t.Errorf("pixel %d, %d is %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// slim is a figure that can be laid out anew.
type slim struct{ *square }

func (s slim) Narrower(width int) *square { return &square{W: width, H: s.H, C: s.C, Alt: s.Alt} }

// Figures that are too wide to stand side by side are laid out anew; one alone stays as it is.
func TestFiguresAreNarrowedSideBySide(t *testing.T) {
	wide := slim{&square{W: 640, H: 100, C: red.C}}
	for n, want := range [][2]int{1: {640, 100}, 2: {836, 100}, 3: {836, 216}} {
		if n == 0 {
			continue
		}
		ms, err := render(slices.Repeat([]any{wide}, n))
		if err != nil || len(ms) != 1 || ms[0].width != want[0] || ms[0].height != want[1] {
			t.Errorf("%d figures: %v, %v, want %v", n, ms, err, want)
		}
	}
}

// same reports whether two PNG images have the same pixels.
func same(t *testing.T, a, b []byte) bool {
	t.Helper()
	var imgs [2]image.Image
	for i, data := range [][]byte{a, b} {
		var err error
		if imgs[i], err = png.Decode(bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
	}
	r := imgs[0].Bounds()
	if r != imgs[1].Bounds() {
		return false
	}
	for y := range r.Dy() {
		for x := range r.Dx() {
			if color.NRGBAModel.Convert(imgs[0].At(x, y)) != color.NRGBAModel.Convert(imgs[1].At(x, y)) {
				return false
			}
		}
	}
	return true
}

// TestReduce: a palette is as small as asked for, keeps the colours of areas,
// moves no channel far, and is the same at every call.
func TestReduce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(flat+1, 256).Draw(t, "n")
		areas := rapid.SliceOfN(rapid.Uint32(), 1, flat/2).Draw(t, "areas")
		blends := rapid.IntRange(0, 60).Draw(t, "blends between two areas")
		img := image.NewRGBA(image.Rect(0, 0, 100*len(areas), 3*len(areas)))
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				a, b := areas[y/3], areas[x/100]
				if s := x%100 - 20; s >= 0 && s < blends {
					img.SetRGBA(x, y, blend(a, b, s, blends))
				} else {
					img.SetRGBA(x, y, blend(a, a, 0, 1))
				}
			}
		}
		out, ok := reduce(img, n).(*image.Paletted)
		if !ok {
			return // told apart by TestReduceLeaves
		}
		if len(out.Palette) > n {
			t.Fatalf("%d colours, want at most %d", len(out.Palette), n)
		}
		again := reduce(img, n).(*image.Paletted)
		if !slices.Equal(out.Pix, again.Pix) {
			t.Fatal("another image at the second call")
		}
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				want, got := img.RGBAAt(x, y), out.At(x, y).(color.RGBA)
				d := max(apart(want.R, got.R), apart(want.G, got.G), apart(want.B, got.B))
				if d > maxShift || d > 0 && (x%100 < 20 || x%100 >= 20+blends) {
					t.Fatalf("pixel %d, %d is %v, want %v", x, y, got, want)
				}
			}
		}
	})
}

func blend(a, b uint32, i, n int) color.RGBA {
	mix := func(shift int) uint8 {
		return uint8((int(a>>shift&255)*(n-i) + int(b>>shift&255)*i) / n)
	}
	return color.RGBA{mix(0), mix(8), mix(16), 255}
}

// What would change visibly is left as it is.
func TestReduceLeaves(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, side := range []int{40, 400} { // some, and too many colours
		img := image.NewRGBA(image.Rect(0, 0, side, side))
		for i := range img.Pix {
			img.Pix[i] = uint8(random.Uint32()) | uint8(i%4/3*255)
		}
		if out := reduce(img, 256); out != image.Image(img) {
			t.Errorf("%d × %d pixels of noise come back as a %T", side, side, out)
		}
	}
	ramp := image.NewRGBA(image.Rect(0, 0, 256, 1))
	for x := range 256 {
		ramp.SetRGBA(x, 0, color.RGBA{uint8(x), uint8(x), uint8(x), 255})
	}
	out := reduce(ramp, 256)
	for x := range 256 {
		if out.At(x, 0) != ramp.At(x, 0) {
			t.Fatalf("a palette of its own colours shows %v for %v", out.At(x, 0), ramp.At(x, 0))
		}
	}
}

// TestCard: the corners of a white ground are rounded, and nothing else changes.
func TestCard(t *testing.T) {
	for name, c := range map[string]struct {
		figs []Drawable
		card bool
	}{
		"white":            {[]Drawable{&square{W: 100, H: 60, C: white}}, true},
		"white side":       {[]Drawable{&square{W: 100, H: 60, C: white}, &square{W: 100, H: 60, C: white}}, true},
		"red":              {[]Drawable{red}, false},
		"one red corner":   {[]Drawable{&square{W: 100, H: 60, C: white}, red}, false},
		"no place for one": {[]Drawable{&square{W: 2*corner - 1, H: 60, C: white}}, false},
	} {
		m, err := figures(c.figs)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(m.png))
		if err != nil {
			t.Fatal(err)
		}
		b := img.Bounds()
		w, h, r := b.Dx(), b.Dy(), corner*scale
		for y := range h {
			for x := range w {
				near := func(i, n int) float64 { return max(float64(r)-float64(i)-0.5, float64(i)+0.5-float64(n-r), 0) }
				d := math.Hypot(near(x, w), near(y, h)) // from the middle of the circle
				_, _, _, a := img.At(x, y).RGBA()
				if want := c.card && d > float64(r)+0.8; want != (a == 0) && (want || !c.card || d < float64(r)-0.8) {
					t.Fatalf("%s: pixel %d, %d has opacity %d, at %.2f of radius %d", name, x, y, a, d, r)
				}
				if c.card && d < float64(r)-0.8 && a != 0xffff || !c.card && a != 0xffff {
					t.Fatalf("%s: pixel %d, %d is seen through", name, x, y)
				}
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
	if _, err := figures([]Drawable{huge, huge, huge}); err == nil || !strings.Contains(err.Error(), "pixels") {
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
