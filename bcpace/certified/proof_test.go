package certified_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// Both bounds of a model that states its smoothness are proved: its file says so, Verify finds them
// again, and neither tighter ones nor a proof for another model pass.
func TestProvedUpperBound(t *testing.T) {
	m, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	s := certified.Solver{Epsilon: 0.8, MaxSamples: 60, CertificateEpisodes: 500}
	r, err := runs.Explore(t.Context(), m, s)
	if err != nil {
		t.Fatal(err)
	}
	c := r.Certificate
	if c.UpperBy != bcpace.ByProof || c.Assumes != "" || !(c.Upper >= 9.371 && c.Upper <= 9.45) || c.LowerBy != bcpace.ByProof || c.PolicyEarns != bcpace.BySimulation {
		t.Errorf("certificate %+v, want an upper bound from 9.372 up and a lower one, both proved", c)
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
	forged := *back
	forged.Certificate.Upper = 9.36
	if _, err := runs.Verify(t.Context(), &forged); err == nil {
		t.Error("Verify accepts a proved upper bound below the optimum")
	}
	forged.Certificate = c
	forged.Certificate.Lower = 9.371
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
