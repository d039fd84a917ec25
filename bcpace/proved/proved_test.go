package proved_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

// The bounds of a few random models hold, some of them with a horizon, with noise that wavers or with latents that
// move, as those of many do in the long tests.
func TestHoldsOfSome(t *testing.T) {
	compared := 0
	attackSome := func(stream uint64, draw func(*rand.Rand) *drawn, cells []float64, seeds ...uint64) {
		for _, seed := range seeds {
			_, lowers := attack(t, draw(rand.New(rand.NewPCG(seed, stream))), seed, 1e5, cells)
			compared += lowers
		}
	}
	attackSome(36, draw, []float64{0.8, 0.4}, 2, 3, 7, 9, 10, 19) // of one axis
	attackSome(36, draw, []float64{1.2, 0.8}, 1, 12, 17)          // of two
	attackSome(136, drawMore, []float64{0.8, 0.4}, 1, 4, 8, 24)
	attackSome(136, drawMore, []float64{1.6, 0.8}, 6, 19, 29)
	if compared < 20 {
		t.Errorf("%d lower bounds were compared, want 20 or more", compared)
	}
}

// patience is how long a bound of a random model may take: one that takes longer is left out.
var patience = 500 * time.Millisecond

// levels are the additions that a sweep of an oracle may take, from one level to the next, at least.
var levels = []float64{0, 1e7, 1e9}

// attack compares bounds of a model, on grids that begin with such cells, with its optimal values,
// and returns the bounds at the start.
func attack(t *testing.T, d *drawn, seed uint64, work float64, cells []float64) (found []float64, lowers int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 37))
	others := []bcpace.Belief{d.prior}
	for range 2 {
		b, sum := make(bcpace.Belief, len(d.prior)), 0.0
		for φ := range b {
			b[φ] = rng.Float64()
			sum += b[φ]
		}
		for φ := range b {
			b[φ] /= sum
		}
		others = append(others, b)
	}
	// How much an oracle errs is a guess: where a bound is beyond it, finer ones decide.
	coarse, fine := make([]*oracle, len(levels)), make([]*oracle, len(levels))
	optimum := func(level int, s []float64, b bcpace.Belief) (v, off float64) {
		if coarse[level] == nil {
			coarse[level], fine[level] = d.oracles(max(work, levels[level]), others)
		}
		return optima(coarse[level], fine[level], s, b)
	}
	for i, o := range attacks(d, cells) {
		ctx, stop := context.WithTimeout(t.Context(), patience)
		b, err := proved.Upper(ctx, d, o)
		stop()
		unsupported := new(bcpace.UnsupportedError)
		switch {
		case errors.As(err, &unsupported) || b == nil && errors.Is(err, context.DeadlineExceeded):
			return found, lowers // the cells are too many
		case err != nil && !errors.Is(err, context.DeadlineExceeded):
			t.Fatalf("model %d, %v: %v", seed, d, err)
		}
		if i < len(cells) {
			found = append(found, b.Start)
		}
		lowers += attackLower(t, d, b, func(level int) (float64, float64) { return optimum(level, d.start, d.prior) })
		s, p, got := d.start, d.prior, b.Start
		for k := range 20 {
			for level := range levels {
				v, off := optimum(level, s, p)
				if got >= v-off {
					break
				}
				if level == len(levels)-1 {
					t.Errorf("model %d, cells of %.2f σ, at %v and %v: at most %v, and the optimum is %v ± %v; %v", seed, b.Cell, s, p, got, v, off, d)
				}
			}
			s, p = make([]float64, len(d.spec.Axes)), others[k%len(others)]
			d.place(s, rng)
			got = b.At(s, p)
		}
		if err != nil {
			break
		}
	}
	return found, lowers
}

// attacks returns the options of attack: one for each side of a cell, and one with the least work that does for the
// first one, where a model has few beliefs or none but those that are sure.
func attacks(d *drawn, cells []float64) (list []proved.Options) {
	for _, cell := range cells {
		list = append(list, proved.Options{Cell: cell, Work: 1e7, Tolerance: 1000}) // with more work, few would come in time
	}
	var works []float64
	for work := 1.0; work < 1e9; work *= 1.2 {
		works = append(works, work)
	}
	ended, stop := context.WithCancel(context.Background())
	stop()
	o := list[0]
	least := sort.Search(len(works), func(i int) bool { // what does with some work does with more
		o.Work = works[i]
		_, err := proved.Upper(ended, d, o)
		return errors.Is(err, context.Canceled) // it has begun
	})
	if least < len(works) {
		o.Work = works[least]
		list = append(list, o)
	}
	return list
}

