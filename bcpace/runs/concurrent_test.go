package runs_test

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// TestConcurrentUse does all that can be done with a run from several goroutines at
// once: nothing of it may write to the run, which the race detector sees.
//
//test:race
func TestConcurrentUse(t *testing.T) {
	for name, explored := range map[string]struct {
		m bcpace.Model
		o runs.Explorer
	}{
		"samples":    {envs.Tiger{}, cpace.Solver{Epsilon: 5, MaxEpisodes: 20, CertificateEpisodes: 50, SeedOneHot: false}},
		"numbered":   {envs.Chain{}, certified.Solver{Epsilon: 0.5}},
		"cut off":    {envs.Chain{}, certified.Solver{Epsilon: 1e-3, MaxEpisodes: 3}},
		"continuous": {envs.LightDarkTiger{Width: 3, Height: 3, Sigma: 0.1, Nodes: 2, Discount: 0.8}, certified.Solver{Epsilon: 0.5, MaxEpisodes: 20, CertificateEpisodes: 50, Grid: dp.GridOptions{MaxPoints: 200}}},
	} {
		r, err := runs.Explore(t.Context(), explored.m, explored.o)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if _, err := r.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		read, err := runs.Read(bytes.NewReader(file.Bytes()), runs.FixedModel(explored.m), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*runs.Run{r, read} {
			var all sync.WaitGroup
			for range 2 {
				all.Go(func() { useRun(t, name, r, file.Bytes()) })
			}
			all.Wait()
		}
	}
}

// useRun calls every method of a run, and every function that takes one.
func useRun(t *testing.T, name string, r *runs.Run, file []byte) {
	var again bytes.Buffer
	if _, err := r.WriteTo(&again); err != nil || !bytes.Equal(again.Bytes(), file) {
		t.Errorf("%s: the run is written otherwise, error %v", name, err)
	}
	if _, err := runs.Read(bytes.NewReader(file), runs.FixedModel(r.Model()), nil); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if r.Certificate.Kind != bcpace.NoCertificate {
		if _, err := runs.Verify(t.Context(), r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	more := runtest.With(r.Solver, func(o *cpace.Solver) { o.MaxEpisodes++ }, func(s *certified.Solver) { s.MaxEpisodes++ })
	if _, err := runs.Resume(t.Context(), r, more); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	policy := r.Policy()
	_, _, _ = r.LipQ(), r.Radius(), r.SeedRadius()
	latent := r.LatentValues()
	_ = r.Samples.Actions()
	for i := range r.Samples.Len() {
		s := r.Samples.At(i)
		for a := range r.Spec.Actions {
			r.Q(s.State, s.Belief, a)
			r.Upper(s.State, s.Belief, a)
			if latent != nil {
				latent.Q(s.State, 0, a)
			}
		}
		r.At(s.State, s.Belief)
		policy.Act(s.State, s.Belief, rng)
	}
}
