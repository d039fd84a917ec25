package viz

import (
	"errors"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// pixels counts the pixels of a colour in the panels of a figure.
func pixels(t *testing.T, f *Figure, c color.NRGBA) (n int) {
	t.Helper()
	g := *f
	g.Legend = nil
	img, err := g.Image(2)
	if err != nil {
		t.Fatal(err)
	}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if img.At(x, y) == (color.RGBA{c.R, c.G, c.B, 255}) {
				n++
			}
		}
	}
	return n
}

// Of two curves that are the same, both are seen.
func TestCurvesOnOneAnotherAreBothSeen(t *testing.T) {
	one := Series{Label: "one", X: []float64{0, 1, 2}, Y: []float64{0, 5, 3}}
	two := one
	f := must(Lines{Series: []Series{one, two}}.Figure())
	wide, thin := pixels(t, f, styleOf(0).ground().Color.(color.NRGBA)), pixels(t, f, styleOf(1).color)
	if wide < 1000 || thin < 500 {
		t.Errorf("%d and %d pixels of the two curves", wide, thin)
	}
	two.Y = []float64{5, 0, 1}
	if f := must(Lines{Series: []Series{one, two}}.Figure()); pixels(t, f, styleOf(0).ground().Color.(color.NRGBA)) > wide/10 {
		t.Error("a curve that is alone is drawn as one below another")
	}
}

// hidden finds a curve that another one follows, wherever its own points are.
func TestHidden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slope, at := rapid.Float64Range(-5, 5).Draw(t, "slope"), rapid.Float64Range(-5, 5).Draw(t, "at")
		line := func(n int, add float64) (c curve) {
			for i := range n {
				x := 10 * float64(i) / float64(n-1)
				c.x, c.y = append(c.x, x), append(c.y, at+slope*x+add)
			}
			return c
		}
		n, m := rapid.IntRange(2, 30).Draw(t, "n"), rapid.IntRange(2, 30).Draw(t, "m")
		got := hidden([]curve{line(n, 0), line(m, 0), line(m, 10)}, false, false)
		if !slices.Equal(got[0], [][2]int{{0, n}}) || len(got[1]) > 0 || len(got[2]) > 0 {
			t.Fatalf("hidden are %v, want the first", got)
		}
	})
}

// The grounds of a curve below another one are in the legend; where two curves cross, there are
// none.
func TestGroundsAreExplained(t *testing.T) {
	x, up, down := make([]float64, 201), make([]float64, 201), make([]float64, 201)
	for i := range x {
		x[i], up[i], down[i] = float64(i), float64(i), float64(200-i)
	}
	for _, c := range []struct {
		second []float64
		want   int
	}{{up, 1}, {down, 0}} {
		f := must(Lines{Series: []Series{{X: x, Y: up}, {X: x, Y: c.second}}}.Figure())
		n := 0
		for _, e := range f.Legend {
			if e.Text == "line below another one" {
				n++
			}
		}
		if n != c.want {
			t.Errorf("%d entries for grounds, want %d", n, c.want)
		}
	}
}

// A bar without an estimate has no marker, and the legend shows none.
func TestIntervalWithoutAnEstimate(t *testing.T) {
	alone := must(Intervals{Title: "bounds", Rows: []Interval{Between("V*", 1, 2)}}.Figure())
	with := must(Intervals{Title: "bounds", Rows: []Interval{{"V*", 1.5, 1, 2}}}.Figure())
	if a, b := pixels(t, alone, styleOf(0).color), pixels(t, with, styleOf(0).color); a >= b {
		t.Errorf("%d pixels without a marker, %d with one", a, b)
	}
	if alone.Legend[0].Marker.Shape != nil || alone.Legend[0].Text != "interval" || with.Legend[0].Marker.Shape == nil {
		t.Errorf("legends are %+v and %+v", alone.Legend, with.Legend)
	}
	if want := "bounds. values, interval: V* 1 to 2."; alone.Alt != want {
		t.Errorf("%q, want %q", alone.Alt, want)
	}
	for want, rows := range map[string]Interval{"is NaN": Between("", math.NaN(), 1), "hold": {"", 5, 1, 2}, "Hi[0] is +Inf": Between("", 0, math.Inf(1)),
		"Lo[0] is -Inf": Between("", math.Inf(-1), math.Inf(1)), "Lo is 2 and Hi is 1": Between("a", 2, 1)} {
		if _, err := (Intervals{Rows: []Interval{rows}}).Figure(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one with %q", rows, err, want)
		}
	}
}

