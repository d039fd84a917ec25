package runs

import (
	"context"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// LookAhead is the share of the time before a deadline that explorers leave for what comes
// after the exploration: the choice of a policy and the certificate.
const LookAhead = 0.2

// Shares of what is left then, in order.
const (
	// AfterGrid takes the place of LookAhead in a search with a list of actions in the place of a Box.
	AfterGrid = 0.6
	// AfterProof is what a search leaves after a policy by proof, and GridShare what a policy on a grid takes.
	AfterProof, GridShare = 0.6, 0.5

	choiceShare = 0.5 // of the choice of a policy
	playedShare = 0.5 // of the certificate's simulated episodes, where its upper bound takes time too
)

// AfterSearch returns the share of the time before a deadline that a search for bounds on a grid leaves for
// what comes after it, in a model with a list of actions in the place of a Box or without.
func AfterSearch(listed bool) float64 {
	if listed {
		return AfterGrid
	}
	return LookAhead
}

// SearchShares are the solverkit.Scheduled shares of a search for bounds. In a Finite model it has all of the time.
func SearchShares(m bcpace.Model) (list []solverkit.TimeShare) {
	if _, finite := bcpace.AsFinite(m); finite {
		return nil
	}
	add := func(what string, share float64) { list = append(list, solverkit.TimeShare{What: what, Share: share}) }
	can, spec := bcpace.AbilitiesOf(m), m.Spec()
	listed := spec.HasBox() || can.Behind != nil
	if add("tables and trials", 1-AfterSearch(listed)); can.Smoothness != nil {
		add("policy by proof", 1-AfterProof)
	}
	if listed {
		add("policy on a grid", GridShare)
	}
	add("choice of a policy", choiceShare)
	add("lower bound", playedShare)
	add("upper bound", 1)
	return list
}

// ExplorationShares are those of an exploration by episodes that returns a policy by a rule.
func ExplorationShares(rule PolicyRule) []solverkit.TimeShare {
	if rule == PolicyGreedy {
		return nil
	}
	return []solverkit.TimeShare{{What: "exploration", Share: 1 - LookAhead}, {What: "choice of a policy", Share: choiceShare}, {What: "certificate", Share: 1}}
}

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
