package runs_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// overpaid is Tiger that pays more than it states for the third door in a row, or for the
// third action.
type overpaid struct {
	envs.Tiger
	any bool
}

func (m overpaid) Spec() bcpace.Spec {
	spec := m.Tiger.Spec()
	spec.Axes = append(spec.Axes[:1:1], bcpace.Axis{Name: "doors", Max: 3, Discrete: true})
	return spec
}
func (m overpaid) Start(s []float64, latent int, rng *rand.Rand) {
	m.Tiger.Start(s[:1], latent, rng)
	s[1] = 0
}
func (m overpaid) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	out := m.Tiger.Step(next[:1], s[:1], latent, action, rng)
	if next[1] = 0; action > 0 || m.any {
		next[1] = min(s[1]+1, 3)
	}
	if next[1] == 3 {
		out.Reward = 11
	}
	return out
}
func (m overpaid) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	return m.Tiger.LogLikelihood(s[:1], action, next[:1], latent)
}

// overlisted lists a reward out of range at one state.
type overlisted struct {
	bcpace.Enumerator
	at float64
}

func (m overlisted) Successors(z *bcpace.Successors, s []float64, action int) {
	m.Enumerator.Successors(z, s, action)
	if s[0] == m.at {
		z.Reward[0], z.Reward[1] = 1e6, 1e6
	}
}

// TestLateFault: a reward out of range, met after samples, leaves the run so far, which
// says so, has no bounds, can be saved, and is read again.
func TestLateFault(t *testing.T) {
	line, search := runtest.NewLine(rand.New(rand.NewPCG(0, 5)), false), certified.Solver{Epsilon: 0.05, MaxSamples: 100, CertificateEpisodes: -1}
	r, err := runs.Explore(t.Context(), line, search)
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		m bcpace.Model
		s runs.Explorer
	}{
		"algorithm 1": {struct{ bcpace.Model }{overpaid{}}, cpace.Solver{Epsilon: 20, LipQ: 1, Alpha: 100, RandomBelief: true, MaxEpisodes: 300}},
		"in batches":  {struct{ bcpace.Model }{overpaid{}}, cpace.Solver{Epsilon: 20, LipQ: 1, Alpha: 100, RandomBelief: true, MaxEpisodes: 300, Batch: 2}},
		"simulation":  {struct{ bcpace.Model }{overpaid{any: true}}, cpace.Solver{Epsilon: 1000, MaxEpisodes: 1, Horizon: 1}},
		"certified":   {overlisted{line, r.Samples.At(80).State[0]}, search},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := x.s.Solve(t.Context(), x.m, bcpace.Control{})
			var fault *bcpace.ConformanceError
			if !errors.As(err, &fault) || !strings.Contains(err.Error(), "within [RewardMin, RewardMax]") {
				t.Fatalf("error %v, want a *ConformanceError about the range of rewards", err)
			}
			if found == nil || runs.Of(found) == nil {
				t.Fatal("the run so far is lost")
			}
			r := runs.Of(found)
			c := r.Certificate
			if r.Stop != stop.Fault || c.Kind != bcpace.NoCertificate || c.LowerBy != bcpace.NotKnown || c.UpperBy != bcpace.NotKnown {
				t.Errorf("stop %q, certificate %+v, want a fault and no bounds", r.Stop, c)
			}
			var file bytes.Buffer
			if _, err := r.WriteTo(&file); err != nil {
				t.Fatal(err)
			}
			back, err := runs.Read(&file, runs.FixedModel(x.m), nil)
			if err != nil {
				t.Fatal(err)
			}
			if back.Stop != r.Stop || back.Certificate != c || back.Samples.Len() != r.Samples.Len() || r.Samples.Len() == 0 {
				t.Errorf("%d samples, stop %q and %+v were read as %d, %q and %+v", r.Samples.Len(), r.Stop, c, back.Samples.Len(), back.Stop, back.Certificate)
			}
		})
	}
}
