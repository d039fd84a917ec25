package policysearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/kept"
	"bayescpace/bcpace/internal/num"
)

const keptKind = "weights"

func init() { kept.Register(keptKind, readKept) }

// keptWeights is a policy as data. Its tables of values are made again of the model when it is read.
type keptWeights struct {
	Weights []float64 `json:"weights"`
	Scales  []float64 `json:"scales,omitempty"` // of the values; 0 where they say nothing
	Points  []int     `json:"points,omitempty"` // of their grids, at most; none means tablePoints
}

// Keep is bcpace.PolicyAbilities.Keep.
func (p *policy) Keep() (kind string, data any, err error) {
	if p.f.cut {
		return "", nil, errors.New("the tables of values that it goes by were cut short by the time: give more time")
	}
	k := keptWeights{Weights: p.weights}
	for _, v := range p.f.values {
		if math.IsInf(v.scale, 1) {
			v.scale = 0
		}
		k.Scales = append(k.Scales, v.scale)
		k.Points = append(k.Points, v.points)
	}
	return keptKind, k, nil
}

// readKept is a kept.Read.
func readKept(ctx context.Context, m bcpace.Model, data json.RawMessage) (bcpace.Policy, error) {
	var k keptWeights
	if err := kept.Decode(data, &k); err != nil {
		return nil, err
	}
	f := newFamily(m)
	switch i := slices.IndexFunc(k.Weights, func(w float64) bool { return !num.Finite(w) }); {
	case len(k.Weights) != f.weights():
		return nil, kept.Bad("its weights", fmt.Sprintf("%d numbers", len(k.Weights)), fmt.Sprintf("%d, those of a policy of the model", f.weights()))
	case i >= 0:
		return nil, kept.Bad("a weight", k.Weights[i], "a finite number")
	case len(k.Scales) > 0 && (f.shared == 0 || len(k.Scales) > valueKinds):
		return nil, kept.Bad("the scales of its values", k.Scales, "none for this model, or one for each kind of values")
	case len(k.Points) > 0 && len(k.Points) != len(k.Scales):
		return nil, kept.Bad("the points of the grids of its values", k.Points, "none, or one for each kind of values")
	}
	for i, scale := range k.Scales {
		points := tablePoints
		if len(k.Points) > 0 {
			points = k.Points[i]
		}
		if points < 1 || points > mostPoints {
			return nil, kept.Bad("the points of a grid of its values", points, fmt.Sprintf("a number from 1 to %d", mostPoints))
		}
		q, err := table(ctx, f.valued()[i], points)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if scale == 0 {
			scale = math.Inf(1)
		}
		f.values = append(f.values, actionValues{LatentValues: q, scale: scale, points: points})
	}
	return newPolicy(f, k.Weights), nil
}
