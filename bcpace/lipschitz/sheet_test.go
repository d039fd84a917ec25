package lipschitz_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/lipschitz"
	"bayescpace/envs"
)

// sheet is Chain whose states are all at distance 0. Where it pays for state 2, that is
// all it pays for; where it leaks, some of the probabilities are lost.
type sheet struct {
	envs.Chain
	pay  float64
	leak float64
}

func (m sheet) Spec() bcpace.Spec {
	spec := m.Chain.Spec()
	spec.Axes[0].Scale = math.Inf(1)
	return spec
}

func (m sheet) Successors(z *bcpace.Successors, s []float64, action int) {
	m.Chain.Successors(z, s, action)
	for i := range z.Len() {
		_, prob, reward := z.Row(i)
		for l := range prob {
			prob[l] *= 1 - m.leak
			if m.pay > 0 {
				reward[l] = 0
				if s[0] == 2 {
					reward[l] = m.pay
				}
			}
		}
	}
}

// TestStatesAtDistance0: where they differ the constant is infinite, by however little,
// but for rounding; the witness is the pair that differs most. By hand: A at state 5
// and B anywhere pay 8 more or less under one slip than elsewhere.
func TestStatesAtDistance0(t *testing.T) {
	c := constants(t, sheet{}, lipschitz.Options{})
	for a := range 2 {
		if w := c.R.ByAction[a].Worst; !math.IsInf(c.R.ByAction[a].Value, 1) || w.Distance != 0 || math.Abs(w.Difference-8) > 1e-12 || !math.IsInf(w.Ratio, 1) {
			t.Errorf("action %d: L_R %v, witness %+v, want a difference of 8", a, c.R.ByAction[a].Value, w)
		}
	}
	if w := c.P.Worst; !math.IsInf(c.P.Value, 1) || math.Abs(w.Difference-1.6) > 1e-12 {
		t.Errorf("L_P %v, witness %+v, want a difference of 1.6", c.P.Value, w)
	}
	for pay, want := range map[float64]float64{1e-6: math.Inf(1), 1e-15: 0} {
		if c := constants(t, sheet{pay: pay}, lipschitz.Options{}); c.R.Value != want {
			t.Errorf("a reward of %v in one state: L_R %v, want %v", pay, c.R.Value, want)
		}
	}
}

func TestLeakyModel(t *testing.T) {
	wrong := (*bcpace.ConformanceError)(nil)
	for _, leak := range []float64{0.1, -0.1, 1e-6, math.NaN()} {
		if _, err := lipschitz.FromModel(context.Background(), sheet{leak: leak}, lipschitz.Options{}); !errors.As(err, &wrong) {
			t.Errorf("a part of %v lost: %v", leak, err)
		}
	}
}
