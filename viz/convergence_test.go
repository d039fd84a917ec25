package viz

import (
	"math"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// twoSearches resemble two algorithms on one problem.
func twoSearches() Convergence {
	c := Convergence{Title: "Tiger: bounds by trial", Subtitle: "two algorithms", XLabel: "trials", References: []Reference{{"optimum", 19.37}}}
	for i, shrink := range []float64{0.8, 0.93} {
		s := ConvergenceCurve{Label: []string{"SARSOP", "certified"}[i], Epsilon: 1e-3}
		for width := 90.0; width > s.Epsilon; width *= shrink {
			s.X = append(s.X, float64(len(s.X)))
			s.Lower, s.Upper = append(s.Lower, 19.37-0.4*width), append(s.Upper, 19.37+0.6*width)
		}
		c.Curves = append(c.Curves, s)
	}
	return c
}

func TestConvergenceGolden(t *testing.T) { checkGolden(t, "convergence", twoSearches()) }

// TestConvergenceSecondsGolden: an axis of time has ticks below 1.
func TestConvergenceSecondsGolden(t *testing.T) {
	c := twoSearches()
	c.Title, c.XLabel, c.LogX = "Tiger: bounds by time", "seconds", true
	for i, s := range c.Curves {
		for k := range s.X {
			s.X[k] = float64(i+1) * 0.004 * math.Pow(1.06, s.X[k])
		}
	}
	checkGolden(t, "convergence_seconds", c)
}

// Curves of real searches end at the bounds of their results.
func TestClosingOfSearches(t *testing.T) {
	m := envs.Tiger{}
	solve := func(s bcpace.Solver) *bcpace.Solution {
		x, err := s.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x, y := solve(certified.Solver{Epsilon: 0.01}), solve(sarsop.Solver{Epsilon: 0.01})
	a, b := ConvergenceOf("certified", x), ConvergenceOf("SARSOP", y)
	if n := len(a.X); n != len(runs.Of(x).Trace) || a.Upper[n-1] != runs.Of(x).Value || a.X[0] != 1 || a.Epsilon != 0.01 {
		t.Errorf("%d points of a run of %d trials, ending at %v", n, len(runs.Of(x).Trace), a.Upper[n-1])
	}
	end := y.Trace[len(y.Trace)-1]
	if n := len(b.X); n != len(y.Trace) || math.Abs(b.Lower[n-1]-y.Value) > 1e-12 || b.Upper[n-1] != y.Certificate.Upper || b.X[0] != 0 || b.X[n-1] != float64(end.Episodes) || b.Epsilon != 0.01 {
		t.Errorf("%d points of a search of %d trials, ending at [%v, %v]", n, end.Episodes, b.Lower[n-1], b.Upper[n-1])
	}
	f, err := Convergence{XLabel: "trials", Curves: []ConvergenceCurve{a, b}, References: []Reference{{"optimum", 19.3714}}}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	checkMargins(t, "Convergence", f)
	for _, want := range []string{"against trials", "certified: ", "SARSOP: "} {
		if !strings.Contains(f.Alt, want) {
			t.Errorf("description %q, want %q in it", f.Alt, want)
		}
	}
	if n := len(ConvergenceOf("", nil).X) + len(ConvergenceOf("", solve(qmdp.Solver{})).X); n != 0 {
		t.Errorf("%d points of no search", n)
	}
}

func TestBadClosing(t *testing.T) {
	curve := func(change func(*ConvergenceCurve)) Convergence {
		s := ConvergenceCurve{Label: "a", X: []float64{1, 2}, Lower: []float64{0, 1}, Upper: []float64{3, 2}}
		change(&s)
		return Convergence{Curves: []ConvergenceCurve{s}}
	}
	for want, c := range map[string]Convergence{
		"has 0 runs":         {},
		"no points":          {Curves: []ConvergenceCurve{{}}},
		"want 1 to 7":        {Curves: slices.Repeat(twoSearches().Curves[:1], 8)},
		"want ascending":     curve(func(s *ConvergenceCurve) { s.X[1] = 0.5 }),
		"want values from 0": curve(func(s *ConvergenceCurve) { s.X[0] = -1 }),
		"want a lower bound": curve(func(s *ConvergenceCurve) { s.Upper[1] = 0.5 }),
		"the same number":    curve(func(s *ConvergenceCurve) { s.Upper = s.Upper[:1] }),
		"Lower[0] is NaN":    curve(func(s *ConvergenceCurve) { s.Lower[0] = math.NaN() }),
	} {
		if _, err := c.Figure(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	logX := curve(func(s *ConvergenceCurve) { s.X[0] = 0 })
	logX.LogX = true
	if _, err := logX.Figure(); err == nil || !strings.Contains(err.Error(), "log axis") {
		t.Errorf("error %v, want one of the log axis", err)
	}
}

// TestBoundsThatMeet: a gap of 0 stands at a tick of its own, below all others and every ε, and the axis reads upwards from there.
func TestBoundsThatMeet(t *testing.T) {
	meeting := ConvergenceCurve{Label: "meeting", X: []float64{1, 2, 3}, Lower: []float64{0, 1, 2}, Upper: []float64{3, 2.5, 2}}
	for name, c := range map[string]Convergence{
		"with an ε":     {Curves: []ConvergenceCurve{meeting}},
		"at once":       {Curves: []ConvergenceCurve{{X: []float64{0}, Lower: []float64{0}, Upper: []float64{0}}}},
		"beside others": {Curves: append(twoSearches().Curves, meeting)},
	} {
		least := 1e200
		for i := range c.Curves {
			if name == "with an ε" {
				c.Curves[i].Epsilon = 1e-3
			}
			if e := c.Curves[i].Epsilon; e > 0 {
				least = min(least, e)
			}
			for k, lo := range c.Curves[i].Lower {
				if g := c.Curves[i].Upper[k] - lo; g > 0 {
					least = min(least, g)
				}
			}
		}
		f := must(c.Figure())
		checkMargins(t, "Convergence "+name, f)
		if !strings.Contains(f.Alt, "at the end 0.") {
			t.Errorf("%s: description %q", name, f.Alt)
		}
		y := f.Panels[1].Y
		ticks := y.Tick.Marker.Ticks(y.Min, y.Max)
		if ticks[0].Label != "0" || ticks[0].Value < y.Min || ticks[0].Value > math.Log10(least)-0.99 {
			t.Errorf("%s: the axis from %v to %v begins with tick %+v, want a 0 below %v", name, y.Min, y.Max, ticks[0], math.Log10(least))
		}
		for k, tick := range ticks[1:] {
			if tick.Value < math.Log10(least)-1e-9 || tick.Value <= ticks[k].Value || tick.Label == "0" {
				t.Errorf("%s: tick %+v after %+v", name, tick, ticks[k])
			}
		}
	}
	y := must(twoSearches().Figure()).Panels[1].Y
	for _, tick := range y.Tick.Marker.Ticks(y.Min, y.Max) {
		if tick.Label == "0" {
			t.Errorf("a tick at 0 where no gap is 0: %+v", tick)
		}
	}
	tooLarge := Convergence{Curves: []ConvergenceCurve{{X: []float64{0}, Lower: []float64{-1e250}, Upper: []float64{0}}}}
	if _, err := tooLarge.Figure(); err == nil || !strings.Contains(err.Error(), "want gaps from 0 to 1e200") {
		t.Errorf("error %v", err)
	}
}

func TestHostileClosing(t *testing.T) {
	for kind, s := range hostile {
		c := twoSearches()
		c.Title, c.Subtitle, c.XLabel, c.References = s, s, s, []Reference{{s, 19}}
		for i := range c.Curves {
			c.Curves[i].Label = s
		}
		f := must(c.Figure())
		checkMargins(t, "Convergence of "+kind+" names", f)
		if strings.ContainsAny(f.Alt, "\n\x00\x1b\u202e") {
			t.Errorf("Convergence of %s names: description %.200q", kind, f.Alt)
		}
	}
}
