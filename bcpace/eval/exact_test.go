package eval_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// The oracle values come from dynamic programs over sufficient statistics
// (Tiger: the difference of the sides heard; Chain: the counts of slips and
// others) and, for Light-Dark Tiger, from value iteration, all written
// separately from this module. They are printed to the digits shown, half a
// unit in the last of which is the tolerance.
type oracle struct {
	name          string
	model         bcpace.Model
	horizon       int
	optimal, qmdp float64
	unit          float64 // of the last digit
}

// noValue marks a figure that the oracle does not give.
var noValue = math.NaN()

func oracles() []oracle {
	dark := func(side int, discount float64) bcpace.Model {
		return envs.LightDarkTiger{Width: side, Height: side, Discount: discount}
	}
	return []oracle{
		{"tiger", envs.Tiger{}, 50, 17.760, 17.703, 1e-3},
		{"tiger", envs.Tiger{}, 100, 19.247, 19.243, 1e-3},
		{"tiger", envs.Tiger{}, 0, 19.3714, 19.3714, 1e-4},
		{"tiger γ=.9", envs.Tiger{Discount: 0.9}, 0, 8.507, 8.507, 1e-3},
		{"tiger γ=.99", envs.Tiger{Discount: 0.99}, 100, 66.768, 66.426, 1e-3},
		{"chain", envs.Chain{}, 10, 14.628, 13.707, 1e-3},
		{"chain", envs.Chain{}, 100, 47.749, 47.739, 1e-3},
		{"chain", envs.Chain{}, 0, 48.081, 48.081, 1e-3},
		{"chain γ=.99", envs.Chain{Discount: 0.99}, 100, 172.899, 172.362, 1e-3},
		{"chain γ=1", undiscounted{envs.Chain{}}, 100, 279.222, noValue, 1e-3},
		{"light-dark 5×5", dark(5, 0.95), 0, 6.98337, 0, 1e-5},
		{"light-dark 5×5 γ=.99", dark(5, 0.99), 0, 9.32065, 0, 1e-5},
		{"light-dark 9×9", dark(9, 0.95), 0, 4.63291, 0, 1e-5},
		{"light-dark 9×9 γ=.99", dark(9, 0.99), 0, 8.60058, 0, 1e-5},
		{"light-dark 9×9", dark(9, 0.95), 60, 4.63291, 0, 1e-5},
	}
}

// undiscounted is a model with γ = 1, cut at 100 steps.
type undiscounted struct{ bcpace.Finite }

func (u undiscounted) Spec() bcpace.Spec {
	s := u.Finite.Spec()
	s.Discount, s.Horizon = 1, 100
	return s
}

func TestOracles(t *testing.T) {
	for _, o := range oracles() {
		t.Run(fmt.Sprintf("%s T=%d", o.name, o.horizon), func(t *testing.T) {
			ctx := context.Background()
			best, err := eval.Optimal(ctx, o.model, eval.ExactOptions{Horizon: o.horizon})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("optimal %+v", best)
			check(t, "optimal", best, o.optimal, o.unit)
			if math.IsNaN(o.qmdp) {
				return
			}
			q, err := dp.SolveLatent(ctx, o.model)
			if err != nil {
				t.Fatal(err)
			}
			p := dp.LatentPolicy(q, len(o.model.Spec().Actions))
			e, err := eval.Evaluate(ctx, o.model, p, eval.ExactOptions{Horizon: o.horizon})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("QMDP %+v", e)
			check(t, "QMDP", e, o.qmdp, o.unit)
		})
	}
}

// TestLongOracle is an oracle on a graph of 400,000 nodes.
func TestLongOracle(t *testing.T) {
	best, err := eval.Optimal(t.Context(), envs.Chain{Discount: 0.99}, eval.ExactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "optimal", best, 278.0975, 1e-4)
}

// TestBeyondHorizon: a model with a horizon has no value over more steps.
func TestBeyondHorizon(t *testing.T) {
	m, play := undiscounted{envs.Chain{}}, bcpace.RandomPolicy(envs.Chain{})
	for name, ask := range map[string]func(horizon int) error{
		"Optimal": func(h int) error {
			_, err := eval.Optimal(t.Context(), m, eval.ExactOptions{Horizon: h})
			return err
		},
		"Rollouts": func(h int) error {
			_, err := eval.Rollouts(t.Context(), m, play, eval.Options{Horizon: h, Episodes: 2})
			return err
		},
		"RecordEpisode": func(h int) error { _, err := eval.RecordEpisode(m, play, eval.Options{Horizon: h}, 0); return err },
	} {
		for horizon, fine := range map[int]bool{3: true, 101: false} {
			err := ask(horizon)
			if input := new(bcpace.InputError); fine != (err == nil) || !fine && (!errors.As(err, &input) || input.What != "Horizon") {
				t.Errorf("%s over %d of 100 steps: error %v", name, horizon, err)
			}
		}
	}
}

func check(t *testing.T, what string, e eval.ExactValue, want, unit float64) {
	t.Helper()
	if d := math.Abs(e.Value - want); !(d <= unit/2+e.Error+1e-9) {
		t.Errorf("%s is %.6f ± %.1g, want %v", what, e.Value, e.Error, want)
	}
	if e.Error > unit/2 {
		t.Errorf("%s has error %v, which %v cannot check", what, e.Error, want)
	}
}
