package solvertest

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/solvers"
)

var errDiverges = errors.New("the integration diverges")

// failing is a motion that cannot be computed where a fast cart goes to the right beyond 0.6: answer
// is called there.
func failing(answer func(mean []float64)) bcpace.Gaussian {
	return bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "failing", Discount: 0.9, RewardMax: 1, Axes: []bcpace.Axis{{Name: "x", Max: 1}},
			Actions: bcpace.Actions("left", "right"), Latents: []string{"slow", "fast"}},
		Starts: [][]float64{{0.3}}, Sigma: []float64{0.03},
		Mean: func(mean, s []float64, latent, action int) {
			mean[0] = s[0] + 0.1*float64(2*action-1)*float64(1+latent)
			if s[0] > 0.6 && latent == 1 && action == 1 {
				answer(mean)
			}
		},
		Reward: func(_ []float64, _, _ int, next []float64) float64 { return next[0] },
	}
}

// TestFailing: where a function of a model cannot answer, whoever calls it returns an error that says
// where, and wraps that of the function.
//
//test:race
func TestFailing(t *testing.T) {
	fails := func([]float64) { panic(errDiverges) }
	m, err := bcpace.FromGaussian(failing(fails))
	if err != nil {
		t.Fatal(err)
	}
	still, err := bcpace.FromGaussian(failing(func([]float64) {}))
	if err != nil {
		t.Fatal(err)
	}
	at := func(s []float64, latent, action int) {
		if s[0] > 0.6 && latent == 1 && action == 1 {
			fails(nil)
		}
	}
	steps, err := bcpace.FromFuncs(bcpace.Funcs{Spec: m.Spec(), Start: m.Start,
		Step: func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
			at(s, latent, action)
			return still.Step(next, s, latent, action, rng)
		},
		LogLikelihood: func(s []float64, action int, next []float64, latent int) float64 {
			at(s, latent, action)
			return still.LogLikelihood(s, action, next, latent)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	nan, err := bcpace.FromGaussian(failing(func(mean []float64) { mean[0] = math.NaN() }))
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		m     bcpace.Model
		cause error // nil for none
	}{"a mean": {m, errDiverges}, "a step": {steps, errDiverges}, "not a number": {nan, nil}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failsIn(t, x.m, x.cause)
		})
	}
}

// failsIn expects the error of all that plays, plans or looks in m.
func failsIn(t *testing.T, m bcpace.Model, cause error) {
	want := func(who string, err error) {
		t.Helper()
		if e := new(bcpace.ConformanceError); !errors.As(err, &e) || !(e.State[0] > 0.6) || e.Action != "right" || e.Latent == "slow" || e.Latent == "" && cause != nil {
			t.Errorf("%s: %v, want a *ConformanceError that says where", who, err)
		}
		if cause != nil && !(errors.Is(err, cause) && strings.Contains(err.Error(), "failed: "+cause.Error())) {
			t.Errorf("%s: %v, want it to wrap the error of the function", who, err)
		}
	}
	ctx := t.Context()
	want("check", check.Model(m, check.Options{}))
	_, err := choose.Recommend(ctx, m)
	want("a recommendation", err)
	_, err = choose.Suggest(ctx, m)
	want("settings", err)
	_, err = choose.Solve(ctx, m, bcpace.Control{}, choose.Options{})
	want("several solvers", err)
	_, err = eval.Rollouts(ctx, m, bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 1 }), eval.Options{Episodes: 20})
	want("rollouts", err)
	for _, name := range solvers.Names() {
		s, err := solvers.New(name, m)
		if err != nil {
			t.Fatal(err)
		}
		found, err := s.Solve(ctx, m, bcpace.Control{})
		if errors.As(err, new(*bcpace.UnsupportedError)) {
			continue
		}
		if err == nil { // it has met no failure yet
			_, err = eval.Rollouts(ctx, m, found.Policy, eval.Options{Episodes: 10, Horizon: 20, Seed: 1})
		}
		want(name, err)
	}
}
