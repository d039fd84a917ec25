package pomdp

import (
	"context"
	"errors"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Unfinished is runs.Unfinished for a POMDP of which nothing is known yet: the policy
// always takes the first action, and the bounds are those of the rewards.
func Unfinished(ctx context.Context, err error, m *Model, s Solver) (*Solution, error) {
	if ended := ctx.Err(); ended == nil || !errors.Is(err, ended) {
		return nil, err
	}
	c := solverkit.RangeCertificate(m.Spec())
	return &Solution{Solver: s, Model: m, Policy: PolicyFunc(func(int, []float64) int { return 0 }), Value: math.NaN(), Certificate: c,
		Trace: []bcpace.Progress{{Value: c.Upper, Gap: c.Gap()}}, Stop: stop.Of(ctx), InSetUp: true}, nil
}
