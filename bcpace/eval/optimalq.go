package eval

import (
	"context"
	"encoding/binary"
	"math"
	"sync"

	"bayescpace/bcpace"
)

// OptimalQ returns the exact Q*(s, b, a) as a function of the belief b and the
// action a, at o.State or, without one, over the model's start states. Each
// belief is solved for by Optimal when it is first asked for and remembered;
// o.Belief plays no part. Where Optimal has an error (too many nodes, or ctx
// cancelled), and for what is not a belief or no action, the function returns NaN.
// It may be called from several goroutines.
//
// The error is Optimal's at the prior, so that a model for which there are no
// exact values is refused at once.
func OptimalQ(ctx context.Context, m bcpace.Model, o ExactOptions) (func(b bcpace.Belief, action int) float64, error) {
	o.Belief = nil
	if _, err := Optimal(ctx, m, o); err != nil {
		return nil, err
	}
	var known sync.Map // of []float64, Q by action, under the bits of the belief
	return func(b bcpace.Belief, action int) float64 {
		key := make([]byte, 0, 8*len(b))
		for _, p := range b {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(p))
		}
		q, ok := known.Load(string(key))
		if !ok {
			at := o
			at.Belief = append(bcpace.Belief{}, b...) // never nil, which would be the prior
			e, err := Optimal(ctx, m, at)
			if err != nil {
				return math.NaN()
			}
			q, _ = known.LoadOrStore(string(key), e.Q)
		}
		if values := q.([]float64); action >= 0 && action < len(values) {
			return values[action]
		}
		return math.NaN()
	}, nil
}