// attackLower compares a proved lower bound with the optimal value, which oracles give on some levels, each with
// more work, and returns 1; 0 where there is no such bound.
func attackLower(t *testing.T, d *drawn, b *proved.GridBound, optimum func(level int) (v, off float64)) int {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*patience)
	defer stop()
	lower, err := b.Lower(ctx)
	unsupported := new(bcpace.UnsupportedError)
	if errors.As(err, &unsupported) || errors.Is(err, context.DeadlineExceeded) {
		return 0
	}
	if err != nil {
		t.Fatalf("%v: %v", d, err)
	}
	if !(lower <= b.Start) {
		t.Errorf("cells of %.2f σ: at least %v and at most %v; %v", b.Cell, lower, b.Start, d)
	}
	for level := range levels { // a coarse oracle has few controls, and so too little
		v, off := optimum(level)
		if lower <= v+off {
			return 1
		}
		if level == len(levels)-1 {
			t.Errorf("cells of %.2f σ: at least %v, and the optimum is %v ± %v; %v", b.Cell, lower, v, off, d)
		}
	}
	return 1
}

// The two bounds hold the optima that a fine dynamic program has: 9.372 for dual control, and 4.541 for
// the room of 9 × 9 cells. They close as cells shrink.
func TestBothSides(t *testing.T) {
	dual, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		m             bcpace.Model
		cell, optimum float64
		gap           float64
	}{
		{dual, 0.6, 9.372, 0.27}, {dual, 0.4, 9.372, 0.12},
		{envs.LightDarkTiger{Width: 9, Height: 9, Sigma: 0.3}, 0.4, 4.541, 0.6}, {envs.LightDarkTiger{Width: 9, Height: 9, Sigma: 0.3}, 0.3, 4.541, 0.28},
	} {
		b, err := proved.Upper(t.Context(), x.m, proved.Options{Cell: math.Sqrt2 * x.cell, Tolerance: 1000})
		if err != nil {
			t.Fatal(err)
		}
		lower, err := b.Lower(t.Context())
		if err != nil || !(lower <= x.optimum+0.001 && b.Start >= x.optimum-0.001 && b.Start-lower <= x.gap) {
			t.Errorf("%s, cells of %.2f σ: from %v to %v, %v, want %v between, and at most %v apart", x.m.Spec().Name, b.Cell, lower, b.Start, err, x.optimum, x.gap)
		}
	}
}

// Finer grids go on where a bound has ended, and end where the time is up, with the bound that was known.
//
//test:race
func TestFiner(t *testing.T) {
	m, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	b, err := proved.Upper(t.Context(), m, proved.Options{Tolerance: 1000}) // two grids
	if err != nil {
		t.Fatal(err)
	}
	finer, err := b.Finer(t.Context(), proved.Options{Tolerance: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if want := b.Cell / math.Sqrt2; !(finer.Start < b.Start && finer.Start >= 9.371) || math.Abs(finer.Cell-want) > 0.1*want {
		t.Errorf("cells of %v give %v, and finer ones of %v %v, want cells of about %v and less, but at least 9.372", b.Cell, b.Start, finer.Cell, finer.Start, want)
	}
	soon, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	if same, err := b.Finer(soon, proved.Options{}); same != b || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without time %v, %v, want the bound itself", same, err)
	}
	if _, err := b.Finer(t.Context(), proved.Options{Cell: 0.1}); err == nil {
		t.Error("Finer takes a Cell")
	}
}

// What is left with fewer steps is what a model with that horizon is worth, on the same grid. The bounds of a
// long horizon are those without one but for what the discount leaves.
func TestHorizon(t *testing.T) {
	with := func(steps int) *proved.GridBound {
		m, err := envs.DualControl{Discount: 0.6}.Model()
		if err != nil {
			t.Fatal(err)
		}
		cut := bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) { a.Spec.Horizon = steps })
		b, err := proved.Upper(t.Context(), cut, proved.Options{Cell: 0.4, Tolerance: 1000})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	long, short, ever := with(12), with(3), with(0)
	even := bcpace.Belief{0.5, 0.5}
	for _, x := range []float64{-3, 0, 2} {
		if p, q := long.At([]float64{x, 3}, even), short.At([]float64{x}, even); math.Abs(p-q) > 1e-6 {
			t.Errorf("at %v with 3 steps left: at most %v, want %v", x, p, q)
		}
		if p, q := short.At([]float64{x, 0}, even), 1e-6; !(p >= 0 && p <= q) {
			t.Errorf("at %v with no step left: at most %v, want 0", x, p)
		}
	}
	off := 2.5 * math.Pow(0.6, 12)
	if math.Abs(long.Start-ever.Start) > off+0.02 {
		t.Errorf("with 12 steps at most %v, and %v without a horizon, want %v between them at most", long.Start, ever.Start, off)
	}
	p, err := long.Lower(t.Context())
	q, err2 := ever.Lower(t.Context())
	if err != nil || err2 != nil || math.Abs(p-q) > off+0.02 {
		t.Errorf("with 12 steps at least %v, and %v without a horizon; %v, %v", p, q, err, err2)
	}
}

