package nb

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// slidesOf reads what a message gives the script of a slider.
func slidesOf(t *testing.T, m message) slides {
	t.Helper()
	_, data, found := strings.Cut(m.html, ")(document.currentScript, ")
	data, _, ended := strings.Cut(data, ")</script></div>")
	var s slides
	if err := json.Unmarshal([]byte(data), &s); err != nil || !found || !ended {
		t.Fatalf("%v in %.200s", err, m.html)
	}
	return s
}

func TestFrames(t *testing.T) {
	ms, err := render([]any{"before", Frames{Along: "samples", Labels: []string{"10", "20"}, Figures: []any{red, chart{blue}}}})
	if err != nil || len(ms) != 3 {
		t.Fatalf("%d messages, %v, want a text, the last frame and the slider", len(ms), err)
	}
	if m := ms[1]; m.width != blue.W || m.plain != "a blue\none\uFFFD" {
		t.Errorf("without scripts is seen %q, %d wide", m.plain, m.width)
	}
	m := ms[2]
	if m.plain != "10: a red one\n20: a blue\none\uFFFD" {
		t.Errorf("plain is %q", m.plain)
	}
	if want := `<p style="margin:0">samples: 20 (2 of 2; `; !strings.Contains(m.html, want) {
		t.Errorf("html has no %q", want)
	}
	s := slidesOf(t, m)
	if s.Along != "samples" || !slices.Equal(s.Labels, []string{"10", "20"}) || s.Outputs != 1 || len(s.Strips) != 2 {
		t.Errorf("the slider has %+v", s)
	}
	want := [][]slide{{{At: 0, Of: 2, Width: 300, Base: 2, Alt: "a red one"}}, {{At: 1, Of: 2, Width: 300, Base: 2, Alt: "a blue\none\uFFFD"}}}
	if fmt.Sprint(s.Frames) != fmt.Sprint(want) {
		t.Errorf("the frames are %+v, want %+v", s.Frames, want)
	}
	strip := stripsOf(t, m.html)
	if b := strip[0].Bounds(); b.Dx() != 1200 || b.Dy() != 400 {
		t.Fatalf("the strip is %v, want 1200 × 400", b)
	}
	for _, c := range []struct {
		x, y int
		want color.NRGBA
	}{{0, 0, red.C}, {599, 399, red.C}, {600, 0, blue.C}, {799, 99, blue.C}, {800, 0, white}, {600, 100, white}} {
		got := color.NRGBAModel.Convert(strip[0].At(c.x, c.y))
		if got == (color.NRGBA{}) { // the base is seen
			got = color.NRGBAModel.Convert(strip[1].At(c.x%600, c.y))
		}
		if got != c.want {
			t.Errorf("pixel %d, %d is %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// A frame may be all that Show shows: figures side by side above a table and a text.
func TestFramesOfAnything(t *testing.T) {
	table := Table{Header: []string{"a"}, Rows: [][]any{{1}}}
	ms, err := render([]any{Frames{Figures: []any{[]any{red, blue, table, "a < b"}, []any{"alone"}, []any{green, table}}}})
	if err != nil || len(ms) != 3 {
		t.Fatalf("%d messages, %v, want the figure, the table and the slider", len(ms), err)
	}
	s := slidesOf(t, ms[2])
	var kinds []string
	for _, frame := range s.Frames {
		kind := ""
		for _, p := range frame {
			switch {
			case strings.HasPrefix(p.HTML, "<pre"):
				kind += p.HTML
			case strings.Contains(p.HTML, "<table"):
				kind += "table "
			default:
				kind += fmt.Sprintf("%d of %d, %d wide: %s; ", p.At, p.Of, p.Width, p.Alt)
			}
		}
		kinds = append(kinds, kind)
	}
	want := []string{"0 of 2, 500 wide: a red one\na blue\none\uFFFD; table <pre style=\"margin:0\">a &lt; b</pre>", "<pre style=\"margin:0\">alone</pre>", "1 of 2, 500 wide: a green one; table "}
	if !slices.Equal(kinds, want) || s.Outputs != 2 || !strings.HasPrefix(ms[2].plain, "1: a red one\na blue\none\uFFFD\na\n1\na < b\n2: alone") {
		t.Errorf("the frames are %q, want %q; %d outputs before, plain %q", kinds, want, s.Outputs, ms[2].plain)
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
	for n, want := range map[int][]int{1: {1}, 2: {2}, 3: {1, 2}, 5: {1, 2, 2}, 6: {2, 2, 2}} {
		f := Frames{}
		for range n {
			f.Figures = append(f.Figures, wide)
		}
		m := sliderOf(t, f)
		var got []int
		for _, strip := range stripsOf(t, m.html) {
			got = append(got, strip.Bounds().Dx()/(scale*wide.W))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d frames stand on strips of %v, want %v", n, got, want)
		}
		var places []int
		for _, frame := range slidesOf(t, m).Frames {
			if frame[0].Of != want[frame[0].Strip] {
				t.Errorf("%d frames: a strip has %d places, want %d", n, frame[0].Of, want[frame[0].Strip])
			}
			places = append(places, 10*frame[0].Strip+frame[0].At)
		}
		if len(slices.Compact(slices.Clone(places))) != n || !slices.IsSorted(places) {
			t.Errorf("%d frames stand at %v", n, places)
		}
	}
}

// sliderOf is the message with the slider.
func sliderOf(t *testing.T, f Frames) message {
	t.Helper()
	ms, err := f.messages(limits{})
	if err != nil {
		t.Fatal(err)
	}
	return ms[len(ms)-1]
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
		return len(sliderOf(t, f).html)
	}
	if one, eight := size(1), size(8); eight > 2*one {
		t.Errorf("one frame takes %d bytes, eight take %d", one, eight)
	}
}

// A frame drawn over the last one is the frame, also around what is transparent.
func TestOverlay(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const side = 40
	base, strip := image.NewRGBA(image.Rect(0, 0, side, side)), image.NewRGBA(image.Rect(0, 0, 3*side, side))
	for y := range side {
		for x := range side {
			c := color.RGBA{uint8(255 * random.IntN(2)), 0, uint8(255 * random.IntN(2)), 255}
			base.SetRGBA(x, y, c)
			for k := range 3 {
				strip.SetRGBA(x+k*side, y, c)
			}
		}
	}
	for range 6 {
		strip.SetRGBA(random.IntN(3*side), random.IntN(side), color.RGBA{0, 255, 0, 255})
	}
	over := overlay(strip, base)
	clear := func(x, y int) bool {
		_, _, _, a := over.At(x, y).RGBA()
		return a == 0
	}
	seen := 0
	for y := range side {
		for x := range 3 * side {
			got := over.At(x, y)
			if clear(x, y) {
				got, seen = base.At(x%side, y), seen+1
			}
			if color.NRGBAModel.Convert(got) != color.NRGBAModel.Convert(strip.At(x, y)) {
				t.Errorf("pixel %d, %d is %v, want %v", x, y, got, strip.At(x, y))
			}
			if strip.RGBAAt(x, y).G == 0 {
				continue
			}
			for dy := -4; dy <= 4; dy++ {
				for dx := -4; dx <= 4; dx++ {
					if at := image.Pt(x+dx, y+dy); at.In(strip.Rect) && clear(at.X, at.Y) {
						t.Errorf("pixel %v is transparent, near one that differs", at)
					}
				}
			}
		}
	}
	if seen < side*side {
		t.Errorf("%d pixels of the base are seen, want most of them", seen)
	}
	many := image.NewRGBA(image.Rect(0, 0, 200, 200))
	for i := range many.Pix {
		if many.Pix[i] = uint8(random.IntN(256)); i%4 == 3 {
			many.Pix[i] = 255
		}
	}
	if overlay(many, image.NewRGBA(many.Rect)) != image.Image(many) {
		t.Error("a strip of too many colours is not as it was")
	}
}

// drawing is a figure of a given image, for the scale of Show.
type drawing struct{ img image.Image }

func (d *drawing) Size() (int, int) { return d.img.Bounds().Dx() / scale, d.img.Bounds().Dy() / scale }

func (d *drawing) Image(float64) (image.Image, error) { return d.img, nil }

func TestFramesThatCannotBe(t *testing.T) {
	for want, f := range map[string]Frames{
		"at least one":                         {},
		"is -1ns, want 10ms to 1m0s, or 0":     {Figures: []any{red}, Every: -1},
		"is 9.999999ms, want 10ms to 1m0s":     {Figures: []any{red}, Every: leastTime - 1},
		"is 1m0.000000001s, want 10ms to 1m0s": {Figures: []any{red}, Every: longestTime + 1},
		"2 labels for 1":                       {Labels: []string{"a", "b"}, Figures: []any{red}},
		"Figures[1]":                           {Figures: []any{red, Frames{Figures: []any{red}}}},
		"no ink":                               {Figures: []any{&square{W: 1, H: 1, Err: errors.New("no ink")}}},
		"Figures[0]":                           {Figures: []any{(*square)(nil)}},
		"want smaller":                         {Figures: []any{&square{W: 100_000, H: 1000}}},
		"are 12 figures of 2500 × 1000 pixels, want 10 of this size at most, or smaller ones": {Figures: slices.Repeat([]any{&square{W: 2500, H: 1000}}, 12)},
	} {
		if _, err := render([]any{f}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// Names and descriptions cannot change the page around them.
func TestHostileFrames(t *testing.T) {
	for _, s := range hostile {
		m := sliderOf(t, Frames{Along: s, Labels: []string{s}, Figures: []any{[]any{&square{W: 1, H: 1, Alt: s}, s}}})
		if n := strings.Count(strings.Replace(m.html, sliderJS, "", 1), "<"); n != 6 { // as many tags as with any other name
			t.Errorf("%q makes %d tags", s, n)
		}
		if html := slidesOf(t, m).Frames[0][1].HTML; strings.Count(html, "<") != 2 {
			t.Errorf("%q becomes %s", s, html)
		}
		for _, r := range m.html + m.plain {
			if r == 0 || r == '\x1b' || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("%q leaves %q", s, r)
			}
		}
	}
}
