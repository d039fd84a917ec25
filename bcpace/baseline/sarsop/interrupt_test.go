package sarsop_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/bcpace/stop"
)

// endedAt is a context that has ended from the n-th look on.
type endedAt struct {
	context.Context
	left atomic.Int64
}

func (c *endedAt) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterruptedSetUp: at whatever look the context ends, bounds of a model with many
// visible values hold, or nothing is known yet, and there is no further work to
// speak of: of the looks that are due in a whole set-up, few follow.
//
//test:race
func TestInterruptedSetUp(t *testing.T) {
	const steps = 6_000
	m := pomdptest.Tiger()
	m.Discount, m.Horizon = 1, steps
	setUp, bounded := 0, 0
	for n := int64(0); n < 40; n += 5 {
		ctx := &endedAt{Context: context.Background()}
		ctx.left.Store(n)
		r, err := within(ctx, m, sarsop.Solver{}, bcpace.Control{Workers: 1})
		switch left := ctx.left.Load(); {
		case left < -12:
			t.Errorf("ended at look %d: %d looks after that", n, -left)
		case err != nil:
			t.Fatal(err)
		case r.InSetUp:
			setUp++
		case r.Stop != stop.Interrupted || !(r.Lower <= -steps && r.Upper >= 0):
			t.Errorf("ended at look %d: %s, bounds [%v, %v]", n, r.Stop, r.Lower, r.Upper)
		default:
			bounded++
		}
	}
	if setUp == 0 || bounded == 0 {
		t.Errorf("%d calls ended in the set-up, %d found bounds", setUp, bounded)
	}
}

// overdue is a context whose deadline passes at the n-th look.
type overdue struct{ endedAt }

func (c *overdue) Err() error {
	if c.endedAt.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}

// TestOverdue: where the time is up before the policy has few vectors, it has more, and
// earns the lower bound all the same.
//
//test:race
func TestOverdue(t *testing.T) {
	m, err := pomdpfile.ReadFile(t.Context(), "../../../data/chain.pomdp")
	if err != nil {
		t.Fatal(err)
	}
	m.Discount = .99
	ctx := &overdue{endedAt{Context: context.Background()}}
	ctx.left.Store(20_000)
	r, err := within(ctx, m, sarsop.Solver{}, bcpace.Control{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	inTime := solve(t, m, sarsop.Solver{Epsilon: 1e-3})
	if n, few := len(r.Policy.Vectors[0]), len(inTime.Policy.Vectors[0]); r.Stop != stop.Deadline || n < 10*few {
		t.Errorf("%s: %d vectors, want many more than the %d of a search in time", r.Stop, n, few)
	}
	b := make([]float64, m.NumHidden())
	if m.StartBelief(b, 0); r.Policy.Value(0, b) < r.Lower {
		t.Errorf("the vectors are worth %v at the start, the lower bound is %v", r.Policy.Value(0, b), r.Lower)
	}
	sarsop.CheckClosed(t, "chain", m, r.Policy, rand.New(rand.NewPCG(1, 2)))
}
