package risk_test

import (
	"math"
	"slices"

	"bayescpace/bcpace"
)

// brute is what all policies of a model of few steps can do that see states and rewards.
type brute struct {
	bcpace.Tables
	loss func(total float64) float64
}

// least returns the least expected loss of the total return.
func (b brute) least() (sum float64) {
	for s, p := range b.Start {
		if p > 0 {
			w := slices.Clone(b.Prior)
			for φ := range w {
				w[φ] *= p
			}
			sum += b.from(w, s, 0, 0)
		}
	}
	return sum
}

// from returns that with weights of the latents, in state s after some steps with a total.
func (b brute) from(w []float64, s, steps int, total float64) float64 {
	if steps == b.Horizon {
		sum := 0.0
		for _, p := range w {
			sum += p
		}
		return sum * b.loss(total)
	}
	best := math.Inf(1)
	for a := range b.P[0] {
		sum := 0.0
		for next := range b.P[0][a][s] {
			after := map[float64][]float64{} // weights, by reward
			for φ, p := range w {
				if p *= b.P[φ][a][s][next]; p > 0 {
					r := b.R[φ][a][s]
					if after[r] == nil {
						after[r] = make([]float64, len(w))
					}
					after[r][φ] = p
				}
			}
			for r, v := range after {
				sum += b.from(v, next, steps+1, total+math.Pow(b.Discount, float64(steps))*r)
			}
		}
		best = min(best, sum)
	}
	return best
}

// totals returns all returns that an episode may have.
func (b brute) totals() []float64 {
	seen := map[float64]bool{}
	b.loss = func(total float64) float64 { seen[total] = true; return 0 }
	b.least()
	var list []float64
	for x := range seen {
		list = append(list, x)
	}
	slices.Sort(list)
	return list
}

// cvar returns the largest CVaR.
func (b brute) cvar(share float64) float64 {
	best := math.Inf(-1)
	for _, t := range b.totals() {
		b.loss = func(total float64) float64 { return max(t-total, 0) }
		best = max(best, t-b.least()/share)
	}
	return best
}

// chance returns the smallest probability of a return below a level.
func (b brute) chance(level float64) float64 {
	b.loss = func(total float64) float64 {
		if total < level-1e-9 {
			return 1
		}
		return 0
	}
	return b.least()
}