func TestCategories(t *testing.T) {
	f := must(Lines{Title: "two", Categories: []string{"none", "all of them"}, YLabel: "samples", Series: []Series{{Label: "Chain", Y: []float64{9, 1}, Lo: []float64{8, 0}, Hi: []float64{10, 2}}}}.Figure())
	if want := "two. samples, for each setting. Chain: none 9 (8 to 10); all of them 1 (0 to 2)."; f.Alt != want {
		t.Errorf("%q, want %q", f.Alt, want)
	}
	var labels []string
	for _, k := range f.Panels[0].X.Tick.Marker.Ticks(0, 1) {
		labels = append(labels, strings.TrimSpace(k.Label))
	}
	if strings.Join(labels, "|") != "none|all of them" {
		t.Errorf("labels are %q", labels)
	}
	if narrow := f.Narrower(250); narrow.Width >= f.Width {
		t.Errorf("a narrower figure is %v wide", narrow.Width)
	}
	for want, l := range map[string]Lines{
		"has categories and LogX":             {Categories: []string{"a"}, LogX: true, Series: []Series{{Y: []float64{1}, X: []float64{1}}}},
		"X[0] is 1, want the number of a c":   {Categories: []string{"a"}, Series: []Series{{X: []float64{1}, Y: []float64{1}}}},
		"X[1] is 0.5, want the number of a c": {Categories: []string{"a"}, Series: []Series{{X: []float64{0, 0.5}, Y: []float64{1, 1}}}},
		"has 13 categories and 1 series":      {Categories: make([]string, 13), Series: []Series{{Y: []float64{1}}}},
		"has no points":                       {Categories: []string{"a"}, Series: []Series{{}}},
	} {
		if _, err := l.Figure(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// A series of bounds has a band with edges, and no curve between them.
func TestSeriesWithoutAnEstimate(t *testing.T) {
	f := must(Lines{Title: "bounds", Series: []Series{{Label: "V*", X: []float64{0, 1}, Lo: []float64{0, 0.5}, Hi: []float64{2, 1}}}}.Figure())
	if f.Legend[0].Fill == nil || !strings.Contains(f.Alt, "V*: 0 to 2 at 0, and 0.5 to 1 at 1.") {
		t.Errorf("%+v, %q", f.Legend, f.Alt)
	}
}

func TestSameAxes(t *testing.T) {
	low, high := Lines{Series: []Series{{X: []float64{0, 1}, Y: []float64{0, 1}}}}, Lines{Series: []Series{{X: []float64{5, 9}, Y: []float64{10, 30}}}}
	drawn := SameAxes(low, high, Exploration{})
	for _, d := range drawn {
		if _, err := d.(Chart).Figure(); err == nil || !strings.Contains(err.Error(), "Exploration") {
			t.Errorf("error %v, want that of the chart at fault", err)
		}
	}
	drawn = SameAxes(low, high)
	a, b := drawn[0].(*Figure).Panels[0], drawn[1].(*Figure).Panels[0]
	if a.X.Min != 0 || a.X.Max != 9 || a.Y.Min > 0 || a.Y.Max < 30 || a.Y.Min != b.Y.Min || a.Y.Max != b.Y.Max || b.X.Min != 0 || b.X.Max != 9 {
		t.Errorf("axes are %v to %v and %v to %v", a.X.Min, a.X.Max, a.Y.Min, a.Y.Max)
	}
	rows := []any{Intervals{Rows: []Interval{{"a", 1, 0, 2}}}, Intervals{Rows: []Interval{{"a", 1, 0, 9}, {"b", 1, 0, 2}}}}
	drawn = SameAxes(rows[0].(Chart), rows[1].(Chart))
	a, b = drawn[0].(*Figure).Panels[0], drawn[1].(*Figure).Panels[0]
	if a.X.Max != b.X.Max || a.Y.Max == b.Y.Max {
		t.Errorf("rows with names end at %v and %v, values at %v and %v", a.Y.Max, b.Y.Max, a.X.Max, b.X.Max)
	}
	if len(SameAxes()) != 0 {
		t.Error("no chart is some")
	}
	if _, err := (undrawn{errors.New("x")}).Figure(); err == nil {
		t.Error("no error")
	}
}

// Text is as large in a narrower figure, and none of it leaves the figure.
func TestNarrower(t *testing.T) {
	for name, chart := range goldens() {
		f := must(chart.Figure())
		g := f.Narrower(410)
		if w, _ := g.Size(); w != 410 {
			t.Errorf("%s is %d wide, want 410", name, w)
		}
		checkMargins(t, name+", narrow", g)
		if w, _ := f.Narrower(2000).Size(); w != 640 && w != 520 {
			t.Errorf("%s is %d wide, want as it was", name, w)
		}
	}
}

// No text of a figure on a page of 800 pixels is smaller than 11 pixels, but for scripts.
func TestTextOnAPage(t *testing.T) {
	if size := tickSize / px * 800 / (pageWidth / px); size < 11 {
		t.Errorf("the smallest text is %v pixels high", size)
	}
	for name, chart := range goldens() {
		if f := must(chart.Figure()); f.Width > pageWidth {
			t.Errorf("%s is %v wide", name, f.Width/px)
		}
	}
}

// Code names of algorithms and bounds are written out where a curve or a row is named.
func TestLabelsAreWords(t *testing.T) {
	l := must(Lines{Series: []Series{{Label: "fib", X: []float64{1}, Y: []float64{1}}, {Label: "constant, box cone", X: []float64{1}, Y: []float64{2}}}}.Figure())
	if a, b := l.Legend[0].Text, l.Legend[1].Text; a != "fast informed bound" || b != "constant, box cone" {
		t.Errorf("labels are %q and %q", a, b)
	}
	i := must(Intervals{Rows: []Interval{{"pomcp", 1, 1, 1}}}.Figure())
	if got := i.Panels[0].Y.Tick.Marker.Ticks(0, 1)[0].Label; got != "POMCP" {
		t.Errorf("row is %q", got)
	}
}
