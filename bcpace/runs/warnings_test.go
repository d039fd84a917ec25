package runs_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// warned are those of the warnings of a run.
func warned(r *runs.Run) (list []runs.WarningKind) {
	for _, w := range r.Warnings() {
		list = append(list, w.Kind)
	}
	return list
}

// rough has a reward that differs from place to place without a pattern, so that no grid is
// fine enough.
func rough(t *testing.T) bcpace.Model {
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec:   bcpace.Spec{Name: "rough", Axes: []bcpace.Axis{{Name: "x", Max: 1}}, Actions: bcpace.Actions("on"), Latents: []string{"slow", "fast"}, Discount: 0.5, RewardMax: 1},
		Starts: [][]float64{{0.5}},
		Mean:   func(mean, s []float64, latent, _ int) { mean[0] = s[0] + 0.01*float64(latent) },
		Sigma:  []float64{1e-7},
		Reward: func(_ []float64, _, _ int, next []float64) float64 {
			_, f := math.Modf(1e4 * math.Abs(math.Sin(1e5*next[0])))
			return f
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// modest pays 1 a step, and states that it pays a half, so that what is proved of it is false.
func modest(t *testing.T) bcpace.Model {
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec:   bcpace.Spec{Name: "modest", Axes: []bcpace.Axis{{Name: "x", Max: 1}}, Actions: bcpace.Actions("on"), Latents: []string{"slow", "fast"}, Discount: 0.5, RewardMax: 1},
		Starts: [][]float64{{0.5}},
		Mean:   func(mean, s []float64, latent, _ int) { mean[0] = s[0] + 0.01*float64(latent) },
		Sigma:  []float64{0.3},
		Reward: func([]float64, int, int, []float64) float64 { return 1 },
		Curve:  &bcpace.GaussianCurve{Expected: func([]float64, int, int, []float64) float64 { return 0.5 }},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Warnings come where they are due.
func TestWarnings(t *testing.T) {
	for want, c := range map[runs.WarningKind]struct {
		model  bcpace.Model
		solver cpace.Solver
	}{
		runs.NeverKnown:    {envs.Chain{Discount: 0.8}, cpace.Solver{Epsilon: 0.01, K: 20, MaxSamples: 200}},
		runs.SamplesRising: {envs.LightDarkTiger{}, cpace.Solver{Epsilon: 0.5, LipQ: 0.5, K: 3, Batch: 5, MaxEpisodes: 40, Horizon: 40, Bound: cpace.BoundConstant}},
		runs.GreedyBehind:  {envs.Chain{Discount: 0.8}, cpace.Solver{Epsilon: 1, LipQ: 2, K: 5, Batch: 50, MaxEpisodes: 50, Policy: runs.PolicyBest, Seed: 1}},
		runs.OneStep:       {envs.Chain{}, cpace.Solver{Epsilon: 1e4}},
		runs.CoarseGrid:    {rough(t), cpace.Solver{Epsilon: 0.01, MaxSamples: 20}},
	} {
		c.solver.CertificateEpisodes = 20
		r, err := runs.Explore(t.Context(), c.model, c.solver)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(warned(r), want) {
			t.Errorf("warnings %v, want %q", r.Warnings(), want)
		}
	}
	// The grid of a rough model holds the gap, and so is what to work on.
	r, err := runs.Explore(t.Context(), rough(t), certified.Solver{Epsilon: 1e-3, MaxSamples: 20, CertificateEpisodes: 5000})
	if err != nil {
		t.Fatal(err)
	}
	if w := r.Warnings(); !slices.ContainsFunc(w, func(w runs.Warning) bool { return w.Kind == runs.WideGap && strings.Contains(w.Do, "MaxPoints") }) {
		t.Errorf("warnings %v of %v, want %q for the grid", w, r.Parts, runs.WideGap)
	}
	// The expected rewards that a model states are not those that it pays.
	r, err = runs.Explore(t.Context(), modest(t), cpace.Solver{Epsilon: 0.1, Bound: cpace.BoundProved, MaxSamples: 20, CertificateEpisodes: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(warned(r), runs.ProofContradicted) {
		t.Errorf("warnings %v of %+v, want %q", r.Warnings(), r.Certificate, runs.ProofContradicted)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err = cpace.Solver{Epsilon: 1}.Explore(ctx, envs.Chain{}, bcpace.Control{Progress: func(bcpace.Progress) { cancel() }})
	if err != nil || !slices.Contains(warned(r), runs.NotSimulated) {
		t.Errorf("interrupted: %v, want %q, %v", warned(r), runs.NotSimulated, err)
	}
	r, err = certified.Solver{Epsilon: 0.1}.Explore(ctx, envs.Chain{}, bcpace.Control{})
	if err != nil || !slices.Contains(warned(r), runs.NotSimulated) {
		t.Errorf("interrupted at once: %v, want %q, %v", warned(r), runs.NotSimulated, err)
	}
}

// TestWarningsNameSolvers: what would help where samples, time or a grid do not is another solver.
func TestWarningsNameSolvers(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	seen := map[runs.WarningKind]bool{}
	for _, x := range []struct {
		ctx    context.Context
		model  bcpace.Model
		solver runs.Explorer
	}{
		{t.Context(), envs.Chain{Discount: 0.8}, cpace.Solver{Epsilon: 0.01, K: 20, MaxSamples: 200, CertificateEpisodes: 50}},
		{t.Context(), envs.Chain{}, cpace.Solver{Epsilon: 1e4, CertificateEpisodes: 50}},
		{t.Context(), rough(t), certified.Solver{Epsilon: 1e-3, CertificateEpisodes: 200}},
		{ended, envs.Chain{}, certified.Solver{Epsilon: 0.1}},
		{ended, rough(t), certified.Solver{Epsilon: 0.1}},
	} {
		r, err := x.solver.Explore(x.ctx, x.model, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range r.Warnings() {
			if w.Kind == runs.OneStep { // a parameter is wrong
				continue
			}
			seen[w.Kind] = true
			if !strings.Contains(w.Do, "policy-search") && !strings.Contains(w.Do, "sarsop") {
				t.Errorf("%s, %q: %q names no other solver", w.Kind, w.What, w.Do)
			}
		}
	}
	if len(seen) < 3 {
		t.Errorf("only %v", seen)
	}
}

func ExampleWarning() {
	r, err := runs.Explore(context.Background(), envs.Chain{Discount: 0.8}, cpace.Solver{Epsilon: 0.01, K: 20, MaxSamples: 200, CertificateEpisodes: 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range r.Warnings() {
		fmt.Printf("%s: %s\ninstead: %s\n", w.Kind, w.What, w.Do)
	}
	// Output:
	// never known: 0% of the last queries were known, after 200 samples: within the known radius 0.0002, there are seldom K = 20 of them
	// instead: a larger Epsilon, or a smaller LipQ or Alpha (package choose suggests some for a model); or another solver: certified, where the model lists what follows a state, or policy-search
}

// What kind of warning it is tells a program what to do about it.
func ExampleWarningKind() {
	o := cpace.Solver{Epsilon: 1e4, CertificateEpisodes: 50} // more than all that Chain pays
	r, err := runs.Explore(context.Background(), envs.Chain{}, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range r.Warnings() {
		if w.Kind == runs.OneStep {
			fmt.Println(r.Horizon(), "step:", w.Do)
		}
	}
	// Output: 1 step: cpace.Solver.Horizon, or a smaller Epsilon, from which it follows
}
