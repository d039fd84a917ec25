package certified_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// lineLipschitz bounds the constant of D in x. A reward has slope 3·gain ≤ 3; a
// value's slope S obeys S ≤ 3 + γ·(S + what the signal adds). The signal's
// probabilities have slope tell ≤ 0.4 each, and V as a function of weights moves
// by at most its largest entry, 5, for each unit of weight: 2·0.4·5 = 4. So
// S ≤ (3 + 0.8·4)/(1 − 0.8) = 31 for Q*, and 15 for Q(s,φ,a), which knows no
// signal. Their difference is at most 46.
const lineLipschitz = 46

// With the proven Lipschitz constant, V* lies between the bounds at many points
// and at several moments, whatever the model; 0.02 is for the grids.
func TestContinuousBoundsHoldTheOptimum(t *testing.T) {
	models := 3
	if testing.Short() {
		models = 2
	}
	for seed := range models {
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		m := runtest.NewLine(rng, seed%2 == 1)
		if seed == 0 {
			if err := check.Model(m, check.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		exact := solveLine(m, 200, 100)
		const slack = 0.02
		for _, samples := range []int{30, 300, 3000} {
			r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 0.05, MaxSamples: samples, LipState: lineLipschitz, CertificateEpisodes: -1})
			if err != nil {
				t.Fatal(err)
			}
			for range 100 {
				x, p := rng.Float64(), rng.Float64()
				s, b := []float64{x, 0}, bcpace.Belief{p, 1 - p}
				upper, lower, _ := certified.Bounds(r, s, b)
				if v := exact.at(x, p); v > upper+slack || v < lower-slack {
					t.Fatalf("seed %d, %d samples: [%v, %v] at %v, %v does not hold %v", seed, samples, lower, upper, x, p, v)
				}
				for a := range 3 {
					if q, _ := r.Q(s, b, a); exact.q(m, x, p, a) > q+slack {
						t.Fatalf("seed %d, %d samples: Q = %v at %v, %v, action %d, the optimum is %v", seed, samples, q, x, p, a, exact.q(m, x, p, a))
					}
				}
			}
			gap := math.Inf(1)
			for i, row := range r.Trace {
				if row.Gap > gap {
					t.Fatalf("seed %d: the gap grows from %v to %v in trial %d", seed, gap, row.Gap, i)
				}
				gap = row.Gap
			}
			if _, err := runs.Verify(t.Context(), r); err == nil || !strings.Contains(err.Error(), "not simulated") {
				t.Errorf("a run without simulation is verified: %v", err)
			}
		}
	}
}

// TestContinuousPoliciesOfOneSize is TestContinuousPolicies with noise of one size in place of two.
func TestContinuousPoliciesOfOneSize(t *testing.T) {
	continuousPolicies(t, 0, false)
}

