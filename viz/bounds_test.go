package viz

import (
	"math"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// closingRun resembles a run whose gap shrinks by a factor in each trial.
func closingRun(label string, value, width, shrink, epsilon float64) ConvergenceCurve {
	c := ConvergenceCurve{Label: label, Epsilon: epsilon}
	for k := 1; width > epsilon; k++ {
		c.X = append(c.X, float64(10*k+k%3))
		c.Lower, c.Upper, c.gap = append(c.Lower, value-0.4*width), append(c.Upper, value+0.6*width), append(c.gap, width)
		width *= shrink
	}
	return c
}

func oneBounds() Convergence {
	return Convergence{
		Title: "Chain, γ = 0.95", XLabel: "samples", References: []Reference{{"optimum", 48.08}},
		Curves: []ConvergenceCurve{closingRun("certified", 48.08, 2, 0.8, 1e-3)},
	}
}

func manyBounds() Convergence {
	return Convergence{
		Title: "How the gap closes", Subtitle: "three models", XLabel: "samples", LogX: true, GapOnly: true,
		Curves: []ConvergenceCurve{closingRun("Chain", 48.08, 2, 0.8, 1e-3), closingRun("Tiger", 19.37, 95, 0.6, 1e-3), closingRun("Chain, γ = 0.99", 278.1, 11, 0.9, 1e-2)},
	}
}

func TestBoundsOfRuns(t *testing.T) {
	explore := func(o runs.Explorer) *runs.Run {
		run, err := runs.Explore(t.Context(), envs.Tiger{}, o)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	run := explore(certified.Solver{Epsilon: 0.01})
	for _, b := range []Bounds{
		{Runs: []BoundsRun{{Run: run}}},
		{Runs: []BoundsRun{{"first", run}, {"second", run}}, Trials: true, LogX: true, References: []Reference{{"optimum", 19.37}}},
		{Runs: []BoundsRun{{Run: run}}, GapOnly: true, LogX: true},
	} {
		f, err := b.Figure()
		if err != nil {
			t.Fatal(err)
		}
		checkMargins(t, "Bounds", f)
		last := numtext.Count(run.Samples.Len()) + " samples"
		if b.Trials {
			last = numtext.Count(len(run.Trace)) + " trials"
		}
		for _, want := range []string{last, "at the end " + number(run.Certificate.Gap())} {
			if !strings.Contains(f.Alt, want) {
				t.Errorf("description %q, want %q in it", f.Alt, want)
			}
		}
	}
	paper := explore(cpace.Solver{Epsilon: 10, MaxEpisodes: 5})
	empty := *run
	empty.Trace = nil
	for want, b := range map[string]Bounds{
		"has 0 runs":      {},
		"is nil":          {Runs: []BoundsRun{{}}},
		"by averages":     {Runs: []BoundsRun{{"paper", paper}}},
		"empty trace":     {Runs: []BoundsRun{{"empty", &empty}}},
		"Value[0] is NaN": {Runs: []BoundsRun{{"tiger", run}}, References: []Reference{{"optimum", math.NaN()}}},
		"want 1 to 7":     {Runs: slices.Repeat([]BoundsRun{{"tiger", run}}, 8)},
	} {
		if _, err := b.Figure(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// A certified run whose samples are at states that no value tells apart can
// be drawn, although it has no radius of the known set.
func TestQOverBeliefOfCertifiedRun(t *testing.T) {
	run, err := runs.Explore(t.Context(), envs.Tiger{}, certified.Solver{Epsilon: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	f := must(QOverBelief{Run: run}.Figure())
	checkMargins(t, "QOverBelief", f)
	if !strings.Contains(f.Alt, "listen: ") {
		t.Errorf("description %q", f.Alt)
	}
}

func TestHostileBounds(t *testing.T) {
	for kind, s := range hostile {
		v := manyBounds()
		v.Title, v.Subtitle, v.GapOnly, v.References = s, s, false, []Reference{{s, 48}}
		for i := range v.Curves {
			v.Curves[i].Label = name(s, "run")
		}
		f := must(v.Figure())
		checkMargins(t, "Bounds of "+kind+" names", f)
		if strings.ContainsAny(f.Alt, "\n\x00\x1b\u202e") {
			t.Errorf("Bounds of %s names: description %.200q", kind, f.Alt)
		}
	}
}

func TestHeldIsAStepFunction(t *testing.T) {
	x, y := held([]float64{1, 3, 7}, []float64{10, 5, 4})
	if want := []float64{1, 3, 3, 7, 7}; !slices.Equal(x, want) {
		t.Errorf("x = %v, want %v", x, want)
	}
	if want := []float64{10, 10, 5, 5, 4}; !slices.Equal(y, want) {
		t.Errorf("y = %v, want %v", y, want)
	}
}
