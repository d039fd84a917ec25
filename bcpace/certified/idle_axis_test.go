package certified_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
)

// littered is a line beside which lies one of so many things, by chance, which matter to
// nothing.
type littered struct {
	runtest.LineModel
	things int
}

func (m littered) Spec() bcpace.Spec {
	spec := m.LineModel.Spec()
	spec.Axes = append(spec.Axes, bcpace.Axis{Name: "thing", Max: float64(m.things - 1), Discrete: true, Scale: math.Inf(1)})
	return spec
}
func (m littered) Start(s []float64, latent int, rng *rand.Rand) {
	m.LineModel.Start(s, latent, rng)
	s[2] = 0
}
func (m littered) Step(next, s []float64, latent, a int, rng *rand.Rand) bcpace.Outcome {
	o := m.LineModel.Step(next, s, latent, a, rng)
	next[2] = float64(rng.IntN(m.things))
	return o
}
func (m littered) LogLikelihood(s []float64, a int, next []float64, latent int) float64 {
	return m.LineModel.LogLikelihood(s, a, next, latent) - math.Log(float64(m.things))
}
func (m littered) Successors(z *bcpace.Successors, s []float64, a int) {
	var plain bcpace.Successors
	plain.Reset(2, 2)
	m.LineModel.Successors(&plain, s, a)
	for i := range plain.Len() {
		to, prob, reward := plain.Row(i)
		for k := range m.things {
			next, p, r := z.Add(false)
			next[0], next[1], next[2] = to[0], to[1], float64(k)
			for φ := range p {
				p[φ], r[φ] = prob[φ]/float64(m.things), reward[φ]
			}
		}
	}
}

// TestIdleAxis: what matters to nothing is in no grid, node or belief, so that a search is
// the one without it.
func TestIdleAxis(t *testing.T) {
	line := runtest.NewLine(rand.New(rand.NewPCG(4, 9)), false)
	s := certified.Solver{Epsilon: 0.3, MaxEpisodes: 20, CertificateEpisodes: -1}
	plain, err := runs.Explore(t.Context(), line, s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := runs.Explore(t.Context(), littered{line, 20}, s)
	if err != nil {
		t.Fatal(err)
	}
	if r.Samples.Len() != plain.Samples.Len() || len(r.State()) != len(plain.State()) || math.Abs(r.Value-plain.Value) > 1e-6 {
		t.Errorf("value %v, %d samples and a state of %d bytes, want %v, %d and %d", r.Value, r.Samples.Len(), len(r.State()), plain.Value, plain.Samples.Len(), len(plain.State()))
	}
}
