package certified

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/alpha"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/runs"
)

// CheckNodes compares the bounds that a run keeps at its nodes with
// those computed again from all samples and vectors.
func CheckNodes(r *runs.Run) error {
	e := r.Values().(*finiteBounds)
	for n := range int32(len(e.state)) {
		s, b := int(e.state[n]), e.beliefOf(n)
		for a := range e.Actions {
			if got, want := e.upperAt(n, a), e.upperQ(s*e.Actions+a, b); got != want {
				return fmt.Errorf("U at node %d, action %d is %v, want %v", n, a, got, want)
			}
		}
		if got, want := e.lowerAt(n), e.best[s].Value(b); got != want {
			return fmt.Errorf("L at node %d is %v, want %v", n, got, want)
		}
		if got := alpha.Dot(b, e.value[int(e.lowBy[n])*e.Latents:][:e.Latents]); got != e.low[n] {
			return fmt.Errorf("the vector of node %d is worth %v there, and not %v", n, got, e.low[n])
		}
	}
	return nil
}

// Classes returns how many states a run tells apart.
func Classes(r *runs.Run) int { return r.Values().(*finiteBounds).States }

// Bounds returns U(s,b), L(s,b) and the policy's action of a run on a
// model with continuous states.
func Bounds(r *runs.Run, s []float64, b bcpace.Belief) (upper, lower float64, action int) {
	return r.Values().(*continuousBounds).newQuery().bounds(s, b)
}

// SpoilShortfall makes the first sample promise more than it may.
func SpoilShortfall(r *runs.Run) {
	t := r.Values().(*continuousBounds).shortfallOf[r.Samples.Action[0]]
	t.raise(0, t.lo[0]+0.1)
}

// RaiseVector has the last α-vector of a run promise more.
func RaiseVector(r *runs.Run, by float64) {
	e := r.Values().(*finiteBounds)
	for i := range e.Latents {
		e.value[len(e.value)-1-i] += by
	}
}

// LowerState lowers the values of the samples in the state of a run.
func LowerState(state []byte, r *runs.Run, by float64) []byte {
	_, samples := savedRounds(r)
	for j := range samples {
		q := state[4*4+8*j:]
		binary.LittleEndian.PutUint64(q, math.Float64bits(math.Float64frombits(binary.LittleEndian.Uint64(q))-by))
	}
	return state
}

// GridUpper is the upper bound that a run on m would have from grids.
func GridUpper(ctx context.Context, m bcpace.Enumerator, epsilon float64) (float64, error) {
	latent, err := dp.SolveGrid(ctx, m, dp.GridOptions{})
	if err != nil {
		return 0, err
	}
	bounds, err := gridUpper(ctx, m, latent, epsilon/16)
	if len(bounds) == 0 {
		return math.Inf(1), err
	}
	return bounds[len(bounds)-1].upper, err
}

// StalledAt returns the number of rounds after which a search with that trace had stalled, 0
// if it had not.
func StalledAt(trace []runs.Episode) int {
	var s stall
	for n := range trace {
		if s.look(trace[:n+1]); s.found {
			return n + 1
		}
	}
	return 0
}

// GridPolicy returns the policy of a model on a grid.
func GridPolicy(ctx context.Context, m bcpace.Enumerator, s Solver) (bcpace.Policy, error) {
	t, err := solveContinuousTables(ctx, m, s, 0)
	if err != nil {
		return nil, err
	}
	v, err := solveGridValues(ctx, m, t)
	if err != nil {
		return nil, err
	}
	return newGridPolicy(m, v), nil
}
