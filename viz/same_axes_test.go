package viz

import (
	"math"
	"strings"
	"testing"
)

func TestSameAxesRefusesCharts(t *testing.T) {
	line := Lines{Series: []Series{{X: []float64{1, 2}, Y: []float64{1, 2}}}}
	log := line
	log.LogX = true
	for name, c := range map[string]struct {
		charts []Chart
		want   string
	}{
		"nil":         {[]Chart{line, nil}, "chart 1 is nil"},
		"only nil":    {[]Chart{nil}, "chart 0 is nil"},
		"nil figure":  {[]Chart{(*Figure)(nil), line}, "chart 0 is nil"},
		"nil pointer": {[]Chart{line, (*Lines)(nil)}, "chart 1 is nil"},
		"kinds":       {[]Chart{line, Returns{Values: returnsOf(50)}}, "chart 0 is a viz.Lines and chart 1 a viz.Returns, want charts of one kind"},
		"scales":      {[]Chart{line, log}, "one of the X axes of charts 0 and 1 is logarithmic"},
		"both scales": {[]Chart{line, Lines{Series: line.Series, LogX: true, LogY: true}}, "one of the X axes of charts 0 and 1 is logarithmic"},
	} {
		drawn := SameAxes(c.charts...)
		if len(drawn) != len(c.charts) {
			t.Errorf("%s: %d charts, want %d", name, len(drawn), len(c.charts))
		}
		for _, d := range drawn {
			if _, err := d.(Chart).Figure(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %q in it", name, err, c.want)
			}
		}
	}
	for _, d := range SameAxes(&line, line, must(line.Figure())) {
		if _, err := d.(Chart).Figure(); err != nil {
			t.Errorf("charts of one kind: %v", err)
		}
	}
}

// A finished figure keeps its own ranges.
func TestSameAxesLeavesFigures(t *testing.T) {
	f := must(Lines{Series: []Series{{X: []float64{1, 2}, Y: []float64{1, 2}}}}.Figure())
	before := *f.Panels[0]
	drawn := SameAxes(f, Lines{Series: []Series{{X: []float64{10, 20}, Y: []float64{10, 20}}}}, f.Narrower(400))
	if p := f.Panels[0]; p.X.Min != before.X.Min || p.X.Max != before.X.Max || p.Y.Min != before.Y.Min || p.Y.Max != before.Y.Max {
		t.Errorf("the figure has the ranges %v to %v and %v to %v, want those that it had", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
	}
	for i, d := range drawn {
		p := must(d.(Chart).Figure()).Panels[0]
		if p.X.Max < 20 || p.Y.Max < 20 {
			t.Errorf("chart %d goes up to %v and %v, want 20 at least", i, p.X.Max, p.Y.Max)
		}
		if m, ok := p.X.Tick.Marker.(roomyTicks); ok && m.plot != p {
			t.Errorf("the ticks of chart %d are those of another one", i)
		}
	}
}

// The band of zeros stands below all values of both figures, as high as it is in one alone.
func TestSameAxesWithZeros(t *testing.T) {
	const least = 2 // of all counts but 0
	with := PromisedSteps{Rows: []PromisedRow{{Epsilon: 1, Promised: 50, PromisedSamples: 3, Samples: least, PromisedEscapes: 9, Escapes: 4}}}
	without := PromisedSteps{Rows: []PromisedRow{{Epsilon: 1, Promised: 1e6, Measured: 7, PromisedSamples: 30, Samples: 20, PromisedEscapes: 90, Escapes: 25}}}
	for _, charts := range [][]Chart{{with, without}, {without, with}} {
		for i, d := range SameAxes(charts...) {
			p := must(d.(Chart).Figure()).Panels[0]
			middle, edge := zeroBand(p.Y.Min, p.Y.Max)
			if p.Y.Min >= middle || middle >= edge || edge > least || p.Y.Max < 1e6 {
				t.Errorf("chart %d goes from %v to %v, with its band up to %v, want that below %v", i, p.Y.Min, p.Y.Max, edge, least)
			}
			if share := math.Log(edge/p.Y.Min) / math.Log(p.Y.Max/p.Y.Min); math.Abs(share-1./9) > 1e-9 {
				t.Errorf("chart %d: the band has %v of the height, want a ninth", i, share)
			}
		}
	}
}

// Strips at the foot of one chart have their room below the data of all.
func TestSameAxesWithStrips(t *testing.T) {
	chart := func(known bool, q ...float64) *Figure {
		return must(beliefValues{model: "m", latent: "l", other: "o", b: []float64{0, 0.5, 1},
			actions: []actionValues{{name: "go", q: q, known: []bool{known, known, false}}}}.figure())
	}
	for name, charts := range map[string][]Chart{
		"strips":  {chart(true, -5, -9, 3), chart(true, 100, 90, 120)},
		"with":    {chart(true, -5, -9, 3), chart(false, 100, 90, 120)},
		"without": {chart(false, -5, -9, 3), chart(true, 100, 90, 120)},
	} {
		for i, d := range SameAxes(charts...) {
			p := must(d.(Chart).Figure()).Panels[0]
			room := chart(true, 0, 0, 1).foot
			share := (-9 - p.Y.Min) / (p.Y.Max - p.Y.Min) // below the lowest value
			if want := room / (1 + room); share < want || share > want+0.1 {
				t.Errorf("%s: chart %d has %.3f of its height below the data, want %.3f for the strips and little more", name, i, share, want)
			}
		}
	}
}