// An episode may start where arriving tells the latent: it has not arrived there, and nothing is told.
//
//test:race
func TestStartWhereTold(t *testing.T) {
	d := draw(rand.New(rand.NewPCG(0, 35)))
	for seed := uint64(1); !d.tells || d.noisy > 1 || len(d.spec.Latents) < 2 || !d.regionOf(d.start).tells; seed++ {
		d = draw(rand.New(rand.NewPCG(seed, 35)))
	}
	attack(t, d, 0, 2e5, []float64{0.4, 0.2})
}

// Two axes of which one tells have bounds that close in.
func TestLowerOnTwoAxes(t *testing.T) {
	last := math.Inf(1)
	for _, cell := range []float64{1, 0.7} {
		b, err := proved.Upper(t.Context(), pushes(t, 2, 2), proved.Options{Cell: cell, Tolerance: 1000})
		if err != nil {
			t.Fatal(err)
		}
		l, err := b.Lower(t.Context())
		if err != nil || !(l > 0 && l <= b.Start && b.Start-l < last/2) {
			t.Errorf("cells of %.2f σ: from %v to %v, %v, want less than half of %v between them", b.Cell, l, b.Start, err, last)
		}
		last = b.Start - l
	}
}

// Dual control has the optimum 9.372, by dynamic programming on a fine grid.
func TestDualControl(t *testing.T) {
	m, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	b, err := proved.Upper(t.Context(), m, proved.Options{Tolerance: 0.02})
	if err != nil || !(b.Start >= 9.371 && b.Start <= 9.395) {
		t.Fatalf("%+v, %v, want a bound from 9.372 up to 9.395", b, err)
	}
	told := 9.772 // for an agent that is told the gain
	if sure := b.At([]float64{2}, bcpace.Belief{1, 0}); !(sure >= told-1e-3 && sure <= told+0.02) {
		t.Errorf("where the gain is known it is worth %v at most, want about %v", sure, told)
	}
	for _, p := range []float64{0.1, 0.3, 0.45} { // the two gains mirror one another
		one, two := b.At([]float64{-1.3}, bcpace.Belief{p, 1 - p}), b.At([]float64{1.3}, bcpace.Belief{p, 1 - p})
		if math.Abs(one-two) > 0.02 {
			t.Errorf("belief %v: %v on the left and %v on the right", p, one, two)
		}
	}
}