// With the estimated constant the bounds close, and the policy is as good as
// they say: its return, simulated, is in their reach (5 standard errors: a
// false alarm has probability below 10⁻⁵ in all).
func continuousPolicies(t *testing.T, seed uint64, twoSizes bool) {
	m := runtest.NewLine(rand.New(rand.NewPCG(seed, 6)), twoSizes)
	optimum := solveLine(m, 200, 100).at(0.35, 0.4)
	r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 0.15, MaxSamples: 2000, CertificateEpisodes: 2000})
	if err != nil {
		t.Fatal(err)
	}
	res, err := eval.Rollouts(t.Context(), m, r.Policy(), eval.Options{Episodes: 4000, Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	last := r.Trace[len(r.Trace)-1]
	t.Logf("optimum %.4f in [%.4f, %.4f] after %d samples (%s), policy %.4f ± %.4f, certificate %+v", optimum, last.Value-last.Gap, last.Value, r.Samples.Len(), r.Stop, res.Mean, res.StdErr, r.Certificate)
	if optimum > last.Value+0.02 || optimum < last.Value-last.Gap-0.02 {
		t.Errorf("[%v, %v] does not hold %v", last.Value-last.Gap, last.Value, optimum)
	}
	if res.Mean < optimum-0.1-5*res.StdErr {
		t.Errorf("the policy returns %v ± %v, the optimum is %v", res.Mean, res.StdErr, optimum)
	}
	if c := r.Certificate; c.Kind != bcpace.StatisticalCertificate || c.Lower > optimum || c.Upper < optimum || c.Upper > optimum+0.2 {
		t.Errorf("%+v", c)
	}
}

func room(sigma float64) envs.LightDarkTiger {
	return envs.LightDarkTiger{Width: 9, Height: 9, StartAt: []float64{4, 4}, Sigma: sigma}
}

// The optima are from dynamic programming on a grid of (x, y) with steps of
// 0.01 and 0.02, which agree to 10⁻⁴. A policy of 98.5 % fails with probability
// below 10⁻⁶: it would have to be 5 standard errors better than it is, which are 0.009
// with 4000 episodes.
func TestContinuousRoom(t *testing.T) {
	// More noise takes ten times the samples, and is in notebook 06_certified with its optimum.
	for sigma, optimum := range map[float64]float64{0.01: 4.5171} {
		r, err := runs.Explore(t.Context(), room(sigma), certified.Solver{Epsilon: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		res, err := eval.Rollouts(t.Context(), room(sigma), r.Policy(), eval.Options{Episodes: 4000, Seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		last := r.Trace[len(r.Trace)-1]
		t.Logf("σ = %v: %d samples, [%.4f, %.4f], return %.4f ± %.4f, certificate %+v", sigma, r.Samples.Len(), last.Value-last.Gap, last.Value, res.Mean, res.StdErr, r.Certificate)
		if res.Mean-5*res.StdErr < 0.985*optimum || res.Mean-5*res.StdErr > optimum {
			t.Errorf("σ = %v: return %v ± %v, the optimum is %v", sigma, res.Mean, res.StdErr, optimum)
		}
		if last.Value < optimum || last.Value-last.Gap > optimum || r.Stop != stop.Certified {
			t.Errorf("σ = %v: [%v, %v] does not hold %v (%s)", sigma, last.Value-last.Gap, last.Value, optimum, r.Stop)
		}
		if c := r.Certificate; c.Kind != bcpace.StatisticalCertificate || c.Lower > optimum || c.Lower < optimum-0.1 || c.Upper < optimum || c.Upper > optimum+0.5 {
			t.Errorf("σ = %v: %+v", sigma, c)
		}
	}
}

// quickRoom is a run of some hundred samples in a small room.
func quickRoom(t testing.TB, workers int, change func(*certified.Solver)) *runs.Run {
	t.Helper()
	r, err := exploreQuickly(t.Context(), workers, change)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func exploreQuickly(ctx context.Context, workers int, change func(*certified.Solver)) (*runs.Run, error) {
	o := certified.Solver{Epsilon: 0.5, MaxSamples: 300, CertificateEpisodes: 200}
	if change != nil {
		change(&o)
	}
	return o.Explore(ctx, silentRoom(), bcpace.Control{Workers: workers})
}

// silentRoom is a small room that does not say how smooth it is: a proof would take most of the time.
func silentRoom() bcpace.Model {
	silent := func(_ bcpace.Model, a *bcpace.Abilities) { a.Smoothness = nil }
	return bcpace.Derive(envs.LightDarkTiger{Width: 7, Height: 7, Sigma: 0.1}, silent)
}

// quick is the run that quickRoom makes with all processors.
var quick = sync.OnceValues(func() (*runs.Run, error) { return exploreQuickly(context.Background(), 0, nil) })

func TestContinuousRunFile(t *testing.T) {
	r := quickRoom(t, 1, nil)
	file := runtest.Bytes(t, r)
	if other := runtest.Bytes(t, quickRoom(t, 3, nil)); !bytes.Equal(file, other) {
		at := 0
		for at < min(len(file), len(other)) && file[at] == other[at] {
			at++
		}
		t.Errorf("three workers make another file than one: of %d bytes in place of %d, from byte %d on:\n%.300q\n%.300q", len(other), len(file), at, other[at:], file[at:])
	}
	again, err := runs.Read(bytes.NewReader(file), envs.New, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(file, runtest.Bytes(t, again)) {
		t.Error("saved, read and saved again, the file differs")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		s, b := []float64{6 * rng.Float64(), 6 * rng.Float64(), 0}, make(bcpace.Belief, 2)
		b.SampleSimplex(rng)
		for a := range 4 {
			q, known := r.Q(s, b, a)
			if got, gotKnown := again.Q(s, b, a); got != q || gotKnown != known {
				t.Fatalf("Q(%v, %v, %d) = %v, %v after reading, %v, %v before", s, b, a, got, gotKnown, q, known)
			}
			if up := r.Upper(s, b, a); q > up+1e-9 {
				t.Fatalf("Q(%v, %v, %d) = %v is above its first bound %v", s, b, a, q, up)
			}
		}
		v, a := r.At(s, b)
		if got, act := again.At(s, b); got != v || act != a || again.Policy().Act(s, b, nil) != a {
			t.Fatalf("At(%v, %v) = %v, %d after reading, %v, %d before", s, b, got, act, v, a)
		}
	}
	for what, spoil := range map[string]func(*runs.Run){
		"":          func(r *runs.Run) {},
		"shortfall": func(r *runs.Run) { certified.SpoilShortfall(r) },
		"value":     func(r *runs.Run) { r.Value -= 0.1 },
	} {
		r, err := runs.Read(bytes.NewReader(file), runs.FixedModel(silentRoom()), nil)
		if err != nil {
			t.Fatal(err)
		}
		spoil(r)
		if c, err := runs.Verify(t.Context(), r); what == "" {
			if err != nil || c.Episodes != 200 {
				t.Errorf("verified %+v, %v", c, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("a spoilt %s: %v", what, err)
		}
	}
	for _, n := range []int{1, 8} {
		if _, err := runs.Read(bytes.NewReader(runtest.Reseal(append(file[:len(file)-32-n:len(file)-32-n], make([]byte, 32)...))), envs.New, nil); !errors.Is(err, runs.ErrFormat) {
			t.Errorf("%d bytes short: %v, want ErrFormat", n, err)
		}
	}
}

func TestContinuousQueriesOutsideTheModel(t *testing.T) {
	r, err := quick()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range [][]float64{{-1, 4, 0}, {4, 9, 0}, {math.NaN(), 4, 0}} {
		if q, known := r.Q(s, bcpace.Belief{0.5, 0.5}, 1); known || !math.IsNaN(q) {
			t.Errorf("Q(%v) = %v, known %v", s, q, known)
		}
		r.At(s, bcpace.Belief{0.5, 0.5})
		if a := r.Policy().Act(s, bcpace.Belief{0.5, 0.5}, nil); a != -1 {
			t.Errorf("action %d at %v", a, s)
		}
	}
	nan := bcpace.Belief{math.NaN(), math.NaN()}
	if _, known := r.Q([]float64{4, 4, 0}, nan, 0); known {
		t.Error("a belief that is none is known")
	}
	if a := r.Policy().Act([]float64{4, 4, 0}, nan, nil); a != -1 {
		t.Errorf("action %d at a belief that is none", a)
	}
}

func TestContinuousBudgetsAndStarts(t *testing.T) {
	if r, err := quick(); err != nil || r.Stop != stop.Samples || r.Samples.Len() != 300 {
		t.Errorf("stop %q, %d samples, error %v, want the budget of 300", r.Stop, r.Samples.Len(), err)
	}
	if r := quickRoom(t, 0, func(o *certified.Solver) { o.MaxSamples, o.MaxEpisodes = 0, 3 }); r.Stop != stop.Episodes || len(r.Trace) != 3 {
		t.Errorf("stop %q after %d trials, want the budget of 3", r.Stop, len(r.Trace))
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := certified.Solver{Epsilon: 0.5}.Explore(ctx, room(0.1), bcpace.Control{Progress: func(p bcpace.Progress) {
		if p.Phase == "" { // the search has begun
			cancel()
		}
	}})
	if err != nil || r.Stop != stop.Interrupted || r.Certificate.Kind != bcpace.NoCertificate || r.Samples.Len() == 0 {
		t.Errorf("interrupted: %v, %+v", err, r)
	}
	// A start of one's own is explored besides: one step from the light.
	at, b := []float64{1, 1, 0}, bcpace.Belief{0.5, 0.5}
	r = quickRoom(t, 0, func(o *certified.Solver) {
		o.Epsilon, o.LipState, o.MaxSamples, o.Starts = 1, 0.3, 3000, []bcpace.StartPoint{{State: at, Belief: b}}
	})
	if upper, lower, _ := certified.Bounds(r, at, b); r.Stop == stop.Certified && upper-lower > 1 {
		t.Errorf("[%v, %v] at a start, want them within 1", lower, upper)
	}
	for _, lip := range []float64{-1, math.Inf(1), math.NaN()} {
		_, err := runs.Explore(t.Context(), room(0.1), certified.Solver{Epsilon: 1, LipState: lip})
		if input := new(bcpace.InputError); !errors.As(err, &input) {
			t.Errorf("L_S = %v: %v, want an InputError", lip, err)
		}
	}
}

// A model whose successors lead out of its axes is named, not followed.
func TestContinuousModelsAtFault(t *testing.T) {
	_, err := runs.Explore(t.Context(), astray{room(0.1)}, certified.Solver{Epsilon: 1})
	if fault := new(bcpace.ConformanceError); !errors.As(err, &fault) {
		t.Errorf("%v, want a ConformanceError", err)
	}
}

type astray struct{ envs.LightDarkTiger }

func (m astray) Successors(z *bcpace.Successors, s []float64, a int) {
	m.LightDarkTiger.Successors(z, s, a)
	to, _, _ := z.Row(0)
	to[0] = -3
}

// Whatever the bytes, reading gives a run that answers, or an error.
func FuzzReadContinuousRun(f *testing.F) {
	m := runtest.NewLine(rand.New(rand.NewPCG(1, 7)), true)
	r, err := runs.Explore(f.Context(), m, certified.Solver{Epsilon: 0.5, MaxSamples: 10, CertificateEpisodes: 10})
	if err != nil {
		f.Fatal(err)
	}
	file := runtest.Bytes(f, r)
	f.Add(file)
	f.Add(file[:len(file)-9])
	end := 32 + len(r.State())
	for _, at := range []int{32 + 8, end/2 + 4, end - 8, end, end + 8, end + 8*5, end + 8*40} { // of the state, of the bounds, and of the columns before
		spoilt := bytes.Clone(file)
		copy(spoilt[len(spoilt)-at:], []byte{0, 0, 0, 0, 0, 0, 0xf8, 0xff}) // −Inf or NaN
		f.Add(spoilt)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := runs.Read(bytes.NewReader(runtest.Reseal(data)), runs.FixedModel(m), nil)
		if err != nil {
			return
		}
		r.Q([]float64{0.5, 0}, bcpace.Belief{0.5, 0.5}, 0)
		r.At([]float64{0.5, 0}, bcpace.Belief{0.5, 0.5})
		runtest.GoOn(r)
	})
}

func BenchmarkContinuous(b *testing.B) {
	for _, sigma := range []float64{0.01, 0.1} {
		b.Run(fmt.Sprint("sigma ", sigma), func(b *testing.B) {
			for b.Loop() {
				r, err := runs.Explore(b.Context(), room(sigma), certified.Solver{Epsilon: 0.5, CertificateEpisodes: -1})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Samples.Len()), "samples")
			}
		})
	}
}
