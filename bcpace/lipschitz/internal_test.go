package lipschitz

import (
	"math"
	"testing"
)

// What follows two states is a next state, drawn with likelihoods in the ratio
// x : 1−x, and a next latent with probabilities of their own: Σ over latents of
// |x·P1 − (1−x)·P2|, by hand.
func TestGapOfMovingLatents(t *testing.T) {
	for _, c := range []struct {
		moved1, moved2 []float64
		x, want        float64
	}{
		{[]float64{1, 0}, []float64{1, 0}, 0.5, 0},
		{[]float64{1, 0}, []float64{1, 0}, 0.75, 0.5},
		{[]float64{1, 0}, []float64{0, 1}, 0.5, 1},
		{[]float64{1, 0}, []float64{0, 1}, 0.25, 1},
		{[]float64{0.5, 0.5}, []float64{1, 0}, 0.5, 0.5},
		{[]float64{0.5, 0.5}, []float64{1, 0}, 0.75, 0.125 + 0.375},
	} {
		p := sampler{moved1: c.moved1, moved2: c.moved2}
		if got := p.gap(c.x); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// L_Q = max(L_S/α, L_B) of either.
func TestNamed(t *testing.T) {
	c := Constants{Paper: Paper{LS: 6, LB: 4}, Tight: Tight{LS: 3, LB: 1}}
	for alpha, want := range map[float64][2]float64{0.5: {12, 6}, 2: {4, 1.5}, 10: {4, 1}} {
		if got := c.Named(alpha); got[0] != (NamedConstant{"paper", want[0]}) || got[1] != (NamedConstant{"tight", want[1]}) {
			t.Errorf("α = %v: %v, want %v", alpha, got, want)
		}
	}
}