// What Upper cannot do it says, and an ended context leaves what there is.
func TestUpperRefuses(t *testing.T) {
	dual, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := envs.DualControl{Sigma: 1e-5}.Model()
	if err != nil {
		t.Fatal(err)
	}
	unsupported, input := new(bcpace.UnsupportedError), new(bcpace.InputError)
	for need, m := range map[string]bcpace.Model{"how its means": envs.Tiger{}, "noise that is wider": narrow} {
		if _, err := proved.Upper(t.Context(), m, proved.Options{}); !errors.As(err, &unsupported) || !strings.Contains(err.Error(), need) {
			t.Errorf("%v, want an error that says %q", err, need)
		}
	}
	walk := func(start float64) bcpace.Model {
		beyond := func(next []float64, _ int) bcpace.Arrival { return bcpace.Arrival{Reward: 1, Ends: next[0] >= 3} }
		m, err := bcpace.FromGaussian(bcpace.Gaussian{
			Spec: bcpace.Spec{Name: "walk", Axes: []bcpace.Axis{{Name: "x", Max: 4}}, Actions: bcpace.Actions("on"),
				Latents: []string{"a", "b"}, Discount: 0.9, RewardMax: 1},
			Starts: [][]float64{{start}}, Sigma: []float64{0.5},
			Mean:   func(mean, s []float64, latent, _ int) { mean[0] = s[0] + float64(latent) },
			Reward: func([]float64, int, int, []float64) float64 { return 1 },
			Ends:   func(next []float64) bool { return next[0] >= 3 },
			Curve:  &bcpace.GaussianCurve{Jumps: [][]float64{{3}}, Arrive: beyond, Expected: func([]float64, int, int, []float64) float64 { return 0 }},
		})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if _, err := proved.Upper(t.Context(), walk(3.5), proved.Options{}); !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "starts where the episode goes on") {
		t.Errorf("a start where the episode has ended: %v", err)
	}
	if b, err := proved.Upper(t.Context(), walk(1), proved.Options{}); err != nil {
		t.Error(err)
	} else if l, err := b.Lower(t.Context()); !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "GaussianCurve.Convex") || !math.IsInf(l, -1) {
		t.Errorf("rewards of which nothing is known from above: %v, %v", l, err)
	}
	for _, o := range []proved.Options{{Tolerance: -1}, {Cell: 3}, {Cell: math.NaN()}} {
		if _, err := proved.Upper(t.Context(), dual, o); !errors.As(err, &input) {
			t.Errorf("options %+v: %v", o, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if b, err := proved.Upper(ctx, dual, proved.Options{}); b != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v, %v", b, err)
	}
}

// A context that ends at any moment leaves a bound that holds, or none.
//
//test:race
func TestUpperIsInterrupted(t *testing.T) {
	m, err := envs.DualControl{Gains: []float64{1, 0.3, -1}}.Model()
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 200; i += 31 {
		ctx, stop := context.WithTimeout(t.Context(), time.Duration(i)*time.Millisecond)
		b, err := proved.Upper(ctx, m, proved.Options{})
		stop()
		if err == nil {
			break
		}
		if !errors.Is(err, context.DeadlineExceeded) || b != nil && !(b.Start > 9.2 && b.Start < 10) {
			t.Fatalf("after %d ms: %+v, %v", i, b, err)
		}
	}
}

// Means far beyond an end of the axis, and means that bend between all places where they are
// looked at, have bounds that hold: what is paid does not depend on the mean here.
func TestMeansFarAway(t *testing.T) {
	for name, mean := range map[string]func(s float64, latent int) float64{
		"all beyond":    func(s float64, _ int) float64 { return s + 2000 },
		"one beyond":    func(s float64, latent int) float64 { return s + 2000*float64(latent) - 1 },
		"waves":         func(s float64, _ int) float64 { return 5 + 3*math.Sin(math.Pi*6.4*s) },
		"far and apart": func(s float64, latent int) float64 { return 900 * (float64(latent) - 0.5) },
	} {
		curve := 10.0 // cells are finer than for means that do not bend
		if name == "waves" {
			curve = 3 * square(6.4*math.Pi)
		}
		m, err := bcpace.FromGaussian(bcpace.Gaussian{
			Spec:  bcpace.Spec{Name: name, Axes: []bcpace.Axis{{Name: "x", Max: 10}}, Actions: bcpace.Actions("only"), Latents: []string{"a", "b"}, Discount: 0.6, RewardMax: 1},
			Sigma: []float64{1}, Mean: func(to, s []float64, latent, _ int) { to[0] = mean(s[0], latent) },
			Reward: func([]float64, int, int, []float64) float64 { return 0.5 },
			Curve:  &bcpace.GaussianCurve{Mean: []float64{curve}, Expected: func([]float64, int, int, []float64) float64 { return 0.5 }},
		})
		if err != nil {
			t.Fatal(err)
		}
		b, err := proved.Upper(t.Context(), m, proved.Options{Tolerance: 10})
		unsupported := new(bcpace.UnsupportedError)
		if name == "waves" && errors.As(err, &unsupported) { // cells that are fine enough are too many
			continue
		}
		if err != nil || !(b.Start >= 1.25 && b.Start <= 2.5) {
			t.Errorf("%s: %+v, %v, want a bound of 1.25 from above", name, b, err)
		}
	}
}

// What a model states that cannot be, an error says; no grid is made, and nothing panics.
//
//test:race
func TestOddModels(t *testing.T) {
	calls := 0
	ctx := solverkit.WithControl(t.Context(), bcpace.Control{Workers: 1})
	for want, change := range map[string]func(*stated){
		"no Mean":                    func(m *stated) { m.s.Mean = nil },
		"1 standard deviations":      func(m *stated) { m.s.Sigma = []float64{1} },
		"0 curves":                   func(m *stated) { m.s.MeanCurve = nil },
		"jumps on 1 axes":            func(m *stated) { m.s.Jumps = [][]float64{{1}} },
		"the Jumps [1 1]":            func(m *stated) { m.s.Jumps = [][]float64{{1, 1}, nil} },
		"the Jumps [0]":              func(m *stated) { m.s.Jumps = [][]float64{{0}, nil} },
		"the Jumps [NaN]":            func(m *stated) { m.s.Jumps = [][]float64{{math.NaN()}, nil} },
		`Jumps [1] on axis "y"`:      func(m *stated) { m.s.Jumps = [][]float64{nil, {1}} },
		"the standard deviation NaN": func(m *stated) { m.s.Sigma[0] = math.NaN() },
		"the standard deviation -1":  func(m *stated) { m.s.Sigma[1] = -1 },
		"whole numbers":              func(m *stated) { m.spec.Axes[0].Discrete = true },
		"the MeanCurve NaN":          func(m *stated) { m.s.MeanCurve[1] = math.NaN() },
		"the RewardCurve -1":         func(m *stated) { m.s.RewardCurve = -1 },
		`noise on axis "x"`:          func(m *stated) { m.s.Sigma[0] = 0 },
		"is NaN in Smoothness":       func(m *stated) { m.s.Mean = func(to, _ []float64, _, _ int) { to[0], to[1] = math.NaN(), 1 } },
		"is 1e+200 in Smoothness":    func(m *stated) { m.s.Mean = func(to, _ []float64, _, _ int) { to[0], to[1] = 1e200, 1 } },
		"so far round":               func(m *stated) { m.s.Mean = func(to, s []float64, _, _ int) { to[0], to[1] = 1, 1e18+s[1] } },
		"the expected reward NaN":    func(m *stated) { m.s.Reward = func([]float64, int, int) float64 { return math.NaN() } },
		"pays +Inf": func(m *stated) {
			m.s.Arrive = func([]float64, int) bcpace.Arrival { return bcpace.Arrival{Reward: math.Inf(1)} }
		},
		"under one latent": func(m *stated) {
			m.s.Arrive = func(_ []float64, φ int) bcpace.Arrival { return bcpace.Arrival{Tells: φ > 0} }
		},
		"panicked: a mean":   func(m *stated) { m.s.Mean = func([]float64, []float64, int, int) { panic("a mean") } },
		"panicked: a reward": func(m *stated) { m.s.Reward = func([]float64, int, int) float64 { panic("a reward") } },
		"panicked: an end":   func(m *stated) { m.s.Arrive = func([]float64, int) bcpace.Arrival { panic("an end") } },
		"panicked: both at their end": func(m *stated) { // where no axis depends on the other one, and only there
			m.s.Mean = func(to, s []float64, _, _ int) {
				if s[0] == 4 && s[1] > 2.99999999 {
					panic("both at their end")
				}
				to[0], to[1] = 2, s[1]
			}
		},
		"has 1 curves of the standard": func(m *stated) { m.s.SigmaCurve = []float64{1} },
		"the SigmaCurve -1":            func(m *stated) { m.s.SigmaCurve = []float64{0, -1} },
		`deviation of axis "x" is 0`: func(m *stated) {
			m.s.SigmaAt = func(to, s []float64, _, _ int) { to[0], to[1] = max(0, s[0]-1), 1 }
		},
		"want probabilities whose sum is 1": func(m *stated) { m.kind, m.s.Moves = bcpace.Redrawn, func(p []float64, _, _ int) { p[0] = 0.5 } },
		"panicked: a move":                  func(m *stated) { m.kind, m.s.Moves = bcpace.Redrawn, func([]float64, int, int) { panic("a move") } },
		"other controls of the action": func(m *stated) {
			m.spec.Actions = []bcpace.Action{{Name: "turn", Box: []bcpace.Axis{{Name: "u", Max: 1}}}}
			m.kind, m.s.Moves = bcpace.Redrawn, func(p []float64, _, id int) {
				_, u := m.spec.Control(nil, id)
				p[0], p[1] = u[0], 1-u[0]
			}
		},
		"Smoothness.Moves), not a redrawn one": func(m *stated) { m.kind = bcpace.Redrawn },
		"a second time": func(m *stated) {
			m.s.Mean = func(to, _ []float64, _, _ int) { calls++; to[0], to[1] = 1+1e-9*float64(calls), 1 }
		},
	} {
		_, err := proved.Upper(ctx, newStated(change), proved.Options{Cell: 1, Tolerance: 10})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error that says %q", err, want)
		}
	}
}

