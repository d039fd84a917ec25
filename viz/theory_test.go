package viz

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/lipschitz"
	"bayescpace/bcpace/pac"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// claimGoldens are figures of the paper's assumptions, from values made here.
func claimGoldens() map[string]Chart {
	return map[string]Chart{
		"differences":      Differences{Title: "|ΔQ*| against distance: a model", Data: madeDifferences(4)},
		"differences_held": Differences{Data: madeDifferences(40)},
		"known_beliefs":    KnownBeliefs{Title: "After 300 samples", Run: chainRun(300)},
		"known_room":       KnownRoom{Title: "After 300 samples", Run: coverageOf(300).Run},
		"coverage":         coverageOf(300),
		"escapes": Escapes{Title: "Escapes from the known region: a model", Runs: []EscapesRun{{"k = 5", escapingRun(5)}, {"k = 20", escapingRun(20)}},
			References: []Reference{{"k·N", 3000}}},
		"contraction": Contraction{Title: "Beliefs before and after an update: a model", Data: madeUpdates(), Witness: lipschitz.Witness{Distance: 0.02, Difference: 0.099, Ratio: 4.95}},
	}
}

// madeDifferences are those of a function with slopes up to 10, held against a constant
// of their size and one of 200.
func madeDifferences(small float64) *lipschitz.Observed {
	rng := rand.New(rand.NewPCG(8, 9))
	x := &lipschitz.Observed{Function: "Q*", Model: "made", Queries: 60, Bounds: []lipschitz.NamedConstant{{Name: "paper", Value: 200}, {Name: "used", Value: small}}, Broken: []int{0, 0}}
	for range 1500 {
		g := lipschitz.Gap{Distance: math.Pow(10, -2.3*rng.Float64()) * 2}
		g.Difference = 10 * g.Distance * math.Pow(rng.Float64(), 2)
		if g.Difference > small*g.Distance {
			g.Breaks = 2
			x.Broken[1]++
		}
		x.Pairs++
		if r := g.Difference / g.Distance; r > x.LQ.Value {
			x.LQ = lipschitz.Constant{Value: r, Worst: lipschitz.Witness{Distance: g.Distance}}
		}
		x.Kept = append(x.Kept, g)
	}
	x.Kept = append(x.Kept, lipschitz.Gap{Distance: 1})
	return x
}

// madeUpdates are Bayes updates of two latents by a likelihood of 0.85 and 0.15.
func madeUpdates() *lipschitz.Updates {
	rng := rand.New(rand.NewPCG(8, 10))
	u := &lipschitz.Updates{Model: "made", Before: []float64{1}, After: []float64{0}}
	after := func(b float64) float64 { return 0.85 * b / (0.85*b + 0.15*(1-b)) }
	for range 800 {
		x := 0.01 + 0.98*rng.Float64()
		y := min(max(x+math.Pow(10, -2*rng.Float64())*(2*rng.Float64()-1), 0.01), 0.99)
		if x == y {
			continue
		}
		d, e := 2*math.Abs(x-y), 2*math.Abs(after(x)-after(y))
		u.Before, u.After = append(u.Before, d), append(u.After, e)
		if e > d {
			u.Expanding++
		}
		if e/d > u.Worst.Ratio {
			u.Worst = lipschitz.Witness{Distance: d, Difference: e, Ratio: e / d}
		}
	}
	return u
}

// coverageOf explores a noisy room by some samples and measures its holes.
func coverageOf(samples int) Coverage {
	m := envs.LightDarkTiger{Sigma: 0.1}
	o := envs.Tuned(m)
	o.MaxSamples, o.CertificateEpisodes, o.SeedOneHot = samples, -1, false
	r, err := runs.Explore(context.Background(), m, o)
	if err != nil {
		panic(err)
	}
	h, err := cover.MeasureHoles(context.Background(), r, cover.HoleOptions{Draws: 200})
	if err != nil {
		panic(err)
	}
	return Coverage{Title: "Samples and holes in a noisy room", Run: r, Holes: h}
}

