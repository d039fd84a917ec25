package risk_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/risk"
	"bayescpace/envs"
)

func TestRefuses(t *testing.T) {
	tiger := bcpace.Model(envs.Tiger{})
	for what, solve := range map[string]func() error{
		"no share": func() error {
			_, err := risk.Solver{Epsilon: 1}.Solve(t.Context(), tiger, bcpace.Control{})
			return err
		},
		"share": func() error {
			_, err := risk.Solver{Share: 1.5, Epsilon: 1}.Solve(t.Context(), tiger, bcpace.Control{})
			return err
		},
		"no epsilon": func() error {
			_, err := risk.Solver{Share: 0.5}.Solve(t.Context(), tiger, bcpace.Control{})
			return err
		},
		"levels": func() error {
			_, err := risk.Solver{Share: 0.5, Epsilon: 1, MaxLevels: -1}.Solve(t.Context(), tiger, bcpace.Control{})
			return err
		},
		"level": func() error {
			_, err := risk.Chance{Level: math.NaN(), Epsilon: 0.1}.Solve(t.Context(), tiger, bcpace.Control{})
			return err
		},
		"no model": func() error {
			_, err := risk.Solver{Share: 0.5, Epsilon: 1}.Solve(t.Context(), nil, bcpace.Control{})
			return err
		},
		"negative cpu": func() error {
			_, err := risk.Solver{Share: 0.5, Epsilon: 1}.Solve(t.Context(), tiger, bcpace.Control{Workers: -1})
			return err
		},
	} {
		if err := solve(); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%s: %v, want an InputError", what, err)
		}
	}
	for what, solve := range map[string]func() error{
		"no horizon": func() error {
			_, err := risk.Chance{Level: 0, Epsilon: 0.1}.Solve(t.Context(), tiger, bcpace.Control{})
			return err
		},
		"continuous": func() error {
			_, err := risk.Solver{Share: 0.5, Epsilon: 1}.Solve(t.Context(), envs.LightDarkTiger{Sigma: 0.1}, bcpace.Control{})
			return err
		},
	} {
		if err := solve(); !errors.As(err, new(*bcpace.UnsupportedError)) {
			t.Errorf("%s: %v, want an UnsupportedError", what, err)
		}
	}
}

// TestNoTime: where the time is over, the error is the context's.
func TestNoTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := risk.Solver{Share: 0.5, Epsilon: 1}.Solve(ctx, envs.Tiger{}, bcpace.Control{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestSettled: a policy acts where nothing can be lost any more, and where everything is lost.
func TestSettled(t *testing.T) {
	tiger, err := bcpace.FiniteHorizon(envs.Tiger{}, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []float64{-1000, -20, 5, 1000} {
		found, err := risk.Chance{Level: level, Epsilon: 0.01}.Solve(t.Context(), tiger, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		if level == -1000 && found.Certificate.Upper > 1e-9 || level == 1000 && found.Certificate.Lower < 1-1e-9 {
			t.Errorf("%v: [%v, %v]", level, found.Certificate.Lower, found.Certificate.Upper)
		}
	}
}

// TestOneReturn: where all episodes earn the same, that is the CVaR.
func TestOneReturn(t *testing.T) {
	m, err := bcpace.FromTables(bcpace.Tables{Discount: 0.95, Horizon: 2, P: [][][][]float64{{{{1}}, {{1}}}}, R: [][][]float64{{{1}, {1}}}})
	if err != nil {
		t.Fatal(err)
	}
	found, err := risk.Solver{Share: 0.5, Epsilon: 0.1}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil || math.Abs(found.Certificate.Lower-1.95) > 1e-6 || math.Abs(found.Certificate.Upper-1.95) > 1e-6 {
		t.Errorf("%+v, %v, want 1.95", found, err)
	}
}

// TestRoundedRewards: rewards of latents that differ by rounding alone tell nothing.
func TestRoundedRewards(t *testing.T) {
	o := bcpace.Outcomes{
		Spec: bcpace.Spec{Name: "rounded", Discount: 1, Horizon: 3, Latents: []string{"one", "other"}, Actions: bcpace.Actions("x", "y"),
			Axes: []bcpace.Axis{{Name: "seen", Max: 1, Discrete: true}}},
		Transitions: func(_ []float64, latent, action int) []bcpace.Transition {
			high := []float64{0.9, 0.1}[(latent+action)%2]
			return []bcpace.Transition{{Next: []float64{0}, Prob: 1 - high, Reward: -0.1}, {Next: []float64{1}, Prob: high, Reward: 0.7}}
		},
	}
	m, err := bcpace.FromOutcomes(o)
	if err != nil {
		t.Fatal(err)
	}
	found, err := risk.Solver{Share: 1, Epsilon: 0.001}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	if c := found.Certificate; c.Lower > 1.412+1e-6 || c.Upper < 1.412-1e-6 {
		t.Errorf("[%v, %v], want 1.412", c.Lower, c.Upper)
	}
}