// Models that are sound have bounds of 2.5 from above where 0.5 is paid each time, however narrow,
// wide or far an axis is.
func TestRareModels(t *testing.T) {
	for name, change := range map[string]func(*stated){
		"plain":                    func(*stated) {},
		"narrow axes":              func(m *stated) { m.s.Sigma = []float64{100, 50} },
		"a mean far round":         func(m *stated) { m.s.Mean = func(to, s []float64, _, _ int) { to[0], to[1] = 2, s[1]+3e4 } },
		"a mean that wraps":        func(m *stated) { m.s.Mean = func(to, s []float64, _, _ int) { to[0], to[1] = 2, math.Mod(s[1], 3) } },
		"a mean far beyond an end": func(m *stated) { m.s.Mean = func(to, s []float64, _, _ int) { to[0], to[1] = 1e9, s[1] } },
		"the latent by the end": func(m *stated) {
			m.s.Mean = func(to, s []float64, φ, _ int) { to[0], to[1] = 1e6*(float64(φ)-0.5), s[1] }
		},
		"noise that wavers": func(m *stated) {
			m.s.Sigma = []float64{9, 9}
			m.s.SigmaAt = func(to, s []float64, φ, _ int) { to[0], to[1] = 1+s[0]/8, 1+float64(φ)/8 }
		},
		"noise that does not waver": func(m *stated) {
			m.s.SigmaAt = func(to, s []float64, φ, _ int) { to[0], to[1] = 1, 0.5 }
		},
		"latents that move": func(m *stated) {
			m.kind, m.s.Moves = bcpace.Redrawn, func(p []float64, φ, _ int) { p[φ], p[1-φ] = 0.9, 0.1 }
		},
		"a prior of zero": func(m *stated) { m.prior = bcpace.Belief{0, 1} },
		"many jumps": func(m *stated) {
			m.s.Jumps = [][]float64{{1e-9, 2, math.Nextafter(2, 3), 3.9999999}, nil}
			m.s.Arrive = func([]float64, int) bcpace.Arrival { return bcpace.Arrival{} }
		},
		"what is paid is taken back": func(m *stated) {
			m.s.Arrive = func([]float64, int) bcpace.Arrival { return bcpace.Arrival{Reward: 1000} }
			m.s.Reward = func([]float64, int, int) float64 { return -999.5 }
		},
		"a control that goes round": func(m *stated) {
			m.spec.Actions = []bcpace.Action{{Name: "turn", Box: []bcpace.Axis{{Name: "u", Max: 3, Period: 3}}}}
			m.s.Mean = func(to, s []float64, _, id int) {
				_, u := m.spec.Control(nil, id)
				to[0], to[1] = 2, s[1]+u[0]
			}
		},
		"one place tells": func(m *stated) { // which no look sees
			m.s.Mean = func(to, s []float64, φ, _ int) {
				to[0], to[1] = 2, s[1]
				if s[0] == 4 && s[1] == 0 {
					to[0] += 1e-9 * float64(φ)
				}
			}
		},
		"the second grid sees more": func(m *stated) {
			m.s.Jumps = [][]float64{{2}, nil}
			m.s.Mean = func(to, s []float64, φ, _ int) {
				to[0], to[1] = 2, s[1]+float64(φ)
				if s[0] == 2.0/3 {
					to[0] += 1e-9 * float64(φ)
				}
			}
		},
	} {
		m := newStated(change)
		b, err := proved.Upper(t.Context(), m, proved.Options{Cell: 1, Tolerance: 10})
		if err != nil || !(b.Start >= 2.5 && b.Start <= 2.501) {
			t.Errorf("%s: %+v, %v, want a bound of 2.5 from above", name, b, err)
			continue
		}
		if at := b.At([]float64{4, 1.5}, bcpace.Belief{0.3, 0.7}); !(at >= 2.5 && at <= 2.501) {
			t.Errorf("%s: at most %v, want 2.5 from above", name, at)
		}
		if name == "a control that goes round" && b.Told > 0.2 {
			t.Errorf("%s: the latent is told with probability %v in a step", name, b.Told)
		}
	}
}

