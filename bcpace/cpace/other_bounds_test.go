package cpace_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// dualControl is a model that states its smoothness, whose optimum is 9.372.
func dualControl(t *testing.T) bcpace.Model {
	m, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// proving are few samples with the proved bound.
func proving(seed uint64) cpace.Solver {
	return cpace.Solver{Epsilon: 0.8, K: 2, LipQ: 0.5, Bound: cpace.BoundProved, Batch: 4, ControlTolerance: 0.05, MaxSamples: 40, CertificateEpisodes: 300, Delta: 1e-4, Seed: seed}
}

// The certificate holds the optimum: its upper bound is proved, and its lower one fails with
// probability 10⁻⁴. The bound of a query is at most that of QMDP, and bounds the optimum at the start.
func TestProvedBound(t *testing.T) {
	m, rng := dualControl(t), rand.New(rand.NewPCG(1, 1))
	for seed := range uint64(3) {
		o := proving(seed)
		r, err := runs.Explore(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		const optimum = 9.372
		c := r.Certificate
		if c.UpperBy != bcpace.ByProof || c.LowerBy != bcpace.BySimulation || c.Assumes != "" || c.Lower > optimum || !(c.Upper >= optimum-0.001 && c.Upper <= 9.5) {
			t.Errorf("seed %d: certificate %+v, want simulated and proved bounds of %v", seed, c, optimum)
		}
		o.Bound, o.CertificateEpisodes = cpace.BoundQMDP, -1
		told, err := runs.Explore(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		spec, top := m.Spec(), 0.0
		for range 200 {
			u := []float64{2*rng.Float64() - 1}
			a, err := spec.ActionID(0, u)
			if err != nil {
				t.Fatal(err)
			}
			s, b := []float64{8*rng.Float64() - 4}, make(bcpace.Belief, 2)
			b.SampleSimplex(rng)
			if got, most := r.Upper(s, b, a), told.Upper(s, b, a); got > most {
				t.Fatalf("seed %d: the bound at %v, %v, %v is %v, that of QMDP %v", seed, s, b, u, got, most)
			}
			top = max(top, r.Upper([]float64{2}, bcpace.Uniform(2), a))
		}
		if top < optimum-0.001 || top > c.Upper+1e-12 {
			t.Errorf("seed %d: bounds at the start are at most %v, want from %v to %v", seed, top, optimum, c.Upper)
		}
	}
}

// A run with the proved bound can be read and verified, is the same when it is cut off and resumed.
func TestProvedBoundAgain(t *testing.T) {
	m, o := dualControl(t), proving(1)
	r, err := runs.Explore(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	want := runtest.Bytes(t, r)
	back, err := runs.Read(bytes.NewReader(want), runs.FixedModel(m), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, b := []float64{1}, bcpace.Belief{0.3, 0.7}
	action := r.Policy().Act(s, b, nil)
	if got, want := back.Upper(s, b, action), r.Upper(s, b, action); got != want {
		t.Errorf("the bound of the file is %v, want that of the run, %v", got, want)
	}
	if _, err := runs.Verify(t.Context(), back); err != nil {
		t.Errorf("Verify: %v", err)
	}
	short := o
	short.MaxSamples = 20
	cut, err := runs.Explore(t.Context(), m, short)
	if err != nil {
		t.Fatal(err)
	}
	if cut, err = runs.Read(bytes.NewReader(runtest.Bytes(t, cut)), runs.FixedModel(m), nil); err != nil {
		t.Fatal(err)
	}
	resumed, err := o.Resume(t.Context(), cut, bcpace.Control{})
	if err != nil || !bytes.Equal(runtest.Bytes(t, resumed), want) {
		t.Errorf("a run that was cut off is another one, %v", err)
	}
}

// A model that states nothing is refused, and a set-up that is interrupted is no error.
//
//test:race
func TestProvedBoundIsRefused(t *testing.T) {
	silent := bcpace.Derive(dualControl(t), func(_ bcpace.Model, a *bcpace.Abilities) { a.Smoothness = nil })
	for name, m := range map[string]bcpace.Model{"numbered": envs.Tiger{}, "silent": silent} {
		_, err := runs.Explore(t.Context(), m, cpace.Solver{Epsilon: 1, Bound: cpace.BoundProved})
		if unsupported := new(bcpace.UnsupportedError); !errors.As(err, &unsupported) {
			t.Errorf("%s: error %v, want an UnsupportedError", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := proving(1).Explore(ctx, dualControl(t), bcpace.Control{Progress: func(p bcpace.Progress) {
		if p.Phase == "proved upper bound" {
			cancel()
		}
	}})
	if err != nil || !r.InSetUp() || r.Stop != stop.Interrupted || r.Certificate.Upper < 9.372 {
		t.Errorf("interrupted: %+v, %v", r, err)
	}
}

// TestInformedBounds: Algorithm 1 from a tighter bound of Tiger takes fewer samples and bounds the optimum, its runs can be
// read and verified, and a model without numbered states is refused.
func TestInformedBounds(t *testing.T) {
	m := envs.Tiger{}
	const optimum = 19.371
	fewest := math.MaxInt
	for _, bound := range []cpace.Bound{cpace.BoundQMDP, cpace.BoundFIB, cpace.BoundTIB} {
		r, err := runs.Explore(t.Context(), m, cpace.Solver{Epsilon: 2, LipQ: 60, K: 100, Batch: 20, Bound: bound, CertificateEpisodes: 200})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d samples, value %v", bound, r.Samples.Len(), r.Value)
		if n := r.Samples.Len(); n > fewest {
			t.Errorf("%s: %d samples, and %d with a looser bound", bound, n, fewest)
		} else {
			fewest = n
		}
		if r.Certificate.Upper < optimum || r.Certificate.UpperBy != bcpace.ByProof {
			t.Errorf("%s: the certificate's upper bound is %v (%s), the optimum %v", bound, r.Certificate.Upper, r.Certificate.UpperBy, optimum)
		}
		var file bytes.Buffer
		if _, err := r.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		again, err := runs.Read(&file, runs.FixedModel(m), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := runs.Verify(t.Context(), again); err != nil {
			t.Errorf("%s: %v", bound, err)
		}
		s, b := []float64{0}, bcpace.Belief{0.3, 0.7}
		for a := range m.Spec().Actions {
			if x, y := r.Upper(s, b, a), again.Upper(s, b, a); x != y {
				t.Errorf("%s: the bound of action %d is %v, and %v when read", bound, a, x, y)
			}
		}
	}
	if _, err := runs.Explore(t.Context(), dualControl(t), cpace.Solver{Epsilon: 2, Bound: cpace.BoundTIB}); !errors.As(err, new(*bcpace.UnsupportedError)) {
		t.Errorf("a model of real states gives %v", err)
	}
}
