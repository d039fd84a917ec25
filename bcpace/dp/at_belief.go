package dp

import (
	"math"

	"bayescpace/bcpace"
)

// Expected returns Σ_φ b(φ)·Q(s, φ, a), the QMDP upper bound.
func Expected(q bcpace.LatentValues, s []float64, b bcpace.Belief, action int) float64 {
	v := 0.0
	for i, p := range b {
		if p > 0 {
			v += p * q.Q(s, i, action)
		}
	}
	return v
}

// ExpectedAll fills out, of an entry for each action, with Expected(q, s, b, ·), but for rounding. It is
// faster than one call for each where the values are a table.
func ExpectedAll(out []float64, q bcpace.LatentValues, s []float64, b bcpace.Belief) {
	switch v := q.(type) {
	case *FiniteValues:
		clear(out)
		i := v.states.index(s)
		if i < 0 {
			fill(out, math.NaN())
			return
		}
		for φ, p := range b {
			if p > 0 {
				for a, x := range v.Table[(i*v.latents+φ)*v.actions:][:v.actions] {
					out[a] += p * x
				}
			}
		}
	case *GridValues:
		var at GridPlace
		if !at.Locate(v.Axes, s) {
			fill(out, math.NaN())
			return
		}
		v.Mean(out, &at, b)
	default:
		for a := range out {
			out[a] = Expected(q, s, b, a)
		}
	}
}

// fill sets all entries to x.
func fill(out []float64, x float64) {
	for i := range out {
		out[i] = x
	}
}

// BestCase returns max over φ with b(φ) > 0 of Q(s, φ, a): the paper's
// Best-Case Upper Bound.
func BestCase(q bcpace.LatentValues, s []float64, b bcpace.Belief, action int) float64 {
	v, any := 0.0, false
	for i, p := range b {
		if p > 0 {
			if x := q.Q(s, i, action); !any || x > v {
				v, any = x, true
			}
		}
	}
	return v
}
