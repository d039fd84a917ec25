package certified_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// Both bounds of a model that states its smoothness are proved: its file says so, Verify finds them
// again, and neither tighter ones nor a proof for another model pass.
func TestProvedUpperBound(t *testing.T) {
	m, err := envs.DualControl{Discount: 0.6}.Model()
	if err != nil {
		t.Fatal(err)
	}
	s := certified.Solver{Epsilon: 0.8, MaxSamples: 60, CertificateEpisodes: 100}
	r, err := runs.Explore(t.Context(), m, s)
	if err != nil {
		t.Fatal(err)
	}
	c := r.Certificate
	if c.UpperBy != bcpace.ByProof || c.Assumes != "" || !(c.Upper >= 2.06 && c.Upper <= 2.12) || c.LowerBy != bcpace.ByProof || c.PolicyEarns != bcpace.BySimulation {
		t.Errorf("certificate %+v, want an upper bound from 2.06 up and a lower one, both proved", c)
	}
	read := func(r *runs.Run, m bcpace.Model) (*runs.Run, error) {
		return runs.Read(bytes.NewReader(runtest.Bytes(t, r)), runs.FixedModel(m), nil)
	}
	back, err := read(r, m)
	if err != nil || back.Certificate != c {
		t.Fatalf("read %+v, %v", back.Certificate, err)
	}
	if _, err := runs.Verify(t.Context(), back); err != nil {
		t.Errorf("Verify: %v", err)
	}
	if !bytes.Equal(runtest.Bytes(t, back), runtest.Bytes(t, r)) {
		t.Error("the run that was read is written otherwise")
	}
	forged := *back
	forged.Certificate.Lower = 2.06
	if _, err := runs.Verify(t.Context(), &forged); err == nil {
		t.Error("Verify accepts a lower bound above what is proved")
	}
	silent := bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) { a.Smoothness = nil })
	if _, err := read(r, silent); !errors.Is(err, runs.ErrFormat) {
		t.Errorf("read with a model that states nothing: %v, want ErrFormat", err)
	}
	if assumed, err := runs.Explore(t.Context(), silent, s); err != nil || assumed.Certificate.UpperBy == bcpace.ByProof {
		t.Errorf("a model that states nothing: %+v, %v", assumed.Certificate, err)
	}
}

// A bound of finer grids than those that are solved without a deadline is verified. One below what a policy earns in
// plain simulation, of which 5 standard errors are taken off, is refused.
func TestProvesDownToAClaim(t *testing.T) {
	dual, err := envs.DualControl{Sigma: 1}.Model()
	if err != nil {
		t.Fatal(err)
	}
	m := bcpace.Derive(dual, func(_ bcpace.Model, a *bcpace.Abilities) { a.Spec.Horizon = 2 })
	r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 0.2, MaxSamples: 5, CertificateEpisodes: 100})
	if err != nil {
		t.Fatal(err)
	}
	earned, err := eval.Rollouts(t.Context(), m, r.Policy(), eval.Options{Episodes: 4000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	c := r.Certificate
	below := earned.Mean - 5*earned.StdErr
	if !(c.UpperBy == bcpace.ByProof && c.Lower < below && below < c.Upper-0.003) {
		t.Fatalf("certificate %+v, where a policy earns more than %v: the claims tell nothing", c, below)
	}
	for _, claim := range []struct {
		upper float64
		fine  bool
	}{{c.Upper - 0.003, true}, {below, false}} {
		r.Certificate.Upper = claim.upper
		if _, err := runs.Verify(t.Context(), r); (err == nil) != claim.fine {
			t.Errorf("an upper bound of %v: %v", claim.upper, err)
		}
	}
}

// The policy of the finite model by which bounds are proved is one of those that are tried, with a list of controls and
// with a horizon; it is played from a file as before, and a file in which it is damaged is refused.
func TestProofIsAChoice(t *testing.T) {
	dual, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	short, err := envs.DualControl{Discount: 0.6}.Model()
	if err != nil {
		t.Fatal(err)
	}
	cut := bcpace.Derive(dual, func(_ bcpace.Model, a *bcpace.Abilities) { a.Spec.Horizon = 3 })
	room := envs.LightDarkTiger{Sigma: 0.5, Width: 4, Height: 4, Discount: 0.8}
	epsilon := map[string]float64{"controls": 0.3, "horizon": 0.33, "room": 0.8}
	for name, m := range map[string]bcpace.Model{"controls": short, "horizon": cut, "room": room} {
		r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: epsilon[name], MaxSamples: 5, CertificateEpisodes: 300})
		if err != nil {
			t.Fatal(err)
		}
		if r.Choice == nil {
			t.Fatalf("%s: no choice after stop %q", name, r.Stop)
		}
		i := slices.IndexFunc(r.Choice.Tried, func(x runs.TriedPolicy) bool { return x.Name == "proof" })
		if i < 0 {
			t.Fatalf("%s: %+v, want proof among them", name, r.Choice.Tried)
		}
		if x, best := r.Choice.Tried[i], r.Choice.Tried[r.Choice.Chosen]; x.Mean+4*x.StdErr+0.01*math.Abs(best.Mean) < best.Mean {
			t.Errorf("%s: %+v, much less than %+v", name, x, best)
		}
		r.Choice.Chosen = i
		back, err := runs.Read(bytes.NewReader(runtest.Bytes(t, r)), runs.FixedModel(m), nil)
		if err != nil {
			t.Fatal(err)
		}
		rng, sim := rand.New(rand.NewPCG(3, 4)), bcpace.NewSimulator(r.Model())
		for range 20 {
			if err := sim.Reset(rng); err != nil {
				t.Fatal(err)
			}
			for step := 0; step < 20 && !sim.Done; step++ {
				a := back.Policy().Act(sim.State, sim.Belief, nil)
				if want := r.Policy().Act(sim.State, sim.Belief, nil); a != want {
					t.Fatalf("%s: action %d at %v, %v, want %d", name, a, sim.State, sim.Belief, want)
				}
				if _, err := sim.Step(a, rng); err != nil {
					t.Fatal(err)
				}
			}
		}
		if name != "controls" { // the tables of others take longer
			continue
		}
		extra, err := r.Values().Bytes()
		if err != nil {
			t.Fatal(err)
		}
		head := 8 * (1 + 2*r.Samples.Len()) // −1 and the length come next
		for what, change := range map[string]func(b []byte) []byte{
			"short":        func(b []byte) []byte { return b[:head+9] },
			"no number":    func(b []byte) []byte { b[head+1] = 0x7f; return b },
			"a length":     func(b []byte) []byte { b[head+7] = 0x7f; return b },
			"many cells":   func(b []byte) []byte { b[head+11] = 0x7f; return b },
			"no choice":    func(b []byte) []byte { b[head+8+4*(2*len(r.Spec.Axes)+5)+3] = 0x7f; return b },
			"longer":       func(b []byte) []byte { return append(b, 0, 0, 0, 0, 0, 0, 0, 0) },
			"other length": func(b []byte) []byte { b[head+4]++; return append(b, 0) },
		} {
			if _, err := r.Solver.ReadValues(r, change(slices.Clone(extra))); !errors.Is(err, runs.ErrFormat) {
				t.Errorf("%s, %s: error %v, want one that wraps ErrFormat", name, what, err)
			}
		}
	}
}

