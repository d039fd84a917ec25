package bcpace

import "math"

// The functions below carry a bound of Q*(s,·,a) from one belief to another. All
// rest on one fact. For fixed s and a, Q*(s,b,a) = sup over π of Σ_φ b(φ)·α_φ,
// where π runs over all history-dependent policies that take a first and α_φ is
// what π earns from s under latent φ. π acts on what it sees, not on b, so the
// same α-vectors serve every belief. Each of them lies in the box
// lo ≤ α ≤ up, entry by entry, where lo = WorstBound.Vector(s,a) and
// up = FIBBound.Vector(s,a), or wider.
//
// Values are those of the formulas up to rounding, some latents × 10⁻¹⁶ of the
// largest entry.

// BoxCone returns the most by which Q* at b1 can exceed Q* at b2:
//
//	Q*(s,b1,a) ≤ Q*(s,b2,a) + Σ_φ max(Δ_φ·up_φ, Δ_φ·lo_φ),  Δ = b1 − b2.
//
// Proof: Q*(s,b1,a) = sup over α of (b2·α + Δ·α) ≤ Q*(s,b2,a) + max over the box
// of Δ·α, and a linear function is maximal over a box entry by entry.
//
// It is the least that follows from the box, for the box may be all there is.
// Centring gains nothing further: replacing up and lo by up − c and lo − c takes
// c·Δ_φ from both terms of every maximum and c·ΣΔ = 0 from the sum. With
// c = ½(max up + min lo) each term is at most |Δ_φ|·½(max up − min lo), so
// BoxCone ≤ ½(max up − min lo)·‖b1 − b2‖₁: never looser than the L1 cone.
//
// It is computed from entries centred at lo_0, so that beliefs whose sums differ
// by rounding are not charged for the size of the values.
func BoxCone(up, lo []float64, b1, b2 Belief) float64 {
	sum, c := 0.0, lo[0]
	up, lo, b2 = up[:len(b1)], lo[:len(b1)], b2[:len(b1)]
	for i, p := range b1 {
		if d := p - b2[i]; d > 0 {
			sum += d * (up[i] - c)
		} else {
			sum += d * (lo[i] - c)
		}
	}
	return sum
}

// BoxUpper returns the best upper bound of Q*(s,b1,a) that follows from the box
// and from Q*(s,b2,a) ≤ value: the largest b1·α over the α of the box with
// b2·α ≤ value. Weights need not sum to 1: values are positively homogeneous in
// them.
//
// Proof: every α of Q* lies in the box, and b2·α ≤ Q*(s,b2,a) ≤ value.
//
// It is never looser than value + BoxCone, than b1·up, or than the sawtooth
// b1·up − min over φ of b1(φ)/b2(φ)·(b2·up − value), which are values of its dual
//
//	min over λ ≥ 0 of λ·value + Σ_φ max((b1−λb2)(φ)·up_φ, (b1−λb2)(φ)·lo_φ)
//
// at λ = 1, 0 and min b1(φ)/b2(φ). It is a fractional knapsack: from α = up,
// entries fall to lo in the order of their cost b1(φ)/b2(φ) until b2·α ≤ value.
// It costs latents × (entries that fall + 1).
//
// Where even b2·lo exceeds value, which a value that is an upper bound allows for
// rounding only, it is b1·α for the α that is lo where b2(φ) > 0 and up elsewhere.
func BoxUpper(up, lo []float64, b1, b2 Belief, value float64) float64 {
	up, lo, b2 = up[:len(b1)], lo[:len(b1)], b2[:len(b1)]
	top, excess := 0.0, -value
	for i, p := range b1 {
		top += p * up[i]
		excess += b2[i] * up[i]
	}
	cost, last := math.Inf(-1), -1 // of the entry that fell last
	for excess > 0 {
		next, ratio := -1, math.Inf(1)
		for i, q := range b2 {
			// Entries fall in the order of (ratio, index).
			if q <= 0 {
				continue
			}
			if r := b1[i] / q; (r > cost || r == cost && i > last) && r < ratio {
				next, ratio = i, r
			}
		}
		if next < 0 {
			break
		}
		cost, last = ratio, next
		fall := b2[next] * (up[next] - lo[next])
		if fall >= excess {
			return top - ratio*excess
		}
		top -= b1[next] * (up[next] - lo[next])
		excess -= fall
	}
	return top
}

// BoxLower returns the best lower bound of Q*(s,b1,a) that follows from the box
// and from Q*(s,b2,a) ≥ value: the smallest b1·α over the α of the box with
// b2·α ≥ value. It is BoxUpper upside down. Proof: some α of the box has
// b2·α ≥ value, or comes as close to it as one likes, and Q*(s,b1,a) ≥ b1·α.
func BoxLower(up, lo []float64, b1, b2 Belief, value float64) float64 {
	up, lo, b2 = up[:len(b1)], lo[:len(b1)], b2[:len(b1)]
	low, want := 0.0, value
	for i, p := range b1 {
		low += p * lo[i]
		want -= b2[i] * lo[i]
	}
	cost, last := math.Inf(-1), -1 // of the entry that rose last
	for want > 0 {
		next, ratio := -1, math.Inf(1)
		for i, q := range b2 {
			if q <= 0 {
				continue
			}
			if r := b1[i] / q; (r > cost || r == cost && i > last) && r < ratio {
				next, ratio = i, r
			}
		}
		if next < 0 {
			break
		}
		cost, last = ratio, next
		rise := b2[next] * (up[next] - lo[next])
		if rise >= want {
			return low + ratio*want
		}
		low += b1[next] * (up[next] - lo[next])
		want -= rise
	}
	return low
}
