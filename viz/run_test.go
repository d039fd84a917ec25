package viz

import (
	"context"
	"math"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// The figures of a real run, small enough for every test.
func TestFiguresOfRun(t *testing.T) {
	run, err := runs.Explore(context.Background(), envs.Tiger{}, cpace.Solver{Epsilon: 10, Seed: 1, RandomBelief: true, MaxEpisodes: 200})
	if err != nil {
		t.Fatal(err)
	}
	exact := func(b bcpace.Belief, action int) float64 { return float64(action) + b[0] }
	for name, chart := range map[string]Chart{
		"QOverBelief":       QOverBelief{Run: run},
		"QOverBelief exact": QOverBelief{Run: run, State: []float64{0}, Exact: exact},
		"Exploration":       Exploration{Run: run},
		"Returns":           Returns{Run: run},
	} {
		f, err := chart.Figure()
		if err != nil {
			t.Fatal(err)
		}
		checkMargins(t, name, f)
		if !strings.HasPrefix(f.Title, "Tiger: ") {
			t.Errorf("%s: title %q, want the model's name", name, f.Title)
		}
	}

	// What was heard last does not matter, so that all samples are shown.
	f := must(QOverBelief{Run: run}.Figure())
	total := 0
	for action, n := range run.Samples.Actions() {
		if want := numtext.Several(n, "sample") + " here"; !strings.Contains(f.Alt, want) {
			t.Errorf("description %q, want %q for action %d", f.Alt, want, action)
		}
		total += n
	}
	e := must(Exploration{Run: run}.Figure())
	if want := numtext.Several(total, "sample"); !strings.Contains(e.Subtitle, want) {
		t.Errorf("subtitle %q, want %q", e.Subtitle, want)
	}

	f = must(QOverBelief{Run: run, Title: "From anywhere"}.Figure())
	if f.Title != "From anywhere" || !strings.HasPrefix(f.Alt, "From anywhere. Optimistic value") {
		t.Errorf("title %q, description %q, want a title of one's own in both", f.Title, f.Alt)
	}

	if _, err := (QOverBelief{Run: run, State: []float64{math.NaN()}}).Figure(); err == nil || !strings.Contains(err.Error(), "State[0] is NaN") {
		t.Errorf("State is NaN: error %v", err)
	}
	nan := func(bcpace.Belief, int) float64 { return math.NaN() }
	if _, err := (QOverBelief{Run: run, Exact: nan}).Figure(); err == nil || !strings.Contains(err.Error(), "Exact[0] is NaN") {
		t.Errorf("Exact returns NaN: error %v", err)
	}
}

func TestStateName(t *testing.T) {
	spec := envs.LightDarkTiger{}.Spec()
	if got := stateName(spec, []float64{2, 1, 0}); !strings.Contains(got, "2") || strings.Contains(got, "seen") {
		t.Errorf("stateName = %q, want x and y but not what was seen, which matters to no value", got)
	}
}
