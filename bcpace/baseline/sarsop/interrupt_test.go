package sarsop_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
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
// visible values hold, or the error is the context's, and there is no further work to
// speak of: of the looks that are due in a whole set-up, few follow.
func TestInterruptedSetUp(t *testing.T) {
	m := *pomdptest.Tiger()
	m.Discount = 1
	const steps = 6_000
	clock, err := pomdp.FiniteHorizon(&m, steps)
	if err != nil {
		t.Fatal(err)
	}
	failed, found := 0, 0
	for n := int64(0); n < 40; n += 5 {
		ctx := &endedAt{Context: context.Background()}
		ctx.left.Store(n)
		r, err := sarsop.Solve(ctx, clock, sarsop.Options{Workers: 1})
		switch left := ctx.left.Load(); {
		case left < -12:
			t.Errorf("ended at look %d: %d looks after that", n, -left)
		case errors.Is(err, context.Canceled):
			failed++
		case err != nil:
			t.Fatal(err)
		case r.Stop != sarsop.StopCancelled || !(r.Lower <= -steps && r.Upper >= 0):
			t.Errorf("ended at look %d: %s, bounds [%v, %v]", n, r.Stop, r.Lower, r.Upper)
		default:
			found++
		}
	}
	if failed == 0 || found == 0 {
		t.Errorf("%d calls failed, %d found bounds", failed, found)
	}
}
