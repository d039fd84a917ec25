package cover

import (
	"context"
	"math"
	"slices"
)

// The most points of a cover at the least of the distances that Scales returns, the share of the places
// that they may be, and the share of the largest distance below which two points are in one place.
const (
	scalesMost  = 4000
	scalesShare = 4
	scalesPlace = 1e-9
)

// Scales returns n ≥ 2 distances for a curve, which fall in equal ratios: from half of how far a point is
// from the first, to where the farthest-first net has 4,000 points or one for every four places of the set. Points
// that are a billionth of the first distance apart, as rounding may set them, are in one place.
// It returns nil where all points are in one place, or infinitely far apart, and the errors of
// FarthestFirst.
func Scales(ctx context.Context, s Space, n int) ([]float64, error) {
	t, err := FarthestFirst(ctx, s, TraversalOptions{MaxOrder: scalesMost + 1})
	if err != nil {
		return nil, err
	}
	radii := slices.DeleteFunc(t.Radius, func(r float64) bool { return math.IsInf(r, 1) || r == 0 })
	if len(radii) == 0 {
		return nil, nil
	}
	places := s.Len()
	if p, ok := s.(*Points); ok {
		places = len(p.Distinct())
	}
	if k := slices.IndexFunc(radii, func(r float64) bool { return r < scalesPlace*radii[0] }); k >= 0 {
		radii, places = radii[:k], k+1
	}
	high, low := radii[0]/2, radii[min(len(radii), max(places/scalesShare, 2))-1]
	low = min(low, high/2) // so that they fall, however close to each other the distances of the set are
	return Decades(high, low, n), nil
}
