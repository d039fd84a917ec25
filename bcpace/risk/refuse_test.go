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
		if level == -1000 && found.Upper > 1e-9 || level == 1000 && found.Lower < 1-1e-9 {
			t.Errorf("%v: [%v, %v]", level, found.Lower, found.Upper)
		}
	}
}
