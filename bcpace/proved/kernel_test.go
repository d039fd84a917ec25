package proved

import (
	"math"
	"testing"

	"bayescpace/bcpace/internal/normal"

	"pgregory.net/rapid"
)

// The factor brings the chord of a normal density below it, whatever bounds of r and η it is given,
// and loses little more than it must.
func TestShrink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eta := rapid.Float64Range(0.001, 2).Draw(t, "eta")
		r := eta * rapid.Float64Range(-8, 8).Draw(t, "z")
		least := 1.0
		for k := range 201 {
			λ := float64(k) / 200
			least = min(least, math.Exp(λ*r+λ*(1-λ)*eta*eta/2)/((1-λ)+λ*math.Exp(r)))
		}
		exact := shrink(r, eta)
		const rounding = 1 + 1e-14
		if exact > least*rounding || 1-exact > 1.2*(1-least)+0.02*eta*eta+1e-9 {
			t.Fatalf("η = %v, r = %v: the factor is %v, want %v at most and not much less", eta, r, exact, least)
		}
		larger, smaller := math.Abs(r)*rapid.Float64Range(1, 1.5).Draw(t, "larger"), eta*rapid.Float64Range(0, 1).Draw(t, "smaller")
		if f := shrink(larger, smaller); f > least*rounding {
			t.Fatalf("|r| ≤ %v and η ≥ %v: the factor is %v, want %v at most", larger, smaller, f, least)
		}
		if f := newShrinks(eta).at(r); f > least*rounding || f < exact-0.01 {
			t.Fatalf("by the table the factor is %v, want about %v", f, exact)
		}
	})
}

// The shares of a place make no more than its density, at random states and controls of random
// cells.
func TestMinorant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &grid{line: &line{sigma: 1, latents: 1, down: 1 - 1e-12}, damp: damping{tables: make(map[int]*shrinks)}}
		side := rapid.Float64Range(-0.8, 0.8)
		base := rapid.Float64Range(-4, 4).Draw(t, "mean")
		s, u, su := side.Draw(t, "s"), side.Draw(t, "u"), 0.2*side.Draw(t, "s·u")
		m := func(κ, λ float64) float64 { return base + s*κ + u*λ + su*κ*λ }
		cell := func(i, k float64) []around { // as the corner (i, k) has it
			return []around{{m: [2][2]float64{{m(0, k), m(1, k)}, {m(0, 1-k), m(1, 1-k)}}, side: [2]float64{m(i, k), m(i, 1-k)}, boxed: true}}
		}
		a := rapid.Float64Range(-4, 4).Draw(t, "from")
		b := a + rapid.Float64Range(0, 0.5).Draw(t, "width")
		x := a + (b-a)*rapid.Float64Range(0, 1).Draw(t, "x")
		κ, λ := rapid.Float64Range(0, 1).Draw(t, "κ"), rapid.Float64Range(0, 1).Draw(t, "λ")
		bent := rapid.SampledFrom([]float64{0, 0.05}).Draw(t, "bent")
		off := bent * rapid.Float64Range(-1, 1).Draw(t, "off")
		sum, stop := 0.0, 0.0
		g.v = []float64{-1, 1}
		for _, i := range []float64{0, 1} {
			for _, k := range []float64{0, 1} {
				w := (1 - math.Abs(κ-i)) * (1 - math.Abs(λ-k))
				sum += w * g.down * g.source(cell(i, k), a, b, bent) * normal.Density(x-m(i, k))
				stop += w * g.stopped(m(i, k), 0, cell(i, k), bent)
			}
		}
		if have := normal.Density(x - m(κ, λ) - off); sum > have {
			t.Fatalf("the shares make %v, and the density is %v", sum, have)
		}
		if have := normal.CDF(-1 - m(κ, λ) - off); stop > have {
			t.Fatalf("the shares of stopping make %v, and the probability is %v", stop, have)
		}
	})
}