func TestCoverage(t *testing.T) {
	c := coverageOf(300)
	f, err := c.Figure()
	if err != nil {
		t.Fatal(err)
	}
	checkMargins(t, "coverage", f)
	for _, want := range []string{"with the 300 samples of a run", "of 200 queries drawn have no sample within 0.2", "The largest hole is around"} {
		if !strings.Contains(f.Alt, want) {
			t.Errorf("no %q in %q", want, f.Alt)
		}
	}
	other := c
	other.Holes = cover.Holes{Uncovered: 3} // of no run
	tiger, err := runs.Explore(context.Background(), envs.Tiger{}, cpace.Solver{Epsilon: 1, LipQ: 60, MaxSamples: 5, CertificateEpisodes: -1})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Coverage{"nil": {}, "other holes": other, "no room": {Run: tiger, Holes: c.Holes}} {
		if _, err := c.Figure(); err == nil || !strings.Contains(err.Error(), "Run") && !strings.Contains(err.Error(), "want") && !strings.Contains(err.Error(), "needs") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for kind, s := range hostile {
		c.Title, c.Subtitle = s, s
		f, err := c.Figure()
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		checkMargins(t, kind, f)
	}
}

func TestClaimGolden(t *testing.T) {
	for name, chart := range claimGoldens() {
		t.Run(name, func(t *testing.T) { checkGolden(t, name, chart) })
	}
}

func TestDifferences(t *testing.T) {
	f, err := Differences{Data: madeDifferences(4)}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"used: L = 4, broken by ", "paper: L = 200; 0 pairs break it", "observed: L = ", "1 further pairs have the same value"} {
		if !strings.Contains(f.Alt, want) {
			t.Errorf("no %q in %q", want, f.Alt)
		}
	}
	uneven := madeDifferences(4)
	uneven.Broken = nil
	flat := &lipschitz.Observed{Pairs: 1, Kept: []lipschitz.Gap{{Distance: 1}}}
	far := &lipschitz.Observed{Pairs: 1, Kept: []lipschitz.Gap{{Distance: math.Inf(1), Difference: 1}}}
	for name, d := range map[string]Differences{"nil": {}, "none": {Data: &lipschitz.Observed{}}, "uneven": {Data: uneven}, "flat": {Data: flat}, "far": {Data: far}} {
		if _, err := d.Figure(); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for kind, s := range hostile {
		x := madeDifferences(4)
		x.Function, x.Model, x.Bounds[0].Name = s, s, s
		f, err := Differences{Title: s, Subtitle: s, Data: x}.Figure()
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		checkMargins(t, kind, f)
	}
}

func TestSharePercent(t *testing.T) {
	for _, c := range []struct {
		k, n int
		want float64
	}{{0, 10, 0}, {1, 3, 33}, {10, 10, 100}, {99999, 100000, 99}, {1, 1000, 0.1}, {123, 100000, 0.12}} {
		if got := sharePercent(c.k, c.n); got != c.want {
			t.Errorf("%d of %d: %v, want %v", c.k, c.n, got, c.want)
		}
	}
}

func TestContractionFigure(t *testing.T) {
	f, err := claimGoldens()["contraction"].Figure()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"witness: 0.02 becomes 0.099", "shaded", "Not drawn: 1 update after"} {
		if !strings.Contains(f.Alt, want) {
			t.Errorf("no %q in %q", want, f.Alt)
		}
	}
	for name, c := range map[string]Contraction{
		"nil": {}, "none": {Data: &lipschitz.Updates{}}, "uneven": {Data: &lipschitz.Updates{Before: []float64{1}}},
		"one belief": {Data: &lipschitz.Updates{Before: []float64{1}, After: []float64{0}}},
		"far":        {Data: &lipschitz.Updates{Before: []float64{math.Inf(1)}, After: []float64{1}}},
	} {
		if _, err := c.Figure(); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for kind, s := range hostile {
		u := madeUpdates()
		u.Model = s
		f, err := Contraction{Title: s, Subtitle: s, Data: u}.Figure()
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		checkMargins(t, kind, f)
	}
}

func TestPromisedOf(t *testing.T) {
	a := &pac.Audit{Run: &runs.Run{Spec: bcpace.Spec{Name: "tiger"}}, BelowGuarantee: 3, EscapeSteps: 5}
	a.Run.Samples = &runs.Samples{}
	a.Analysis = pac.Analysis{BatchM: 80, EscapeSteps: 9, Samples: 7, Setting: pac.Setting{Epsilon: 2, Batch: 4}}
	p := PromisedOf(a)
	want := PromisedRow{Epsilon: 2, Promised: 80, Measured: 3, PromisedSamples: 7, PromisedEscapes: 36, Escapes: 5}
	if len(p.Rows) != 1 || p.Rows[0] != want || p.Title != "Tiger: promised and measured" {
		t.Errorf("%+v, want %+v", p, want)
	}
	if _, err := p.Figure(); err != nil {
		t.Error(err)
	}
}

func TestEscapes(t *testing.T) {
	f, err := claimGoldens()["escapes"].Figure()
	if err != nil {
		t.Fatal(err)
	}
	if want := "k = 5: from 12 at 15 to "; !strings.Contains(f.Alt, want) {
		t.Errorf("no %q in %q", want, f.Alt)
	}
	for name, e := range map[string]Escapes{"nothing": {}, "nil": {Runs: make([]EscapesRun, 1)}, "empty": {Runs: []EscapesRun{{Run: &runs.Run{}}}}, "many": {Runs: make([]EscapesRun, 8)}} {
		if _, err := e.Figure(); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for kind, s := range hostile {
		f, err := Escapes{Title: s, Subtitle: s, Runs: []EscapesRun{{s, escapingRun(5)}}}.Figure()
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		checkMargins(t, kind, f)
	}
}

// escapingRun has episodes of 15 steps whose escapes die out.
func escapingRun(k int) *runs.Run {
	r := &runs.Run{Spec: bcpace.Spec{Name: "made"}}
	for i := range 300 {
		r.Trace = append(r.Trace, runs.Episode{Steps: 15, Escapes: min(15, 60*k/(25+i*i/k))})
	}
	return r
}

// chainRun explores Chain until it has some samples.
func chainRun(samples int) *runs.Run {
	r, err := runs.Explore(context.Background(), envs.Chain{}, cpace.Solver{Epsilon: 1, LipQ: 4, K: 2, Batch: 20, Horizon: 47, MaxSamples: samples, CertificateEpisodes: -1})
	if err != nil {
		panic(err)
	}
	return r
}

func TestKnown(t *testing.T) {
	few, more := chainRun(50), chainRun(300)
	// The share of the triangle, by asking at random beliefs: a mean of 20,000 of
	// them is within 0.02 of it with probability 1 − 1e-7 (Hoeffding).
	rng := rand.New(rand.NewPCG(4, 4))
	b, sum := make(bcpace.Belief, 3), 0.0
	const draws = 20_000
	for range draws {
		b.SampleSimplex(rng)
		sum += knownShare(more, []float64{1}, b, []int{0, 1})
	}
	f, err := KnownBeliefs{Run: more, State: []float64{1}, Subtitle: "x"}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	shareOf := func(alt string) (p float64) {
		_, rest, _ := strings.Cut(alt, "Of the queries there, ")
		if _, err := fmt.Sscanf(rest, "%g%%", &p); err != nil {
			t.Fatal(alt)
		}
		return p
	}
	if got, want := shareOf(f.Alt), 100*sum/draws; math.Abs(got-want) > 3 {
		t.Errorf("%v%% known, want about %.3g%%", got, want)
	}
	g, err := KnownBeliefs{Run: few}.Figure()
	if err != nil || shareOf(g.Alt) >= shareOf(f.Alt) {
		t.Errorf("known region does not grow: %v, %q, %q", err, g.Alt, f.Alt)
	}
	checkMargins(t, "known beliefs", f)

	room := coverageOf(300).Run
	f, err = KnownRoom{Run: room}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	checkMargins(t, "known room", f)
	if p := shareOf(f.Alt); p <= 0 || p >= 100 {
		t.Errorf("%v%% known", p)
	}
	for name, c := range map[string]Chart{
		"nil": KnownBeliefs{}, "two latents": KnownBeliefs{Run: room}, "state": KnownBeliefs{Run: few, State: []float64{1, 2}},
		"nil room": KnownRoom{}, "no room": KnownRoom{Run: few}, "belief": KnownRoom{Run: room, Belief: bcpace.Belief{1}},
	} {
		if _, err := c.Figure(); err == nil || !strings.Contains(err.Error(), "want") && !strings.Contains(err.Error(), "needs") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for kind, s := range hostile {
		for _, c := range []Chart{KnownBeliefs{Run: few, Title: s, Subtitle: s}, KnownRoom{Run: room, Title: s, Subtitle: s}} {
			f, err := c.Figure()
			if err != nil {
				t.Errorf("%s: %v", kind, err)
				continue
			}
			checkMargins(t, kind, f)
		}
	}
}