// With a horizon both bounds are proved, too.
func TestProvedHorizon(t *testing.T) {
	m, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	cut := bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) { a.Spec.Horizon = 4 })
	r, err := runs.Explore(t.Context(), cut, certified.Solver{Epsilon: 0.4, MaxSamples: 20, CertificateEpisodes: 500})
	if err != nil {
		t.Fatal(err)
	}
	c := r.Certificate
	if c.UpperBy != bcpace.ByProof || c.Assumes != "" || !(c.Lower <= c.Upper) || !(c.Upper >= 1 && c.Upper < 3.3) {
		t.Errorf("certificate %+v, want a proved upper bound below 3.3", c)
	}
	if _, err := runs.Verify(t.Context(), r); err != nil {
		t.Errorf("Verify: %v", err)
	}
}

// A run that is interrupted while the bound is proved has the best one so far, or the range of
// returns, and says which.
func TestProofIsInterrupted(t *testing.T) {
	m, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	for _, reports := range []int{1, 12, 40} {
		ctx, stop := context.WithCancel(t.Context())
		seen := 0
		r, err := certified.Solver{Epsilon: 0.05, MaxSamples: 30, CertificateEpisodes: 200}.Explore(ctx, m, bcpace.Control{Progress: func(p bcpace.Progress) {
			if p.Phase == "proved upper bound" {
				if seen++; seen == reports {
					stop()
				}
			}
		}})
		stop()
		if err != nil {
			t.Fatal(err)
		}
		if c := r.Certificate; !(c.Upper >= 9.371) || c.UpperBy == bcpace.ByProof && c.Upper > 9.999 || c.UpperBy == bcpace.NotKnown {
			t.Errorf("stopped at report %d: %+v", reports, c)
		}
	}
}

// Where time ends in the set-up, after bounds were proved, these and the policy found with them are kept, and
// the policy is simulated.
func TestProvedBeforeSetUp(t *testing.T) {
	m, err := envs.DualControl{Axes: 2, Sigma: 1.5}.Model()
	if err != nil {
		t.Fatal(err)
	}
	list, err := bcpace.Discretised(m, 5)
	if err != nil {
		t.Fatal(err)
	}
	b, err := proved.Upper(t.Context(), list, proved.Options{Tolerance: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := certified.Solver{Epsilon: 0.5, ControlPoints: 5, CertificateEpisodes: 500}
	plan, err := s.Plan(m)
	if err != nil {
		t.Fatal(err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	known := runs.SoFar{Proved: &bcpace.Certificate{Lower: 0.5, Upper: b.Start}, ProvedPolicy: b.Policy()}
	r, err := runs.UnfinishedRun(t.Context(), ended, ended.Err(), list, s, plan, known, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	c := r.Certificate
	if c.Upper != b.Start || c.UpperBy != bcpace.ByProof || c.PolicyEarns != bcpace.BySimulation || c.Lower < b.Start-1 || c.Lower > b.Start {
		t.Errorf("certificate %+v, want the proved upper bound %v, and little less that is simulated", c, b.Start)
	}
	if w := r.Warnings(); len(w) == 0 || w[0].Kind != runs.CutShort {
		t.Errorf("warnings %v, want one that time was up", w)
	}
	known.Proved.Lower = b.Start - 0.001
	r, err = runs.UnfinishedRun(ended, ended, ended.Err(), list, s, plan, known, bcpace.Control{})
	if c := r.Certificate; err != nil || c.Upper != b.Start || c.UpperBy != bcpace.ByProof {
		t.Errorf("without time for the simulation %+v, %v", c, err)
	}
}
