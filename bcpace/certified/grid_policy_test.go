package certified_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/runtest"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// newSteered returns a random model of a place that a control moves, by a gain that is hidden,
// and that pays near one place or another.
func newSteered(t *testing.T, rng *rand.Rand) bcpace.Enumerator {
	latents := []string{"a", "b", "c"}[:2+rng.IntN(2)]
	gain, target := make([]float64, len(latents)), make([]float64, len(latents))
	for φ := range gain {
		gain[φ], target[φ] = rng.Float64()-0.5, rng.Float64()
	}
	actions := []bcpace.Action{{Name: "push", Box: []bcpace.Axis{{Name: "u", Min: -1, Max: 1}}}}
	if rng.IntN(2) == 0 {
		actions = append(actions, bcpace.Action{Name: "stay"})
	}
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "steered", Axes: []bcpace.Axis{{Name: "x", Max: 1}}, Actions: actions, Latents: latents, Discount: 0.8, RewardMin: -1, RewardMax: 1},
		MeanAt: func(mean, s []float64, latent, _ int, u []float64) {
			if mean[0] = s[0]; u != nil {
				mean[0] += gain[latent] * u[0]
			}
		},
		Sigma: []float64{0.05 + 0.1*rng.Float64()},
		RewardAt: func(_ []float64, latent, _ int, _, next []float64) float64 {
			return 1 - 2*math.Abs(next[0]-target[latent])
		},
		Starts: [][]float64{{rng.Float64()}},
		Nodes:  5,
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The policy on a grid earns no less than QMDP and than every blind policy.
func TestGridPolicyOfSteeredModels(t *testing.T) {
	for seed := range uint64(6) {
		list, err := bcpace.Discretised(newSteered(t, rand.New(rand.NewPCG(seed, 11))), 5)
		if err != nil {
			t.Fatal(err)
		}
		m := list.(bcpace.Enumerator)
		earns := func(p bcpace.Policy) eval.Result {
			r, err := eval.Rollouts(t.Context(), m, p, eval.Options{Episodes: 400, Horizon: 20, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		p, err := certified.GridPolicy(t.Context(), m, certified.Solver{Grid: dp.GridOptions{Step: 0.1}})
		if err != nil {
			t.Fatal(err)
		}
		qmdp, err := dp.QMDPPolicy(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		others := []bcpace.Policy{qmdp}
		for a := range m.Spec().Actions {
			others = append(others, bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return a }))
		}
		own := earns(p)
		for i, other := range others {
			if x := earns(other); own.Mean < x.Mean-3*math.Hypot(own.StdErr, x.StdErr) {
				t.Errorf("seed %d: it earns %v ± %v, and policy %d %v ± %v", seed, own.Mean, own.StdErr, i, x.Mean, x.StdErr)
			}
		}
	}
}

// headings returns a run in a room whose steps go in any direction: the light is two steps away,
// and the corner four more.
func headings(t *testing.T) (bcpace.Model, *runs.Run) {
	m := envs.LightDarkTiger{AnyHeading: true}
	r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 0.1, MaxSamples: 20, ControlPoints: 17, CertificateEpisodes: 200, Grid: dp.GridOptions{Step: 0.25}})
	if err != nil {
		t.Fatal(err)
	}
	return m, r
}

// A search among headings that are nearly equal does not get far, and the policy on a grid is at
// the corner a step late at most. A file has the same choice and the same policy.
func TestGridPolicyOfHeadings(t *testing.T) {
	m, r := headings(t)
	if x := r.Choice.Tried[r.Choice.Chosen]; x.Name != "grid" || x.Mean < 10*math.Pow(0.95, 6)-1e-9 {
		t.Errorf("the choice is %+v, want grid", r.Choice)
	}
	file := runtest.Bytes(t, r)
	again, err := runs.Read(bytes.NewReader(file), runs.FixedModel(m), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(runtest.Bytes(t, again), file) {
		t.Error("the run that was read is written otherwise")
	}
	rng := rand.New(rand.NewPCG(13, 12))
	b := make(bcpace.Belief, 2)
	for range 200 {
		b.SampleSimplex(rng)
		s := []float64{4 * rng.Float64(), 4 * rng.Float64(), 0}
		if got, want := again.Policy().Act(s, b, nil), r.Policy().Act(s, b, nil); got != want || got < 0 {
			t.Fatalf("at %v, %v the policy of the file takes %d, want %d", s, b, got, want)
		}
	}
	if _, err := runs.Verify(t.Context(), again); err != nil {
		t.Error(err)
	}
}

// A Lipschitz constant that is far too small closes the search on bounds that episodes refute, and
// whose policy may be poor: then the policy on a grid is tried too.
func TestGridPolicyWhereTheSearchIsRefuted(t *testing.T) {
	m := envs.LightDarkTiger{AnyHeading: true}
	r, err := runs.Explore(t.Context(), m, certified.Solver{Epsilon: 0.5, LipState: 0.01, ControlPoints: 17, CertificateEpisodes: 400, Grid: dp.GridOptions{Step: 0.25}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Choice == nil || r.Choice.Name() != "grid" || r.Certificate.Lower < 0 || r.Certificate.Refuted == "" {
		t.Errorf("%q with %+v and the choice %+v, want grid", r.Stop, r.Certificate, r.Choice)
	}
	if _, err := runs.Verify(t.Context(), r); err != nil {
		t.Error(err)
	}
}

// A file whose values on a grid are damaged gives an error, whatever they are.
func TestDamagedGridPolicy(t *testing.T) {
	_, r := headings(t)
	extra, err := r.Values().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	head := 8 * (1 + 2*r.Samples.Len())
	for name, change := range map[string]func(b []byte) []byte{
		"short":     func(b []byte) []byte { return b[:len(b)-1] },
		"no head":   func(b []byte) []byte { return b[:head+3] },
		"no points": func(b []byte) []byte { return b[:head+8] },
		"coarser":   func(b []byte) []byte { b[head]++; return b },
		"coarsest":  func(b []byte) []byte { b[head+3] = 0x7f; return b },
		"no count":  func(b []byte) []byte { b[head+4] = 0; return b },
		"a count":   func(b []byte) []byte { b[head+7] = 0x7f; return b },
		"no number": func(b []byte) []byte {
			for i := range 8 {
				b[len(b)-1-i] = 0xff
			}
			return b
		},
	} {
		if _, err := r.Solver.ReadValues(r, change(slices.Clone(extra))); !errors.Is(err, runs.ErrFormat) {
			t.Errorf("%s: error %v, want one that wraps ErrFormat", name, err)
		}
	}
}
