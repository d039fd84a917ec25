package runs_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// small is a quick exploration of the paper's.
func small(t testing.TB, m bcpace.Model, change func(*cpace.Solver)) *runs.Run {
	t.Helper()
	return smallBy(t, m, 0, change)
}

// smallBy is small with some workers.
func smallBy(t testing.TB, m bcpace.Model, workers int, change func(*cpace.Solver)) *runs.Run {
	t.Helper()
	o := cpace.Solver{Epsilon: 1, LipQ: 60, K: 20, Batch: 20, MaxEpisodes: 40, CertificateEpisodes: 300}
	if change != nil {
		change(&o)
	}
	r, err := o.Explore(t.Context(), m, bcpace.Control{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The policy's value is known exactly, from the graph of the beliefs it reaches.
// Of 40 certificates with δ = 0.2 more than 18 fail with probability below
// exp(−40·KL(0.45‖0.2)) < 0.001; the seeds are fixed.
func TestStatisticalCertificates(t *testing.T) {
	failed := 0
	for seed := range uint64(40) {
		r := small(t, envs.LightDarkTiger{}, func(o *cpace.Solver) { o.Seed, o.Delta, o.CertificateEpisodes = seed, 0.2, 100 })
		value, err := eval.Evaluate(t.Context(), envs.LightDarkTiger{}, r.Policy(), eval.ExactOptions{})
		if err != nil {
			t.Fatal(err)
		}
		c := r.Certificate
		if c.Kind != bcpace.StatisticalCertificate || c.Delta != 0.2 || c.Episodes != 100 || c.Horizon < 100 {
			t.Fatalf("got %+v", c)
		}
		if c.Lower > value.Value+value.Error {
			failed++
		}
		if c.Upper < 6.98337-5e-6 || c.Upper > 10 {
			t.Errorf("upper bound %v; the optimum is 6.98337", c.Upper)
		}
	}
	if failed > 18 {
		t.Errorf("%d of 40 lower bounds exceed the policy's value, of which 8 may on average", failed)
	}
}

// Tiger's optimum at γ = 0.95 is 19.3714, and its latent is redrawn, so that the
// upper bound is the fast informed one: not QMDP's 189.
//
//test:race
func TestStatisticalCertificateOfTiger(t *testing.T) {
	c := small(t, envs.Tiger{}, nil).Certificate
	if c.Lower > 19.3714 || c.Upper < 19.3714 || c.Upper > 100 {
		t.Errorf("got %+v", c)
	}
}

//test:race
func TestStatisticalCertificateForAnyNumberOfWorkers(t *testing.T) {
	want := smallBy(t, envs.Tiger{}, 1, nil).Certificate
	for _, workers := range []int{2, 7, num.MaxWorkers} {
		if got := smallBy(t, envs.Tiger{}, workers, nil).Certificate; got != want {
			t.Errorf("%d workers: %+v, one worker: %+v", workers, got, want)
		}
	}
}

// walked is a room that calls end after a number of steps.
type walked struct {
	envs.LightDarkTiger
	left *atomic.Int64
	end  func()
}

func (m walked) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	if m.left.Add(-1) == 0 {
		m.end()
	}
	return m.LightDarkTiger.Step(next, s, latent, action, rng)
}

//test:race
func TestNoCertificate(t *testing.T) {
	if c := small(t, envs.Tiger{}, func(o *cpace.Solver) { o.CertificateEpisodes = -1 }).Certificate; c.Kind != bcpace.NoCertificate || c.Lower > -1999 || c.Upper < 199 {
		t.Errorf("without simulation: %+v", c)
	}
	// Interrupted while it explores, a run is not simulated.
	ctx, cancel := context.WithCancel(t.Context())
	r, err := cpace.Solver{Epsilon: 1, LipQ: 60, K: 20}.Explore(ctx, envs.Tiger{}, bcpace.Control{Progress: func(bcpace.Progress) { cancel() }})
	if err != nil || r.Stop != stop.Interrupted || r.Certificate.Kind != bcpace.NoCertificate {
		t.Errorf("interrupted: %v, stop %q, %+v", err, r.Stop, r.Certificate)
	}
	if c := r.Certificate; c.UpperBy != bcpace.ByProof || !(c.Upper < r.Spec.VMax()) || c.LowerBy != bcpace.ByRange {
		t.Errorf("interrupted: %+v, want the upper bound that the latent values prove", c)
	}
	// Interrupted while it is simulated, it keeps the episodes that are whole.
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	m := walked{LightDarkTiger: envs.LightDarkTiger{}, left: new(atomic.Int64), end: cancel}
	m.left.Store(20_000) // steps: one episode of the exploration has 100 at most
	// One worker, as episode 0 of two may be the last one to end, and then none counts.
	r, err = cpace.Solver{Epsilon: 1, LipQ: 60, MaxEpisodes: 1, CertificateEpisodes: 1 << 20}.Explore(ctx, m, bcpace.Control{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stop != stop.Interrupted {
		t.Errorf("cut off while it is simulated: stop %q", r.Stop)
	}
	if c := r.Certificate; c.Kind != bcpace.StatisticalCertificate || c.Episodes == 0 || c.Episodes >= 1<<20 || !(c.Lower >= -100) {
		t.Errorf("cut off: %+v", c)
	}
}

func TestSimulatedOptions(t *testing.T) {
	for _, o := range []cpace.Solver{
		{Epsilon: 1, CertificateEpisodes: -2}, {Epsilon: 1, Delta: 1}, {Epsilon: 1, Delta: -0.1}, {Epsilon: 1, Delta: math.NaN()},
	} {
		_, err := runs.Explore(t.Context(), envs.Tiger{}, o)
		if input := new(bcpace.InputError); !errors.As(err, &input) {
			t.Errorf("%+v: %v, want an InputError", o, err)
		}
	}
}

//test:race
func TestVerifyStatistical(t *testing.T) {
	r := small(t, envs.LightDarkTiger{}, nil)
	var file bytes.Buffer
	if _, err := r.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	again, err := runs.Read(&file, envs.New, nil)
	if err != nil || again.Certificate != r.Certificate {
		t.Fatalf("%v: %+v after reading, %+v before", err, again.Certificate, r.Certificate)
	}
	c, err := runs.Verify(t.Context(), again)
	if err != nil || c.Kind != bcpace.PolicyInterval || c.Episodes != 300 || c == r.Certificate || c.Lower > c.Upper {
		t.Errorf("%v: verified %+v of %+v", err, c, r.Certificate)
	}
	// A file of the version before has the same layout.
	old := bytes.Clone(runtest.Bytes(t, r))
	old[8] = 2
	sum := sha256.Sum256(old[:len(old)-sha256.Size])
	if _, err := runs.Read(bytes.NewReader(append(old[:len(old)-sha256.Size], sum[:]...)), envs.New, nil); err != nil {
		t.Errorf("a file of version 2: %v", err)
	}
	for what, spoil := range map[string]func(c *bcpace.Certificate){
		"lower": func(c *bcpace.Certificate) { c.Lower, c.Upper = 9.5, 10 },
		"upper": func(c *bcpace.Certificate) { c.Lower, c.Upper = -100, -50 },
	} {
		r := small(t, envs.LightDarkTiger{}, nil)
		spoil(&r.Certificate)
		if _, err := runs.Verify(t.Context(), r); err == nil || !strings.Contains(err.Error(), "the certificate") {
			t.Errorf("a false %s bound: %v", what, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := runs.Verify(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A model whose Step fails in the simulation alone: the error names the episode.
//
//test:race
func TestSimulationReportsTheModelsErrors(t *testing.T) {
	o := cpace.Solver{Epsilon: 1, LipQ: 60, MaxEpisodes: 1, Horizon: 1}
	_, err := o.Explore(t.Context(), badLate{LightDarkTiger: envs.LightDarkTiger{}, steps: new(int)}, bcpace.Control{Workers: 1})
	if err == nil || !strings.Contains(err.Error(), "simulated episode") {
		t.Errorf("got %v", err)
	}
}

type badLate struct {
	envs.LightDarkTiger
	steps *int
}

// ShowsEnds has Validate take no steps.
func (m badLate) ShowsEnds() bool { return true }

func (m badLate) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	out := m.LightDarkTiger.Step(next, s, latent, action, rng)
	if *m.steps++; *m.steps > 5 {
		out.Reward = math.NaN()
	}
	return out
}

// The optimum is 0, as the latent is as often good as bad and nothing tells which, and
// the fast informed bound proves that no policy earns more. Some of the simulations fail
// all the same, as they may: their lower bound is given up, and not the proof.
func TestAProvedUpperBoundRefutesASimulation(t *testing.T) {
	m, err := bcpace.FromTables(bcpace.Tables{Discount: 0.5, P: [][][][]float64{{{{1}}}, {{{1}}}}, R: [][][]float64{{{1}}, {{-1}}}})
	if err != nil {
		t.Fatal(err)
	}
	refuted := 0
	for seed := range uint64(100) {
		r, err := runs.Explore(t.Context(), m, cpace.Solver{Epsilon: 0.5, Seed: seed, MaxEpisodes: 2, CertificateEpisodes: 50, Delta: 0.2})
		if err != nil {
			t.Fatal(err)
		}
		c := r.Certificate
		if c.UpperBy != bcpace.ByProof || c.Upper < 0 || c.Upper > 1e-9 || c.Lower > c.Upper || c.PolicyEarns != c.LowerBy {
			t.Errorf("seed %d: %+v", seed, c)
		}
		if c.LowerBy == bcpace.BySimulation {
			continue
		}
		if refuted++; c.LowerBy != bcpace.ByRange || c.Lower != -2 || c.Episodes != 50 {
			t.Errorf("seed %d: %+v", seed, c)
		}
		again, err := runs.Read(bytes.NewReader(runtest.Bytes(t, r)), runs.FixedModel(m), nil)
		if err != nil || again.Certificate != c {
			t.Fatalf("seed %d: %v, read back as %+v", seed, err, again)
		}
		if _, err := runs.Verify(t.Context(), again); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		again.Certificate.Lower, again.Certificate.LowerBy, again.Certificate.PolicyEarns = 0, bcpace.BySimulation, bcpace.BySimulation
		if _, err := runs.Verify(t.Context(), again); err == nil || !strings.Contains(err.Error(), "lower bound") {
			t.Errorf("seed %d: a bound that was not simulated: %v", seed, err)
		}
	}
	if refuted == 0 || refuted > 35 {
		t.Errorf("%d of 100 simulations are refuted, and 20 may be on average", refuted)
	}
}

// TestCutOffSimulation: a run whose context ends while its policy is simulated says so, and
// Resume makes it the run that it would have been.
func TestCutOffSimulation(t *testing.T) {
	contents := func(r *runs.Run) string {
		var b bytes.Buffer
		if _, err := r.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, s := range []runs.Explorer{
		cpace.Solver{Epsilon: 1, LipQ: 60, K: 5, MaxEpisodes: 3, Horizon: 40, CertificateEpisodes: 60},
		certified.Solver{Epsilon: 0.1, MaxSamples: 30, CertificateEpisodes: 60},
	} {
		m := corridor{goal: 10, slip: 0.5, lists: true}.model(t)
		whole, err := runs.Explore(t.Context(), m, s)
		if err != nil {
			t.Fatal(err)
		}
		cut := 0
		for n := 0; ; n += n/16 + 1 {
			r, err := s.Explore(runtest.Asked(n), m, bcpace.Control{Workers: 1})
			if err != nil { // there was nothing yet
				continue
			}
			if r.Stop == whole.Stop {
				if got := contents(r); got != contents(whole) {
					t.Errorf("%s, asked %d times: stop %q, and not the whole run", s.Name(), n, r.Stop)
				}
				break
			}
			if r.Stop != stop.Interrupted {
				t.Fatalf("%s, asked %d times: stop %q", s.Name(), n, r.Stop)
			}
			if len(r.Trace) < len(whole.Trace) || cut >= 4 {
				continue
			}
			cut++
			if got, err := runs.Resume(t.Context(), r, s); err != nil || contents(got) != contents(whole) {
				t.Errorf("%s, asked %d times: resumed, %v, error %v", s.Name(), n, got, err)
			}
		}
		if cut == 0 {
			t.Errorf("%s: no run was cut off while it was simulated", s.Name())
		}
	}
}