// stated is a model that is nothing but what it states.
type stated struct {
	spec  bcpace.Spec
	s     bcpace.Smoothness
	prior bcpace.Belief
	kind  bcpace.LatentKind
}

// newStated has two axes, of which one goes round, and pays 0.5.
func newStated(change func(*stated)) *stated {
	m := &stated{spec: bcpace.Spec{Name: "stated", Axes: []bcpace.Axis{{Name: "x", Max: 4}, {Name: "y", Max: 3, Period: 3}}, Latents: []string{"a", "b"}, Discount: 0.8, RewardMax: 1,
		Actions: bcpace.Actions("only")}, prior: bcpace.Uniform(2)}
	m.s = bcpace.Smoothness{Sigma: []float64{1, 1}, MeanCurve: []float64{0, 0},
		Mean:   func(to, s []float64, latent, _ int) { to[0], to[1] = 2+float64(latent), s[1] },
		Reward: func([]float64, int, int) float64 { return 0.5 }}
	change(m)
	return m
}

func (m *stated) Spec() bcpace.Spec                                    { return m.spec }
func (m *stated) Prior(b bcpace.Belief)                                { copy(b, m.prior) }
func (m *stated) Start(s []float64, _ int, _ *rand.Rand)               { clear(s) }
func (m *stated) LogLikelihood([]float64, int, []float64, int) float64 { return 0 }
func (m *stated) Smoothness() (bcpace.Smoothness, bool)                { return m.s, true }
func (m *stated) LatentKind() bcpace.LatentKind                        { return m.kind }
func (m *stated) LatentTransition(p []float64, _ []float64, action, latent int) bool {
	if m.s.Moves == nil {
		return false
	}
	m.s.Moves(p, latent, action)
	return true
}
func (m *stated) Step(next, s []float64, _, _ int, _ *rand.Rand) (o bcpace.Outcome) {
	copy(next, s)
	return o
}

