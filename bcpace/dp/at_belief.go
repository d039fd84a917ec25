package dp

import "bayescpace/bcpace"

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
