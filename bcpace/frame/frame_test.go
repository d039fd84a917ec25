package frame

import (
	"bytes"
	"reflect"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"

	"github.com/go-gota/gota/series"
)

// hostileRun has names that collide with one another and with the columns'
// own, and every kind of axis.
func hostileRun() *runs.Run {
	r := &runs.Run{
		Spec: bcpace.Spec{
			Axes: []bcpace.Axis{
				{Name: "x", Min: 0, Max: 1},
				{Name: "x'", Min: 0, Max: 9, Discrete: true},
				{Name: "action", Min: 1, Max: 2, Discrete: true, Labels: []string{"one", "two"}},
				{Name: "", Min: 0, Max: 1},
				{Name: "b(a)", Min: 0, Max: 1},
			},
			Actions: bcpace.Actions("listen", "open, \"left\""),
			Latents: []string{"a", "b"},
		},
		Trace: []runs.Episode{
			{Return: 1e-12, Steps: 3, Escapes: 2, Added: 2, Sweeps: 7, Residual: 1e-9, Value: 10},
			{Return: -1, Steps: 1, Value: 10},
			{Return: 2, Steps: 2, Escapes: 1, Added: 1, Sweeps: 5, Residual: 0, Value: 9.5},
		},
	}
	r.Samples = runs.NewSamples(r.Spec)
	for i := range 3 {
		r.Samples.Add(runs.Sample{
			State: []float64{0.1 * float64(i), float64(i), float64(1 + i%2), 0, 1}, Next: []float64{1e-12, 9, 2, 0.5, 1. / 3},
			Belief: bcpace.Belief{0.25, 0.75}, NextBelief: bcpace.Belief{1, 0},
			Action: i % 2, Reward: -1e-10, Done: i == 2, Q: 1. / 3, Episode: i, Time: 2 * i,
		})
	}
	return r
}

func TestSamples(t *testing.T) {
	df := Samples(hostileRun())
	names := []string{"episode", "time", "x", "x'", "action", "column", "b(a)", "b(a) (2)", "b(b)", "action (2)", "reward",
		"x' (2)", "x''", "action'", "'", "b(a)'", "b'(a)", "b'(b)", "done", "Q"}
	if got := df.Names(); !reflect.DeepEqual(got, names) {
		t.Errorf("names are\n%q\nwant\n%q", got, names)
	}
	if rows, cols := df.Dims(); rows != 3 || cols != len(names) {
		t.Fatalf("frame is %d × %d, want 3 × %d", rows, cols, len(names))
	}
	for _, c := range []struct {
		name string
		row  int
		want any
	}{
		{"time", 2, 4}, {"x", 1, 0.1}, {"x'", 2, 2}, {"action", 1, "two"}, {"b(a) (2)", 0, 0.25}, {"action (2)", 1, `open, "left"`},
		{"reward", 0, -1e-10}, {"x' (2)", 0, 1e-12}, {"action'", 0, "two"}, {"b'(b)", 0, 0.0}, {"done", 2, true}, {"Q", 0, 1. / 3},
	} {
		if got := df.Col(c.name).Val(c.row); !reflect.DeepEqual(got, c.want) && got != series.ElementValue(c.want) {
			t.Errorf("%s of row %d is %v, want %v", c.name, c.row, got, c.want)
		}
	}
	var b bytes.Buffer
	if err := WriteCSV(&b, df); err != nil {
		t.Fatal(err)
	}
	again, err := ReadCSV(&b)
	if err != nil {
		t.Fatal(err)
	}
	same(t, again, df)
}

// described is a model of which nothing but the description is asked for.
type described struct {
	bcpace.Model
	spec bcpace.Spec
}

func (m described) Spec() bcpace.Spec { return m.spec }

func TestTrace(t *testing.T) {
	df := Trace(hostileRun())
	want := []string{"episode", "return", "steps", "escapes", "added", "samples", "sweeps", "residual", "value"}
	if got := df.Names(); !reflect.DeepEqual(got, want) {
		t.Errorf("names are %q, want %q", got, want)
	}
	if got, err := df.Col("samples").Int(); err != nil || !reflect.DeepEqual(got, []int{2, 2, 3}) {
		t.Errorf("samples are %v, want 2, 2, 3", got)
	}
	if got := df.Col("return").Float(); got[0] != 1e-12 {
		t.Errorf("return is %v, want 1e-12", got[0])
	}
	flat := hostileRun()
	r := runs.New(described{spec: flat.Spec}, nil, runs.Plan{Brackets: true}, nil, nil)
	r.Samples, r.Trace = flat.Samples, flat.Trace
	for i, gap := range []float64{3, 1e-13, 0} {
		r.Trace[i].Gap = gap
	}
	df = Trace(r)
	if got := df.Names(); !reflect.DeepEqual(got, append(want, "gap")) {
		t.Errorf("names of a certified run are %q, want %q and gap", got, want)
	}
	if got := df.Col("gap").Float(); !reflect.DeepEqual(got, []float64{3, 1e-13, 0}) {
		t.Errorf("gaps are %v, want 3, 1e-13, 0", got)
	}
}

// TestEmpty: a run that was interrupted at once has a frame with its columns.
func TestEmpty(t *testing.T) {
	r := hostileRun()
	r.Samples, r.Trace = runs.NewSamples(r.Spec), nil
	if df := Samples(r); df.Err != nil || df.Nrow() != 0 || df.Ncol() != 20 {
		t.Errorf("samples: %d × %d, %v, want 0 × 20", df.Nrow(), df.Ncol(), df.Err)
	}
	if df := Trace(r); df.Err != nil || df.Nrow() != 0 || df.Ncol() != 9 {
		t.Errorf("trace: %d × %d, %v, want 0 × 9", df.Nrow(), df.Ncol(), df.Err)
	}
}
