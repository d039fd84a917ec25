package pac_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/pac"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

func near(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(1, math.Abs(x), math.Abs(y)) }

// TestByHand has numbers worked out by hand: ε = 1, δ = 0.1, γ = 0.9, Rmax = e, so that
// log(Rmax/ε) = 1, Qmax = 10e, N = 10 and k = 3.
func TestByHand(t *testing.T) {
	e := math.E
	a, err := pac.Analyse(pac.Setting{Epsilon: 1, Delta: 0.1, Discount: 0.9, RMax: e, Cover: 10, K: 3, Beta: 0.5, Batch: 4, LipQ: 2, Seeded: true, Reduced: 5})
	if err != nil {
		t.Fatal(err)
	}
	q := e + 0.9*10*e // Q̃max = 10e
	for name, c := range map[string][2]float64{
		"T":              {a.Horizon, 10},
		"Qmax":           {a.Setting.QMax, 10 * e},
		"Q̃max":          {a.Setting.QTildeMax, q},
		"threshold":      {a.EscapeThreshold, 1 / e},
		"trajectories":   {a.EscapeTrajectories, 2 * e * (30 + math.Log(10))},
		"escape steps":   {a.EscapeSteps, 20 * e * (30 + math.Log(10))},
		"m":              {a.M, 20 * e * (30 + math.Log(20))},
		"batch":          {a.BatchM, 80 * e * (30 + math.Log(20))},
		"k low":          {a.KLow, q * q * math.Log(400)},
		"k high":         {a.KHigh, 400},
		"k low, known":   {a.KnownLow, q * q * math.Log(200)},
		"k high, known":  {a.KnownHigh, 200},
		"samples":        {a.Samples, 30},
		"guarantee":      {a.Guarantee, 80},
		"known":          {a.KnownGuarantee, 40},
		"reduced":        {a.ReducedM, 20 * e * (15 + math.Log(20))},
		"factor":         {a.ReducedFactor, (15 + math.Log(20)) / (30 + math.Log(20))},
		"claimed factor": {a.ClaimedFactor, 0.5},
		"sweeps":         {float64(a.Sweeps), math.Ceil(math.Log(0.5/q) / math.Log(0.9))},
		"radius":         {a.Radius, 0.25},
		"seed radius":    {a.SeedRadius, 1 / 3.8},
	} {
		if !near(c[0], c[1]) {
			t.Errorf("%s is %v, want %v", name, c[0], c[1])
		}
	}
	if a.Admissible { // 4N/δ = 400 is below Q̃max²·log 400
		t.Error("k = 3 is not in an empty interval")
	}
	if x, err := pac.EpsilonFor(80, 0.9); err != nil || !near(x, 8.0/7) {
		t.Errorf("%v, %v", x, err)
	}
}

// TestConsistent expects what holds between the quantities for any numbers.
func TestConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := pac.Setting{
			Epsilon: math.Exp(rapid.Float64Range(-5, 1).Draw(t, "ε")), Delta: envtest.Evenly(0.001, 0.999).Draw(t, "δ"),
			Discount: envtest.Evenly(0.01, 0.999).Draw(t, "γ"), Cover: math.Exp(rapid.Float64Range(0, 20).Draw(t, "N")),
			Batch: rapid.IntRange(0, 50).Draw(t, "n"), LipQ: rapid.Float64Range(0, 5).Draw(t, "L"),
		}
		x.RMax = x.Epsilon * math.Exp(rapid.Float64Range(0.01, 5).Draw(t, "R"))
		a, err := pac.Analyse(x)
		if err != nil {
			t.Fatal(err)
		}
		k := float64(a.Setting.K)
		switch {
		case k < a.KLow || k > a.KLow+1 && k > 1:
			t.Fatalf("k = %v is not the least above %v", k, a.KLow)
		case a.Admissible && k > a.KHigh:
			t.Fatalf("%v is above %v", k, a.KHigh)
		case !near(a.EscapeSteps, a.EscapeTrajectories*a.Horizon):
			t.Fatalf("%v steps in %v trajectories of %v", a.EscapeSteps, a.EscapeTrajectories, a.Horizon)
		case a.M < a.EscapeSteps || !near(a.BatchM, a.M*max(1, float64(x.Batch))):
			t.Fatalf("m = %v, %v for a batch, %v escape steps", a.M, a.BatchM, a.EscapeSteps)
		case x.LipQ > 0 && a.SeedRadius < a.Radius:
			t.Fatalf("radii %v and %v", a.Radius, a.SeedRadius)
		}
	})
}