// TestSameGridAgain: numbers of cells are whole, so that a smaller side may make the same grid once more. That its bound does not fall then
// ends nothing: a coarse first grid has about the bound of the default one.
func TestSameGridAgain(t *testing.T) {
	pays := [][2]float64{{0, 0}, {0, 0}, {0.18, 0.47}, {0.3, 0.77}}
	arrive := func(next []float64, latent int) bcpace.Arrival {
		part := 1
		switch x := next[0]; {
		case x <= 0:
			part = 0
		case x >= 4.1:
			part = 3
		case x > 2.1:
			part = 2
		}
		return bcpace.Arrival{Reward: pays[part][latent], Ends: part == 2}
	}
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec:   bcpace.Spec{Name: "short", Axes: []bcpace.Axis{{Name: "x", Max: 4.1}}, Actions: bcpace.Actions("wait"), Latents: []string{"a", "b"}, Discount: 0.82, RewardMin: -1, RewardMax: 1},
		Starts: [][]float64{{0.8}}, Sigma: []float64{1}, Prior: bcpace.Belief{0.7, 0.3},
		Mean:   func(mean, s []float64, latent, _ int) { mean[0] = 2.05 + 0.79*(s[0]-2.05) + 0.7 - 1.6*float64(latent) },
		Reward: func(_ []float64, latent, _ int, next []float64) float64 { return arrive(next, latent).Reward },
		Ends:   func(next []float64) bool { return arrive(next, 0).Ends },
		Curve:  &bcpace.GaussianCurve{Jumps: [][]float64{{2.1}}, Arrive: arrive},
	})
	if err != nil {
		t.Fatal(err)
	}
	var starts []float64
	for _, cell := range []float64{0, 2} {
		b, err := proved.Upper(t.Context(), m, proved.Options{Cell: cell})
		if err != nil {
			t.Fatal(err)
		}
		starts = append(starts, b.Start)
	}
	if tolerance := 2 / (1 - 0.82) / 1000; starts[1] > starts[0]+2*tolerance {
		t.Errorf("the bound is %v from coarse cells on, and %v from the default ones on", starts[1], starts[0])
	}
}
