package viz

import (
	"math"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/eval"
)

// A long series of bounds alone is drawn as a short one is.
func TestManyBoundsWithoutAnEstimate(t *testing.T) {
	s := Series{Label: "bounds"}
	for i := range 3000 {
		s.X, s.Lo, s.Hi = append(s.X, float64(i)), append(s.Lo, -1), append(s.Hi, 1)
	}
	f := must(Lines{Series: []Series{{Label: "first", X: []float64{0, 2999}, Y: []float64{0, 0}}, s}}.Figure())
	if n := pixels(t, f, styleOf(1).color); n == 0 {
		t.Error("no line has the style of the second series")
	}
}

// Markers without an estimate stand at both ends of each interval, also of a single one.
func TestMarkersOfBounds(t *testing.T) {
	s := Series{X: []float64{1, 2, 5}, Lo: []float64{0, 1, 2}, Hi: []float64{3, 4, 5}}
	without := pixels(t, must(Lines{Series: []Series{s}}.Figure()), styleOf(0).color)
	s.Markers = true
	f := must(Lines{Series: []Series{s}}.Figure())
	if with := pixels(t, f, styleOf(0).color); with < without+6*20 {
		t.Errorf("%d pixels with markers and %d without, want six markers", with, without)
	}
	if f.Legend[0].Marker.Shape == nil {
		t.Error("the legend shows no marker")
	}
	if n := pixels(t, must(Lines{Series: []Series{{X: []float64{1}, Lo: []float64{0}, Hi: []float64{3}}}}.Figure()), styleOf(0).color); n < 2*20 {
		t.Errorf("%d pixels of one interval, want two markers", n)
	}
}

// The key of a band has the colour of the band, and is grey where bands have several.
func TestKeyOfBands(t *testing.T) {
	line := Series{X: []float64{0, 1}, Y: []float64{0, 1}}
	band := Series{X: []float64{0, 1}, Y: []float64{2, 3}, Lo: []float64{1, 2}, Hi: []float64{3, 4}}
	for _, c := range []struct {
		list []Series
		want any
	}{{[]Series{line, band}, bandFill(styleOf(1))}, {[]Series{band, line, band}, faded(muted, 0.25)}} {
		f := must(Lines{Series: c.list}.Figure())
		if got := f.Legend[len(c.list)].Fill; got != c.want {
			t.Errorf("key %v, want %v", got, c.want)
		}
	}
}

// The error of a figure with two mistakes is one line.
func TestOneErrorOfLines(t *testing.T) {
	_, err := Lines{Categories: []string{"a"}, LogX: true, Series: []Series{{Y: []float64{1}}}, References: []Reference{{"r", math.NaN()}}}.Figure()
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q, want one line", err)
	}
}

// A symbol has a sign between itself and its value.
func TestReferenceLabels(t *testing.T) {
	for _, c := range []struct {
		label string
		value float64
		want  string
	}{{"−ε", -4, "−ε = −4"}, {"2ε", 8, "2ε = 8"}, {"k·N", 3000, "k·N = 3,000"}, {"optimum", 19.4, "optimum 19.4"}, {"", 2, "2"}} {
		if got := referenceLevels([]Reference{{c.label, c.value}})[0].label; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Markers that share a place keep it, and each is larger than those inside it.
func TestNestedMarkersKeepTheirPlace(t *testing.T) {
	line := func(at float64) Series {
		return Series{X: []float64{at}, Y: []float64{1}, Markers: true}
	}
	for _, at := range []float64{0, 0.4, 1} {
		f := must(Lines{Series: []Series{line(at), line(at), line(at)}}.Figure())
		p, c := f.Panels[0], drawingOf(f)
		p.X.Min, p.X.Max = 0, 1
		m := nested{}
		for i := range 3 {
			m = append(m, points{x: []float64{at}, y: []float64{1}, style: styleOf(i).marker(3.6 * px)})
		}
		want := project(c, p, []float64{at}, []float64{1})[0]
		for i, q := range m.sized(c, p) {
			if q[0] != (marker{want, i, 2 - i}) {
				t.Errorf("marker %d at %v is %+v, want it at %v, with %d outside and %d inside", i, at, q[0], want, i, 2-i)
			}
		}
	}
}

// A band says what it is: proved brackets beside means with their intervals are not called 95% intervals.
func TestBandsSayWhatTheyAre(t *testing.T) {
	x := []float64{1, 2}
	mean := IntervalSeries("mean", x, []eval.Interval{{Mean: 1, Lo: 0, Hi: 2}, {Mean: 1, Lo: 0, Hi: 2}})
	proved := IntervalSeries("proved", x, []cover.Interval{{Lower: 1, Upper: 2}, {Lower: 1, Upper: 3}})
	bounds := Series{Label: "bounds", X: x, Lo: x, Hi: x}
	for _, l := range []Lines{{Series: []Series{mean, proved, bounds}}, {Series: []Series{mean, proved, bounds}, Categories: []string{"a", "b", "c"}}} {
		f := must(l.Figure())
		var said []string
		for _, e := range f.Legend[3:] {
			said = append(said, e.Text)
		}
		if got := strings.Join(said, ", "); got != "95% interval, proved bracket, lower to upper bound" {
			t.Errorf("bands are %s", got)
		}
	}
	f := must(Lines{Series: []Series{mean, bounds}, Band: "told"}.Figure())
	if n := len(f.Legend); n != 3 || f.Legend[2].Text != "told" {
		t.Errorf("%d entries, the last is %q", n, f.Legend[n-1].Text)
	}
}

// What a theorem promises stands beside the sizes of covers, and is no cover.
func TestTheoryOfCovers(t *testing.T) {
	theory := Series{Label: "promised", X: []float64{1, 100}, Y: []float64{2, 20_000}}
	f := must(CoverCurve{Curves: []CoverSeries{{"a", powerCurve(8, 1)}}, Theory: []Series{theory}}.Figure())
	if !slices.ContainsFunc(f.Legend, func(e LegendEntry) bool { return e.Text == "promised" }) || f.Panels[0].Y.Max < 20_000 {
		t.Errorf("legend %v, up to %v", f.Legend, f.Panels[0].Y.Max)
	}
}