func TestDomains(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good := pac.Setting{Epsilon: 1, Delta: 0.1, Discount: 0.9, RMax: 10, Cover: 10, K: 1}
	if _, err := pac.Analyse(good); err != nil {
		t.Fatal(err)
	}
	input := (*bcpace.InputError)(nil)
	for name, f := range map[string]func(x *pac.Setting, v float64){
		"epsilon": func(x *pac.Setting, v float64) { x.Epsilon = v }, "delta": func(x *pac.Setting, v float64) { x.Delta = v },
		"discount": func(x *pac.Setting, v float64) { x.Discount = v }, "rMax": func(x *pac.Setting, v float64) { x.RMax = v },
		"cover": func(x *pac.Setting, v float64) { x.Cover = v },
	} {
		for _, v := range []float64{0, -1, nan, inf, math.Inf(-1)} {
			x := good
			f(&x, v)
			if _, err := pac.Analyse(x); !errors.As(err, &input) || input.What != name {
				t.Errorf("%s = %v: %v", name, v, err)
			}
		}
	}
	for name, x := range map[string]pac.Setting{
		"rMax":      {Epsilon: 10, Delta: 0.1, Discount: 0.9, RMax: 10, Cover: 10, K: 1},
		"delta":     {Epsilon: 1, Delta: 1, Discount: 0.9, RMax: 10, Cover: 10, K: 1},
		"discount":  {Epsilon: 1, Delta: 0.1, Discount: 1, RMax: 10, Cover: 10, K: 1},
		"qMax":      {Epsilon: 1, Delta: 0.1, Discount: 0.9, RMax: 10, QMax: 101, Cover: 10, K: 1},
		"qTildeMax": {Epsilon: 1, Delta: 0.1, Discount: 0.9, RMax: 10, QTildeMax: -1, Cover: 10, K: 1},
		"reduced":   {Epsilon: 1, Delta: 0.1, Discount: 0.9, RMax: 10, Cover: 10, K: 1, Seeded: true, Reduced: 11},
		"k":         {Epsilon: 1, Delta: 0.1, Discount: 0.9, RMax: 10, Cover: 10, K: -1},
		"lipQ":      {Epsilon: 1, Delta: 0.1, Discount: 0.9, RMax: 10, Cover: 10, K: 1, LipQ: nan},
		"beta":      {Epsilon: 1, Delta: 0.1, Discount: 0.9, RMax: 10, Cover: 10, K: 1, Beta: 1e9},
		"batch":     {Epsilon: 1, Delta: 0.1, Discount: 0.9, RMax: 10, Cover: 10, K: 1, Batch: -1},
	} {
		if _, err := pac.Analyse(x); !errors.As(err, &input) || input.What != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, f := range map[string]func() error{
		"sweeps":  func() error { _, err := pac.Sweeps(5, 5, 0.9); return err },
		"seed":    func() error { _, err := pac.SeedRadius(1, 0, 0.9); return err },
		"gap":     func() error { _, err := pac.EpsilonFor(0, 0.9); return err },
		"batch":   func() error { _, err := pac.BatchSampleComplexity(1, 0); return err },
		"reduced": func() error { _, err := pac.ReducedSampleComplexity(1, 0.1, 10, 10, 1, -1); return err },
	} {
		if err := f(); !errors.As(err, &input) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// small explorations that the audit can follow.
func audited() map[string]struct {
	m bcpace.Model
	o cpace.Solver
} {
	type c = struct {
		m bcpace.Model
		o cpace.Solver
	}
	return map[string]c{
		"tiger":       {envs.Tiger{}, cpace.Solver{Epsilon: 1, LipQ: 60, K: 3, Horizon: 60, Seed: 1, Patience: 20}},
		"ending":      {envs.Tiger{Ends: true}, cpace.Solver{Epsilon: 1, LipQ: 60, K: 4, Seed: 2, Patience: 20}},
		"room":        {envs.LightDarkTiger{}, cpace.Solver{Epsilon: 0.1, LipQ: 0.25, K: 1, Bound: cpace.BoundQMDP, SeedOneHot: true, Seed: 3, Horizon: 60, Patience: 10}},
		"tiger batch": {envs.Tiger{}, cpace.Solver{Epsilon: 1, LipQ: 60, K: 5, Horizon: 60, Batch: 3, Seed: 4, Patience: 20}},
		// listens until beliefs are merged
		"merged":   {envs.Tiger{}, cpace.Solver{Epsilon: 8, LipQ: 55, K: 6, Horizon: 60, Seed: 1, Patience: 30}},
		"constant": {envs.Tiger{Ends: true}, cpace.Solver{Epsilon: 1, LipQ: 60, K: 2, Bound: cpace.BoundConstant, Seed: 5, Patience: 20}},
	}
}

// TestPrefix is what the audit rests on: an exploration that MaxSamples or MaxEpisodes
// cuts short is a prefix of the longer one.
func TestPrefix(t *testing.T) {
	for name, c := range audited() {
		full, err := runs.Explore(t.Context(), c.m, c.o)
		if err != nil {
			t.Fatal(err)
		}
		n := full.Samples.Len()
		for j := 1; j < n; j += max(1, n/4) {
			o := c.o
			o.MaxSamples, o.CertificateEpisodes = j, -1
			if c.o.Batch > 0 {
				o.MaxSamples, o.MaxEpisodes = 0, j/c.o.Batch*c.o.Batch+c.o.Batch
			}
			cut, err := runs.Explore(t.Context(), c.m, o)
			if err != nil {
				t.Fatal(err)
			}
			m := cut.Samples.Len()
			if c.o.Batch == 0 && m != j {
				t.Errorf("%s: %d samples, want %d", name, m, j)
			}
			for i := range min(m, n) {
				a, b := cut.Samples.At(i), full.Samples.At(i)
				if !slices.Equal(a.State, b.State) || !slices.Equal(a.Belief, b.Belief) || a.Action != b.Action || a.Episode != b.Episode ||
					a.Time != b.Time || !slices.Equal(a.Next, b.Next) || a.Reward != b.Reward {
					t.Fatalf("%s: sample %d is %+v in the prefix, %+v in full", name, i, a, b)
				}
			}
		}
	}
}

// TestAudit follows explorations step by step. Their theorems' bounds must hold (they
// may fail with probability δ; the seeds are fixed), the last policy's gap must be that
// of exact evaluation, and its value the optimum less it.
func TestAudit(t *testing.T) {
	for name, c := range audited() {
		a, err := pac.NewAudit(t.Context(), c.m, c.o, pac.AuditOptions{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if a.Steps != a.Run.Steps || a.Escapes == 0 {
			t.Errorf("%s: %d steps, %d escapes", name, a.Steps, a.Escapes)
		}
		if float64(a.BelowGuarantee) > a.Analysis.BatchM || float64(a.EscapeSteps) > a.Analysis.EscapeSteps*float64(max(1, c.o.Batch)) ||
			float64(a.Run.Samples.Len()) > a.Analysis.Samples {
			t.Errorf("%s: promise %+v, measured %+v", name, a.Analysis, a)
		}
		last := a.Policies[len(a.Policies)-1]
		best, err := eval.Optimal(t.Context(), c.m, eval.ExactOptions{Tolerance: 1e-5})
		if err != nil {
			t.Fatal(err)
		}
		got, err := eval.Evaluate(t.Context(), c.m, a.Run.Policy(), eval.ExactOptions{Tolerance: 1e-5})
		if err != nil {
			t.Fatal(err)
		}
		if gap := best.Value - got.Value; math.Abs(gap-last.StartGap) > 1e-3 {
			t.Errorf("%s: gap %v at the end, want %v", name, last.StartGap, gap)
		}
		if last.Samples != a.Run.Samples.Len() || a.Accuracy > 0.01 {
			t.Errorf("%s: last row %+v, accuracy %v", name, last, a.Accuracy)
		}
		first := a.Policies[0]
		if first.Samples != 0 || name != "room" && first.StartEscape != 1 {
			t.Errorf("%s: first row %+v", name, first)
		}
		t.Logf("%s: N %v, m %.4g, samples %d of %.4g, below ε %d, below guarantee %d of %d, escape steps %d, escapes %d, last gap %.4g escape %.3g", name,
			a.Analysis.Setting.Cover, a.Analysis.BatchM, a.Run.Samples.Len(), a.Analysis.Samples, a.BelowEpsilon, a.BelowGuarantee, a.Steps, a.EscapeSteps, a.Escapes, last.StartGap, last.StartEscape)
	}
}

// TestBellman compares residuals with a backup written out for Tiger, and expects those
// of many neighbours to be within the corollary's bounds.
func TestBellman(t *testing.T) {
	o := cpace.Solver{Epsilon: 5, LipQ: 60, K: 400, Batch: 20, Horizon: 60, Seed: 1, Patience: 40}
	r, err := runs.Explore(t.Context(), envs.Tiger{}, o)
	if err != nil {
		t.Fatal(err)
	}
	x, err := pac.Bellman(t.Context(), r)
	if err != nil || x.Known == 0 || len(x.Values) != x.Known {
		t.Fatalf("%+v, %v", x, err)
	}
	for i, v := range x.Values {
		c := r.Samples.At(x.At[i])
		left := c.Belief[0]
		var want float64
		next := func(b float64, heard float64) float64 {
			q, _ := r.At([]float64{heard}, bcpace.Belief{b, 1 - b})
			return q
		}
		switch c.Action {
		case 0:
			p := 0.85*left + 0.15*(1-left)
			want = -1 + 0.95*(p*next(0.85*left/p, 1)+(1-p)*next(0.15*left/(1-p), 2))
		case 1:
			want = -100*left + 10*(1-left) + 0.95*next(0.5, 0)
		case 2:
			want = 10*left - 100*(1-left) + 0.95*next(0.5, 0)
		}
		q, _ := r.Q(c.State, c.Belief, c.Action)
		if math.Abs(v-(q-want)) > 1e-6 {
			t.Fatalf("residual %v at %+v, want %v", v, c, q-want)
		}
	}
	if x.Below > 0 || x.Above > 0 {
		t.Errorf("residuals from %v to %v, want −5 to 10", x.Min, x.Max)
	}
	t.Logf("residuals of %d known samples from %.3g to %.3g", x.Known, x.Min, x.Max)

	// Two samples for each query say little: residuals fall outside. A door ends the
	// episode, and nothing follows.
	r, err = runs.Explore(t.Context(), envs.Tiger{Ends: true}, cpace.Solver{Epsilon: 0.5, LipQ: 60, K: 2, Seed: 1, Patience: 20})
	if err != nil {
		t.Fatal(err)
	}
	if x, err = pac.Bellman(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	below, above, doors := 0, 0, 0
	for i, v := range x.Values {
		if v < -0.5 {
			below++
		}
		if v > 1 {
			above++
		}
		if c := r.Samples.At(x.At[i]); c.Action > 0 {
			doors++
			reward := 10 - 110*c.Belief[c.Action-1]
			if q, _ := r.Q(c.State, c.Belief, c.Action); math.Abs(v-(q-reward)) > 1e-9 {
				t.Errorf("residual %v of a door, want %v", v, q-reward)
			}
		}
	}
	if x.Below != below || x.Above != above || below == 0 || above == 0 || doors == 0 || x.Min != slices.Min(x.Values) || x.Max != slices.Max(x.Values) {
		t.Errorf("%d below and %d above of %+v, want %d and %d", x.Below, x.Above, x, below, above)
	}
}

func TestAuditErrors(t *testing.T) {
	input, unsupported := (*bcpace.InputError)(nil), (*bcpace.UnsupportedError)(nil)
	o := cpace.Solver{Epsilon: 1, LipQ: 60, MaxEpisodes: 3}
	random := o
	random.RandomBelief = true
	if _, err := pac.NewAudit(t.Context(), envs.Tiger{}, random, pac.AuditOptions{}); !errors.As(err, &input) {
		t.Error(err)
	}
	if _, err := pac.NewAudit(t.Context(), envs.LightDarkTiger{Sigma: 0.1}, cpace.Solver{Epsilon: 1, MaxEpisodes: 2}, pac.AuditOptions{}); !errors.As(err, &unsupported) {
		t.Error(err)
	}
	limit := (*eval.LimitError)(nil)
	if _, err := pac.NewAudit(t.Context(), envs.Chain{}, cpace.Solver{Epsilon: 1, MaxEpisodes: 2}, pac.AuditOptions{MaxNodes: 100}); !errors.As(err, &limit) {
		t.Error(err)
	}
	if _, err := pac.NewAudit(t.Context(), envs.Tiger{}, o, pac.AuditOptions{Delta: 2}); !errors.As(err, &input) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pac.NewAudit(ctx, envs.Tiger{}, o, pac.AuditOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	run, err := runs.Explore(t.Context(), envs.Tiger{}, certified.Solver{Epsilon: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pac.Bellman(t.Context(), run); !errors.As(err, &unsupported) {
		t.Error(err)
	}
}
