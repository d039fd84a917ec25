package cpace_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"

	"pgregory.net/rapid"
)

// TestDefaultHorizon: what is earned after the default horizon is worth ε at most, and a
// shorter one would not do, whatever the rewards are.
func TestDefaultHorizon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		o := randmodel.Varied(rng)
		m := randmodel.New(rng, o)
		spec := m.Spec()
		epsilon := rapid.Float64Range(1e-3, 5).Draw(t, "epsilon")
		p, err := cpace.Solver{Epsilon: epsilon}.Plan(m)
		if err != nil {
			t.Fatal(err)
		}
		if spec.Horizon > 0 {
			if p.Horizon != spec.Horizon {
				t.Fatalf("a model with horizon %d has episodes of %d steps", spec.Horizon, p.Horizon)
			}
			return
		}
		span := spec.VMax() - spec.VMin()
		after := func(steps int) float64 { return math.Pow(spec.Discount, float64(steps)) * span }
		if after(p.Horizon) > epsilon*(1+1e-9) {
			t.Errorf("after %d steps %v may follow, more than ε = %v", p.Horizon, after(p.Horizon), epsilon)
		}
		if p.Horizon > 1 && after(p.Horizon-1) <= epsilon*(1-1e-9) {
			t.Errorf("%d steps, and one fewer would do for ε = %v", p.Horizon, epsilon)
		}
	})
}

// late pays −1 for every step but the fifth from the start, after which it ends: with
// rewards in [−1, 0] an episode of one step shows none of it.
func late(t *testing.T) bcpace.Model {
	t.Helper()
	const states = 6
	p := [][][][]float64{make([][][]float64, 2)}
	r := [][][]float64{make([][]float64, 2)}
	for a := range 2 { // 0 stays, 1 goes on
		for s := range states {
			row := make([]float64, states)
			row[min(s+a, states-1)] = 1
			p[0][a] = append(p[0][a], row)
			r[0][a] = append(r[0][a], -1)
		}
	}
	ends := make([]bool, states)
	ends[states-1] = true
	m, err := bcpace.FromTables(bcpace.Tables{Name: "late", Discount: 0.95, P: p, R: r, Ends: ends})
	if err != nil {
		t.Fatal(err)
	}
	return costs{m}
}

// costs says that rewards are in [−1, 0].
type costs struct{ bcpace.Finite }

func (m costs) Spec() bcpace.Spec {
	spec := m.Finite.Spec()
	spec.RewardMax = 0
	return spec
}

func TestHorizonOfCosts(t *testing.T) {
	m := late(t)
	o := cpace.Solver{Epsilon: 1, LipQ: 1, CertificateEpisodes: 50}
	var seen bcpace.Progress
	r, err := o.Explore(t.Context(), m, bcpace.Control{Progress: func(p bcpace.Progress) { seen = p }})
	if err != nil {
		t.Fatal(err)
	}
	if spec := m.Spec(); spec.PaperHorizon(1) != 1 || r.Horizon() != 59 || seen.Horizon != 59 { // 0.95^59·20 < 1
		t.Errorf("horizon %d, progress says %d, the paper's is %d, want 59, 59 and 1", r.Horizon(), seen.Horizon, spec.PaperHorizon(1))
	}
	if r.Certificate.Lower < -6 {
		t.Errorf("the policy earns at least %v, want the way to the end, −4.5", r.Certificate.Lower)
	}
}

// TestHorizonInFile: a run file keeps its horizon, and a solver without one explores with
// the same again.
func TestHorizonInFile(t *testing.T) {
	for _, o := range []cpace.Solver{
		{Epsilon: 1, LipQ: 60, MaxEpisodes: 2, CertificateEpisodes: -1},
		{Epsilon: 1, LipQ: 60, MaxEpisodes: 2, CertificateEpisodes: -1, Horizon: 7},
	} {
		r, err := runs.Explore(t.Context(), envs.Tiger{}, o)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if _, err := r.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		back, err := runs.Read(&file, runs.FixedModel(envs.Tiger{}), nil)
		if err != nil {
			t.Fatal(err)
		}
		if back.Horizon() != r.Horizon() || back.Solver.(cpace.Solver).Horizon != o.Horizon {
			t.Errorf("horizon %d of options %+v was read as %d of %+v", r.Horizon(), o, back.Horizon(), back.Solver)
		}
	}
}
