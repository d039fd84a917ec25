package viz

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace/cover"
)

// theoryGoldens are the figures of the paper's analysis, from values made here.
func theoryGoldens() map[string]Chart {
	return map[string]Chart{
		"cover_curve": CoverCurve{Title: "Covering numbers", Subtitle: "two power laws", Curves: []CoverSeries{
			{"one dimension", powerCurve(8, 1)}, {"two dimensions", powerCurve(5, 2)}, {"too few to fit", shortCurve()},
		}},
		"promised_steps": promises(),
	}
}

// powerCurve grows like ε to the power of −d, with some scatter.
func powerCurve(c, d float64) *cover.Curve {
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	x := &cover.Curve{Points: 1 << 30, Epsilon: cover.Decades(1, 0.01, 17)}
	last := 0
	for _, e := range x.Epsilon {
		last = max(last, int(c*math.Pow(e, -d)*(0.9+0.2*rng.Float64())))
		x.Net, x.Most = append(x.Net, last), append(x.Most, int(float64(last)*math.Pow(1.7, d)))
	}
	return x
}

func shortCurve() *cover.Curve {
	return &cover.Curve{Points: 40, Epsilon: []float64{0.5, 0.1}, Net: []int{2, 7}, Most: []int{4, -1}}
}

func promises() PromisedSteps {
	p := PromisedSteps{Title: "Tiger: what is promised, and what happens"}
	for _, e := range []float64{8, 0.5, 1, 2, 4} {
		p.Rows = append(p.Rows, PromisedRow{Epsilon: e, Promised: 3e6 / (e * e), Measured: int(12/e - 2), PromisedSamples: 300 / e, Samples: int(40 / e),
			PromisedEscapes: 2.8e6 / (e * e), Escapes: int(400 / e)})
	}
	return p
}

func TestTheoryGolden(t *testing.T) {
	for name, chart := range theoryGoldens() {
		t.Run(name, func(t *testing.T) { checkGolden(t, name, chart) })
	}
}

func TestCoverCurve(t *testing.T) {
	f, err := theoryGoldens()["cover_curve"].Figure()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"one dimension: covering dimension, the slope 1.0", "two dimensions: covering dimension, the slope 2.0", "too few to fit"} {
		if !strings.Contains(f.Alt, want) {
			t.Errorf("no %q in %q", want, f.Alt)
		}
	}
	for name, c := range map[string]CoverCurve{
		"nothing": {}, "nil": {Curves: []CoverSeries{{}}}, "empty": {Curves: []CoverSeries{{"", &cover.Curve{}}}},
		"uneven": {Curves: []CoverSeries{{"", &cover.Curve{Epsilon: []float64{1}, Net: []int{1}}}}},
		"zero":   {Curves: []CoverSeries{{"", &cover.Curve{Epsilon: []float64{1}, Net: []int{0}, Most: []int{0}}}}},
		"many":   {Curves: make([]CoverSeries, 8)},
	} {
		if _, err := c.Figure(); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for kind, s := range hostile {
		f, err := CoverCurve{Title: s, Subtitle: s, Curves: []CoverSeries{{s, powerCurve(5, 1)}, {s, shortCurve()}}}.Figure()
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		checkMargins(t, kind, f)
	}
}

// The band is drawn where there is a bound, and nowhere else.
func TestBandOfCoverWithGaps(t *testing.T) {
	x := powerCurve(5, 2)
	whole := must(CoverCurve{Curves: []CoverSeries{{"", x}}, NoFit: true}.Figure())
	part := *x
	part.Most = append([]int(nil), x.Most...)
	last := len(x.Most) - 1
	part.Most[8], part.Most[last] = -1, -1
	f := must(CoverCurve{Curves: []CoverSeries{{"", &part}}, NoFit: true, XLabel: "1/δ", YLabel: "nodes"}.Figure())
	area := func(f *Figure) int { return pixels(t, f, overWhite(bandFill(styleOf(0)))) }
	if a, b := area(whole), area(f); a == 0 || b < a/2 || b > a*9/10 {
		t.Errorf("the band has %d pixels of %d, want less, for three of its %d stretches are gone", b, a, last)
	}
	if strings.Contains(f.Alt, "upper bound") || !strings.Contains(whole.Alt, "upper bound") {
		t.Errorf("the descriptions are %q without a bound of the last point, and %q with one", f.Alt, whole.Alt)
	}
	if p := f.Panels[0]; p.X.Label.Text != "1/δ" || p.Y.Label.Text != "nodes" || whole.Panels[0].Y.Label.Text != "points of a cover" {
		t.Errorf("labels %q and %q, want those given", p.X.Label.Text, p.Y.Label.Text)
	}
	part.Most = slices.Repeat([]int{-1}, last+1)
	if f := must(CoverCurve{Curves: []CoverSeries{{"", &part}}}.Figure()); len(f.Legend) != 2 || f.Legend[1].Text != "fit" {
		t.Errorf("legend %+v, want the curve and the fit", f.Legend)
	}
}

// overWhite is a colour on white paper.
func overWhite(c color.NRGBA) color.NRGBA {
	img := image.NewRGBA(image.Rect(0, 0, 1, 1))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(img, img.Bounds(), image.NewUniform(c), image.Point{}, draw.Over)
	r, g, b, _ := img.At(0, 0).RGBA()
	return color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}
}

func TestPromisedSteps(t *testing.T) {
	f, err := promises().Figure()
	if err != nil || !strings.Contains(f.Alt, "counts are 0 and stand below the break") {
		t.Errorf("%v, %v", f, err)
	}
	for name, p := range map[string]PromisedSteps{"nothing": {}, "zero": {Rows: []PromisedRow{{}}}} {
		if _, err := p.Figure(); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
