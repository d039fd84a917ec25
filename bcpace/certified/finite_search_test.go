package certified_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

func solve(t testing.TB, m bcpace.Model, epsilon float64) *runs.Run {
	t.Helper()
	r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: epsilon, MaxEpisodes: 50_000})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The optima are exact: dynamic programming over sufficient statistics (Chain)
// and value iteration (Light-Dark Tiger), to the digits given. Tiger's at γ = 0.95
// is that of listening until one side leads by two: from the beliefs 0.5, 0.85
// and b2 = 0.7225/0.745,
//
//	V0 = −1 + γV1,  V1 = −1 + γ(0.255·V0 + 0.745·V2),  V2 = 110·b2 − 100 + γV0.
func TestCertificatesHoldTheOptimum(t *testing.T) {
	for _, c := range []struct {
		m                        bcpace.Model
		epsilon, optimum, digits float64
		samples                  int
	}{
		{envs.Chain{}, 1e-3, 48.08105, 5e-6, 1000},
		{envs.Tiger{}, 1e-3, 19.371368375, 5e-10, 1000},
		{envs.Tiger{Discount: 0.9}, 1e-3, 8.507, 5e-4, 1000},
		{envs.Chain{Discount: 0.99}, 0.01, 278.0975, 5e-5, 5000},
		{envs.LightDarkTiger{}, 1e-6, 6.98337, 5e-6, 1000},
		{envs.LightDarkTiger{Width: 9, Height: 9}, 1e-6, 4.63291, 5e-6, 1000},
	} {
		r := solve(t, c.m, c.epsilon)
		got := r.Certificate
		if r.Stop != stop.Certified || got.Kind != bcpace.ExactCertificate || got.Gap() > c.epsilon {
			t.Errorf("%s: stop %q, certificate %+v, want a gap of %v", r.Spec.Name, r.Stop, got, c.epsilon)
		}
		if c.optimum < got.Lower-c.digits || c.optimum > got.Upper+c.digits {
			t.Errorf("%s: [%v, %v] does not hold %v", r.Spec.Name, got.Lower, got.Upper, c.optimum)
		}
		if r.Samples.Len() > c.samples {
			t.Errorf("%s: %d samples, want at most %d", r.Spec.Name, r.Samples.Len(), c.samples)
		}
		gap := math.Inf(1)
		for i, row := range r.Trace {
			if row.Gap > gap {
				t.Fatalf("%s: the gap grows from %v to %v in trial %d", r.Spec.Name, gap, row.Gap, i)
			}
			gap = row.Gap
		}
		if verified, err := runs.Verify(t.Context(), r); err != nil || verified.Gap() > c.epsilon*1.01+1e-8 {
			t.Errorf("%s: verified %+v, %v", r.Spec.Name, verified, err)
		}
	}
}

// The policy of the vectors attains the lower bound: exactly evaluated on the
// graph of the beliefs it reaches, it is worth at least that.
func TestCertifiedPolicyAttainsTheLowerBound(t *testing.T) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{}} {
		r := solve(t, m, 0.05)
		value, err := eval.Evaluate(t.Context(), m, r.Policy(), eval.ExactOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if value.Value+value.Error < r.Certificate.Lower {
			t.Errorf("%s: the policy is worth %v ± %v, below its bound %v", r.Spec.Name, value.Value, value.Error, r.Certificate.Lower)
		}
	}
}

