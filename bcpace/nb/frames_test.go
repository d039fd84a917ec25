package nb

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestFrames(t *testing.T) {
	ms, err := render([]any{Frames{Along: "samples", Labels: []string{"10", "20"}, Figures: []any{red, chart{blue}}}})
	if err != nil || len(ms) != 1 {
		t.Fatalf("%d messages, %v, want 1", len(ms), err)
	}
	m := ms[0]
	if m.plain != "10: a red one\n20: a blue\none\uFFFD" {
		t.Errorf("plain is %q", m.plain)
	}
	for _, want := range []string{
		`samples <input type="range" style="vertical-align:middle" min="0" max="1" value="1" aria-valuetext="samples: 20" `,
		`<div style="width:300px;max-width:100%;`, `<img alt="samples: 20. a blue`, `display:block;width:200%;max-width:none;height:auto;margin:0;margin-left:-100%"`,
		`<p style="margin:0;display:none">samples: 10<span style="display:none">. a red one</span></p>`, `<p style="margin:0;display:block">samples: 20<`,
	} {
		if !strings.Contains(m.html, want) {
			t.Errorf("html has no %q", want)
		}
	}
	strip := stripsOf(t, m.html)
	if b := strip[0].Bounds(); len(strip) != 1 || b.Dx() != 1200 || b.Dy() != 400 {
		t.Fatalf("%d strips, the first of %v, want one of 1200 × 400", len(strip), b)
	}
	for _, c := range []struct {
		x, y int
		want color.NRGBA
	}{{0, 0, red.C}, {599, 399, red.C}, {600, 0, blue.C}, {799, 99, blue.C}, {800, 0, white}, {600, 100, white}} {
		if got := color.NRGBAModel.Convert(strip[0].At(c.x, c.y)); got != c.want {
			t.Errorf("pixel %d, %d is %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// stripsOf reads the images in a page.
func stripsOf(t *testing.T, page string) []image.Image {
	t.Helper()
	var imgs []image.Image
	for _, rest := range strings.Split(page, "base64,")[1:] {
		text, _, _ := strings.Cut(rest, `"`)
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		imgs = append(imgs, img)
	}
	return imgs
}

// Many frames stand on several strips, of as many frames each as the slider
// counts on.
func TestFramesOfSeveralStrips(t *testing.T) {
	wide := &square{W: 3000, H: 1, C: red.C} // two on a strip
	for n, want := range map[int][]int{1: {1}, 2: {2}, 3: {2, 1}, 5: {2, 2, 1}, 6: {2, 2, 2}} {
		f := Frames{}
		for range n {
			f.Figures = append(f.Figures, wide)
		}
		m, err := f.message()
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, strip := range stripsOf(t, m.html) {
			got = append(got, strip.Bounds().Dx()/(scale*wide.W))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d frames stand on strips of %v, want %v", n, got, want)
		}
		if shown := strings.Count(m.html, `style="display:block;`); shown != 1 {
			t.Errorf("%d of %d strips are seen", shown, len(want))
		}
	}
}

// Frames that have much in common take little more than one of them.
func TestFramesShareBytes(t *testing.T) {
	noise := func(changed int) *drawing {
		random := rand.New(rand.NewPCG(3, 4))
		img := image.NewPaletted(image.Rect(0, 0, 400, 400), color.Palette{color.White, color.Black})
		for i := range img.Pix {
			img.Pix[i] = uint8(random.IntN(2))
		}
		for range changed {
			img.Pix[random.IntN(len(img.Pix))] = 0
		}
		return &drawing{img}
	}
	size := func(n int) int {
		f := Frames{}
		for i := range n {
			f.Figures = append(f.Figures, noise(20*i))
		}
		m, err := f.message()
		if err != nil {
			t.Fatal(err)
		}
		return len(m.html)
	}
	if one, eight := size(1), size(8); eight > 2*one {
		t.Errorf("one frame takes %d bytes, eight take %d", one, eight)
	}
}

// drawing is a figure of a given image, for the scale of Show.
type drawing struct{ img image.Image }

func (d *drawing) Size() (int, int) { return d.img.Bounds().Dx() / scale, d.img.Bounds().Dy() / scale }

func (d *drawing) PNG(float64) ([]byte, error) { return encode(d.img) }

func TestFramesThatCannotBe(t *testing.T) {
	for want, f := range map[string]Frames{
		"at least one":   {},
		"2 labels for 1": {Labels: []string{"a", "b"}, Figures: []any{red}},
		"Figures[1]":     {Figures: []any{red, "text"}},
		"no ink":         {Figures: []any{&square{W: 1, H: 1, Err: errors.New("no ink")}}},
		"Figures[0]":     {Figures: []any{(*square)(nil)}},
		"fewer":          {Figures: []any{&square{W: 100_000, H: 1000}}},
	} {
		if _, err := render([]any{f}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// Names and descriptions cannot change the page around them.
func TestHostileFrames(t *testing.T) {
	for _, s := range hostile {
		m, err := Frames{Along: s, Labels: []string{s}, Figures: []any{&square{W: 1, H: 1, Alt: s}}}.message()
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(m.html, "<"); n != 12 { // as many tags as with any other name
			t.Errorf("%q makes %d tags", s, n)
		}
		for _, r := range m.html + m.plain {
			if r == 0 || r == '\x1b' || turnsDirection(r) {
				t.Errorf("%q leaves %q", s, r)
			}
		}
	}
}
