package viz

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot"
	"pgregory.net/rapid"
)

// labelsOf lists the labels of ticks.
func labelsOf(ticks []plot.Tick) (labels []string) {
	for _, t := range ticks {
		if !t.IsMinor() {
			labels = append(labels, t.Label)
		}
	}
	return labels
}

func TestLogTicksOfData(t *testing.T) {
	many := make([]float64, 31)
	for i := range many {
		many[i] = 1 + float64(i)/10
	}
	for _, c := range []struct {
		ticks logTicks
		want  []string
	}{
		{logTicks{data: []float64{0.5, 1, 2, 4, 8}}, []string{"0.5", "1", "2", "4", "8"}},
		{logTicks{data: []float64{1, 2, 3, 4}, whole: true}, []string{"1", "2", "3", "4"}},
		{logTicks{data: []float64{3, 3.01, 3.02, 7}}, []string{"3", "7"}}, // no room for others
		{logTicks{data: many}, []string{"1", "2", "4"}},
		{logTicks{data: []float64{3, 4}, besides: true}, []string{"3", "4"}},
		{logTicks{data: []float64{2e-6, 3e-5}}, []string{"2·10⁻⁶", "3·10⁻⁵"}},
		{logTicks{data: []float64{3, 30, 90, 300, 900, 3e3, 5e3, 9e3, 19_000}}, []string{"3", "10", "100", "1,000", "10,000"}},
	} {
		slices.Sort(c.ticks.data)
		n := len(c.ticks.data)
		got := labelsOf(c.ticks.Ticks(c.ticks.data[0]*0.99, c.ticks.data[n-1]*1.01))
		if !slices.Equal(got, c.want) {
			t.Errorf("ticks of %v are labelled %q, want %q", c.ticks.data, got, c.want)
		}
	}
}

// Labels stand in rising order at their values, and both ends are labelled where the data
// has few values.
func TestLogTicksOfAnyData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfNDistinct(rapid.Float64Range(1e-6, 1e6), 2, 30, rapid.ID[float64]).Draw(t, "data")
		slices.Sort(data)
		n := len(data)
		lo, hi := data[0], data[n-1]
		ticks := logTicks{data: data}.Ticks(lo, hi)
		if !slices.IsSortedFunc(ticks, func(a, b plot.Tick) int { return int(math.Copysign(1, a.Value-b.Value)) }) {
			t.Fatalf("the ticks of %v are %v, want rising ones", data, ticks)
		}
		labelled := slices.DeleteFunc(slices.Clone(ticks), plot.Tick.IsMinor)
		if len(labelled) == 0 || n <= fewLabels && labelled[0].Value != lo {
			t.Fatalf("the ticks of %v are %v, want one at the first value", data, ticks)
		}
		for i := 1; i < len(labelled); i++ {
			if crowded(labelled[i-1], labelled[i], lo, hi) {
				t.Fatalf("the labels %q and %q touch", labelled[i-1].Label, labelled[i].Label)
			}
		}
	})
}

func TestBoundsLabelTheirEnds(t *testing.T) {
	p := must(manyBounds().Figure()).Panels[0]
	labels := labelsOf(p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max))
	if want := []string{"11", "20", "50", "100", "200", "500", "671"}; !slices.Equal(labels, want) {
		t.Errorf("the axis is labelled %q, want %q", labels, want)
	}
}