func TestCertifiedRunFile(t *testing.T) {
	r := solve(t, envs.Tiger{}, 0.01)
	var w bytes.Buffer
	if _, err := r.WriteTo(&w); err != nil {
		t.Fatal(err)
	}
	again, err := runs.Read(bytes.NewReader(w.Bytes()), envs.New, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again.Certificate != r.Certificate {
		t.Errorf("certificate %+v after reading, %+v before", again.Certificate, r.Certificate)
	}
	for _, b := range []bcpace.Belief{{0.5, 0.5}, {0.85, 0.15}, {0.01, 0.99}} {
		for a := range r.Spec.Actions {
			q, known := r.Q([]float64{0}, b, a)
			if got, gotKnown := again.Q([]float64{0}, b, a); got != q || gotKnown != known {
				t.Errorf("Q(%v, %d) = %v, %v after reading, %v, %v before", b, a, got, gotKnown, q, known)
			}
		}
		if got, want := again.Policy().Act([]float64{0}, b, nil), r.Policy().Act([]float64{0}, b, nil); got != want {
			t.Errorf("action %d at %v after reading, %d before", got, b, want)
		}
	}
	var w2 bytes.Buffer
	if _, err := again.WriteTo(&w2); err != nil || !bytes.Equal(w.Bytes(), w2.Bytes()) {
		t.Errorf("saved, read and saved again, the file differs (%v)", err)
	}
	if _, err := runs.Verify(t.Context(), again); err != nil {
		t.Errorf("the run read back is not verified: %v", err)
	}
}

func TestVerifyRefusesWhatDoesNotHold(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(r *runs.Run)
		want  string
	}{
		{"a sample too low", func(r *runs.Run) { r.Samples.Q[3] -= 0.1 }, "the value of sample"},
		{"a sample that is no number", func(r *runs.Run) { r.Samples.Q[3] = math.NaN() }, "sample 3"},
		{"a belief off the simplex", func(r *runs.Run) { r.Samples.Belief[4] = 0.7 }, "belief of sample 2"},
		{"a lower bound too high", func(r *runs.Run) { r.Certificate.Lower += 0.01 }, "the certificate"},
		{"an upper bound too low", func(r *runs.Run) { r.Certificate.Upper -= 0.01 }, "the certificate"},
		{"no certificate", func(r *runs.Run) { r.Certificate.Kind = bcpace.NoCertificate }, "a run with a certificate"},
	} {
		r := solve(t, envs.Tiger{}, 0.01)
		c.spoil(r)
		if _, err := runs.Verify(t.Context(), r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
}

func TestCertifiedNeedsSuccessors(t *testing.T) {
	_, err := runs.Explore(t.Context(), struct{ bcpace.Model }{envs.LightDarkTiger{}}, certified.Solver{Epsilon: 1})
	if unsupported := new(bcpace.UnsupportedError); !errors.As(err, &unsupported) {
		t.Errorf("%v, want an UnsupportedError", err)
	}
}

func TestCertifiedQueriesOutsideTheModel(t *testing.T) {
	r := solve(t, envs.Tiger{}, 1)
	for _, c := range []struct {
		s []float64
		b bcpace.Belief
		// The actions allowed: none, −1, for what is no state of the model.
		from, to int
	}{
		{[]float64{7}, bcpace.Belief{0.5, 0.5}, -1, -1},
		{[]float64{math.NaN()}, bcpace.Belief{0.5, 0.5}, -1, -1},
		{[]float64{0}, bcpace.Belief{0.5, 0.5, 0}, -1, -1},
		{[]float64{0}, bcpace.Belief{math.NaN(), math.NaN()}, 0, 2},
	} {
		if q, known := r.Q(c.s, c.b, 1); known {
			t.Errorf("Q(%v, %v) = %v is known", c.s, c.b, q)
		}
		r.At(c.s, c.b)
		r.Upper(c.s, c.b, 1)
		if a := r.Policy().Act(c.s, c.b, nil); a < c.from || a > c.to {
			t.Errorf("action %d at %v, %v", a, c.s, c.b)
		}
	}
}

func TestCertifiedBudgets(t *testing.T) {
	r, err := runs.Explore(t.Context(), envs.Chain{}, certified.Solver{Epsilon: 1e-3, MaxSamples: 50})
	if err != nil || r.Stop != stop.Samples || r.Samples.Len() != 50 {
		t.Errorf("%v, stop %q, %d samples, want the budget of 50", err, r.Stop, r.Samples.Len())
	}
	if c := r.Certificate; c.Lower > 48.08105 || c.Upper < 48.08105 {
		t.Errorf("cut short, [%v, %v] does not hold the optimum", c.Lower, c.Upper)
	}
	if r, err = runs.Explore(t.Context(), envs.Chain{}, certified.Solver{Epsilon: 1e-3, MaxEpisodes: 3}); err != nil || r.Stop != stop.Episodes || len(r.Trace) != 3 {
		t.Errorf("%v, stop %q after %d trials, want the budget of 3", err, r.Stop, len(r.Trace))
	}
}

func BenchmarkCertified(b *testing.B) {
	for _, c := range []struct {
		name    string
		m       bcpace.Model
		epsilon float64
	}{
		{"chain", envs.Chain{}, 1e-3}, {"tiger", envs.Tiger{}, 1e-3},
		{"room 9x9", envs.LightDarkTiger{Width: 9, Height: 9}, 1e-3}, {"chain 0.99", envs.Chain{Discount: 0.99}, 0.01},
		{"tiger 0.55", envs.Tiger{Accuracy: 0.55}, 0.01}, {"64 latents", envs.Chain{Slips: slips(64), Discount: 0.85}, 0.1},
	} {
		b.Run(c.name, func(b *testing.B) {
			var r *runs.Run
			for b.Loop() {
				r = solve(b, c.m, c.epsilon)
			}
			b.ReportMetric(float64(r.Samples.Len()), "samples")
			b.ReportMetric(r.Certificate.Gap(), "gap")
		})
	}
}

// BenchmarkCertifiedBatch is a model of 30 states and 6 latents to a tight gap,
// with batches of no, 2, 4 and 8 trials.
func BenchmarkCertifiedBatch(b *testing.B) {
	m := randmodel.New(rand.New(rand.NewPCG(7, 1)), randmodel.Options{States: 30, Latents: 6, Actions: 3, Branch: 3, Discount: 0.9})
	for _, c := range [][2]int{{0, 1}, {2, 1}, {2, 2}, {4, 1}, {4, 2}, {8, 1}, {8, 2}} {
		b.Run(fmt.Sprintf("batch %d, workers %d", c[0], c[1]), func(b *testing.B) {
			for b.Loop() {
				s := certified.Solver{Epsilon: 0.002, Batch: c[0]}
				if _, err := s.Explore(b.Context(), m, bcpace.Control{Workers: c[1]}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// An ε below what rounding and the merging of close beliefs allow ends the
// exploration where nothing moves.
func TestCertifiedToRounding(t *testing.T) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.LightDarkTiger{}} {
		for _, batch := range []int{0, 3} {
			r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 1e-13, MaxEpisodes: 20_000, Batch: batch})
			if err != nil {
				t.Fatal(err)
			}
			if r.Stop != stop.Rounding || r.Certificate.Gap() > 1e-4 {
				t.Errorf("%s: stop %q after %d trials, %+v", r.Spec.Name, r.Stop, len(r.Trace), r.Certificate)
			}
			if _, err := runs.Verify(t.Context(), r); err != nil {
				t.Errorf("%s: %v", r.Spec.Name, err)
			}
			if err := certified.CheckNodes(r); err != nil {
				t.Errorf("%s: %v", r.Spec.Name, err)
			}
		}
	}
}

// Random models of 2 to 50 states and 2 to 6 latents, static, changing and
// redrawn: the exact value, from the graph of all beliefs within reach, always
// lies in the certificate, and the certificate is verified.
func TestRandomModelsLieInTheirCertificates(t *testing.T) {
	for seed := range 60 { // package solvertest has other models
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		m := randmodel.New(rng, randmodel.Options{States: 2 + seed%49, Latents: 2 + seed%5, Actions: 2, Branch: 2,
			Kind: bcpace.LatentKind(seed % 3), Lists: seed/3%2 == 1, Drifts: seed/6%2 == 1, Discount: 0.2 + 0.15*rng.Float64()})
		exact, err := eval.Optimal(t.Context(), m, eval.ExactOptions{Tolerance: 0.05})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 0.01, MaxEpisodes: 50_000, Batch: seed % 5})
		if err != nil {
			t.Fatal(err)
		}
		if c := r.Certificate; c.Lower > exact.Value+exact.Error || c.Upper < exact.Value-exact.Error || c.Gap() > 0.01 {
			t.Errorf("seed %d: [%v, %v] does not hold %v ± %v", seed, c.Lower, c.Upper, exact.Value, exact.Error)
		}
		if _, err := runs.Verify(t.Context(), r); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if err := certified.CheckNodes(r); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// Batches make the same run for any number of workers, hold the optimum, and
// are verified.
//
//test:race
func TestCertifiedBatches(t *testing.T) {
	for _, c := range []struct {
		m                bcpace.Model
		epsilon, optimum float64
	}{
		{envs.Chain{}, 1e-2, 48.08105}, {envs.Tiger{}, 1e-2, 19.371368}, {envs.LightDarkTiger{}, 1e-6, 6.98337},
	} {
		o := certified.Solver{Epsilon: c.epsilon, Batch: 6,
			Starts: []bcpace.StartPoint{{State: make([]float64, len(c.m.Spec().Axes)), Belief: bcpace.OneHot(len(c.m.Spec().Latents), 1)}}}
		c.m.Start(o.Starts[0].State, 1, rand.New(rand.NewPCG(1, 1)))
		one := runtest.Explored(t, c.m, o, 1)
		for _, workers := range []int{2, 5, 0} {
			if !bytes.Equal(runtest.Explored(t, c.m, o, workers), one) {
				t.Errorf("%s: the run files of 1 and %d workers differ", c.m.Spec().Name, workers)
			}
		}
		r, err := runs.Read(bytes.NewReader(one), envs.New, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Certificate; got.Lower > c.optimum+5e-6 || got.Upper < c.optimum-5e-6 || got.Gap() > c.epsilon || r.Stop != stop.Certified {
			t.Errorf("%s: %+v does not hold %v, stop %q", r.Spec.Name, got, c.optimum, r.Stop)
		}
		if _, err := runs.Verify(t.Context(), r); err != nil {
			t.Errorf("%s: %v", r.Spec.Name, err)
		}
	}
}

// slips returns n slip probabilities spread over [0.05, 0.95].
func slips(n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = 0.05 + 0.9*float64(i)/float64(n-1)
	}
	return p
}

// A latent set of 64: slip probabilities spread over [0.05, 0.95]. The policy's
// simulated return agrees with its bounds within 5 standard errors.
func TestSixtyFourLatents(t *testing.T) {
	m := envs.Chain{Slips: slips(64), Discount: 0.85}
	r := solve(t, m, 1)
	if r.Stop != stop.Certified {
		t.Fatalf("stop %q, certificate %+v", r.Stop, r.Certificate)
	}
	res, err := eval.Rollouts(t.Context(), m, r.Policy(), eval.Options{Episodes: 2000, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if margin := 5*res.StdErr + res.Truncation; res.Mean < r.Certificate.Lower-margin || res.Mean > r.Certificate.Upper+margin {
		t.Errorf("return %v ± %v, outside of %+v", res.Mean, res.StdErr, r.Certificate)
	}
}
