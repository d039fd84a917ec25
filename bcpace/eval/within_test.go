package eval_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/online/pomcp"
	"bayescpace/envs"
)

// TestRecordWithin: an episode that is cut in the middle of a decision keeps its steps.
//
//test:race
func TestRecordWithin(t *testing.T) {
	m := envs.Tiger{}
	found, _ := plannertest.Solve(t, pomcp.Solver{Budget: bcpace.Budget{Time: 20 * time.Millisecond}}, m)
	ctx, cancel := context.WithTimeout(t.Context(), 110*time.Millisecond)
	defer cancel()
	x, err := eval.RecordWithin(ctx, m, found.Policy, eval.Options{Horizon: 10_000, Seed: 1}, 0)
	if !errors.Is(err, context.DeadlineExceeded) || x == nil {
		t.Fatalf("%v, %v: want steps and the error of the context", x, err)
	}
	if n := x.Len(); n == 0 || n > 1000 || len(x.States) != n+1 || len(x.Beliefs) != 2*(n+1) || len(x.Rewards) != n || x.Done {
		t.Errorf("%d steps, %d states and %d rewards, done %v: want those until the context ended", n, len(x.States), len(x.Rewards), x.Done)
	}
	whole, err := eval.RecordWithin(t.Context(), m, bcpace.RandomPolicy(m), eval.Options{Horizon: 20, Seed: 1}, 3)
	same, err2 := eval.RecordEpisode(m, bcpace.RandomPolicy(m), eval.Options{Horizon: 20, Seed: 1}, 3)
	if err != nil || err2 != nil || whole.Return != same.Return || whole.Len() != 20 {
		t.Errorf("%+v and %+v, errors %v and %v: want the same episode", whole, same, err, err2)
	}
}
