package hidden

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
)

// Quantiles returns for each p in [0, 1] the value of entry i of the hidden vector that is exceeded with probability 1 − p at
// most. The error is a *bcpace.InputError for an entry or a probability that there is not, and for a belief that neither has
// points nor is normal.
func Quantiles(b Belief, i int, p ...float64) ([]float64, error) {
	bad := bcpace.In("quantiles of a belief").Bad
	for _, q := range p {
		if !(q >= 0 && q <= 1) {
			return nil, bad("the probability", q, "a number from 0 to 1")
		}
	}
	switch b := b.(type) {
	case *NormalBelief:
		if n := b.mean.Len(); i < 0 || i >= n {
			return nil, bad("the entry", i, fmt.Sprintf("a number from 0 to %d", n-1))
		}
		list, σ := make([]float64, len(p)), math.Sqrt(max(b.cov.At(i, i), 0))
		for k, q := range p {
			if list[k] = b.mean.AtVec(i); σ > 0 {
				list[k] += σ * math.Sqrt2 * math.Erfinv(2*q-1)
			}
		}
		return list, nil
	case Weighted:
		return quantilesOf(b, i, p)
	}
	return nil, bad("the belief", fmt.Sprintf("a %T", b), "one with points (Weighted) or a normal one")
}

// quantilesOf is Quantiles of points.
func quantilesOf(b Weighted, i int, p []float64) ([]float64, error) {
	type point struct{ value, weight float64 }
	points := make([]point, 0, b.Len())
	for k := range b.Len() {
		x, w := b.At(k)
		if i < 0 || i >= len(x) {
			return nil, bcpace.In("quantiles of a belief").Bad("the entry", i, fmt.Sprintf("a number from 0 to %d", len(x)-1))
		}
		if w > 0 {
			points = append(points, point{x[i], w})
		}
	}
	slices.SortFunc(points, func(x, y point) int { return cmp.Compare(x.value, y.value) })
	list := make([]float64, len(p))
	for k, q := range p {
		sum := 0.0
		for _, x := range points {
			list[k] = x.value
			if sum += x.weight; sum >= q-1e-12 {
				break
			}
		}
	}
	return list, nil
}
