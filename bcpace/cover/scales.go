package cover

import (
	"context"
	"math"
	"slices"
)

// The most points of a cover at the least of the distances that Scales returns, and the share of the set
// that they may be.
const (
	scalesMost  = 4000
	scalesShare = 4
)

// Scales returns n ≥ 2 distances for a curve, which fall in equal ratios: from half of how far a point is
// from the first, to where the farthest-first net has 4,000 points or a fourth of the set.
// It returns nil where all points are in one place, or infinitely far apart, and the errors of
// FarthestFirst.
func Scales(ctx context.Context, s Space, n int) ([]float64, error) {
	t, err := FarthestFirst(ctx, s, TraversalOptions{MaxOrder: min(scalesMost, max(s.Len()/scalesShare, 2)) + 1})
	if err != nil {
		return nil, err
	}
	radii := slices.DeleteFunc(t.Radius, func(r float64) bool { return math.IsInf(r, 1) || r == 0 })
	if len(radii) == 0 {
		return nil, nil
	}
	high, low := radii[0]/2, radii[len(radii)-1]
	low = min(low, high/2) // so that they fall, however close to each other the distances of the set are
	return Decades(high, low, n), nil
}
