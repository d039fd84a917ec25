package runs_test

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// listed hides that the states of a model are numbered, so that certified bounds
// come from the search of continuous states.
type listed struct{ bcpace.Enumerator }

// listedMoving is listed for a latent that moves.
type listedMoving struct {
	listed
	bcpace.LatentDynamics
}

func list(m bcpace.Finite) bcpace.Model {
	if d, ok := m.(bcpace.LatentDynamics); ok && bcpace.KindOf(m) != bcpace.Static {
		return listedMoving{listed{m}, d}
	}
	return listed{m}
}

// TestListedStates: on states that are discrete and not numbered, the bounds of the
// search hold the exact optimum and its policy is exactly worth what they say, also
// where the first bounds are tight already and no sample is needed.
func TestListedStates(t *testing.T) {
	models := []bcpace.Finite{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{Width: 5, Height: 5}}
	for seed := range 6 {
		o := randmodel.Options{Discount: 0.8, Latents: 2 + seed%2}
		if seed%3 == 2 {
			o.Kind, o.Drifts = bcpace.Redrawn, seed > 2
		}
		models = append(models, randmodel.New(rand.New(rand.NewPCG(uint64(seed), 41)), o))
	}
	closed := 0
	for i, m := range models {
		r, err := runs.Explore(t.Context(), list(m), certified.Solver{Epsilon: 0.05, MaxSamples: 600, CertificateEpisodes: -1})
		if err != nil {
			t.Fatalf("model %d: %v", i, err)
		}
		exact, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 0.001})
		if err != nil {
			t.Fatal(err)
		}
		last := r.Trace[len(r.Trace)-1]
		low, high := exact.Certificate.Lower, exact.Certificate.Upper
		if last.Value < low-1e-9 || last.Value-last.Gap > high+1e-9 {
			t.Errorf("model %d %s: bounds [%v, %v], the optimum is in [%v, %v]", i, m.Spec().Name, last.Value-last.Gap, last.Value, low, high)
		}
		played, err := eval.Rollouts(t.Context(), m, r.Policy(), eval.Options{Episodes: 1000, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		// Five standard errors: over all models a false alarm has probability below 10⁻⁴.
		if worth := last.Value - last.Gap; played.Mean+5*played.StdErr < worth-0.01 {
			t.Errorf("model %d %s: after %d samples the policy returns %v ± %v, and its lower bound is %v", i, m.Spec().Name, r.Samples.Len(), played.Mean, played.StdErr, worth)
		}
		if r.Stop == stop.Searched { // no simulation, no certificate
			closed++
		}
	}
	if closed < len(models)/2 {
		t.Errorf("%d of %d searches closed their bounds", closed, len(models))
	}
}
