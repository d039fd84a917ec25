package runs

import (
	"context"
	"time"
)

// LookAhead is the share of the time before a deadline that explorers leave for what comes
// after the exploration: the choice of a policy and the certificate.
const LookAhead = 0.2

// LeaveTime returns a context that ends when the given share of the time to the deadline of
// ctx is left, and ctx itself if it has none. It is for authors of explorers.
func LeaveTime(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, end.Add(-time.Duration(share*float64(time.Until(end)))))
}

// grace is how long an update goes on after the deadline. It ends as planned where that is soon, so that a run that is resumed is
// the one that was not cut; in a model with many successors it may take many seconds.
const grace = 500 * time.Millisecond

// Late reports whether the deadline of ctx has passed so long ago that what is under way ends where it is.
func Late(ctx context.Context) bool {
	end, timed := ctx.Deadline()
	return timed && time.Since(end) > grace
}
