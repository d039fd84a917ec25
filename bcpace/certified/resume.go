package certified

import (
	"cmp"
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
)

// Resume implements runs.Explorer. A run holds the state of its search, and so does a
// run file, unless the run had reached its ε or could not move any bound. If a limit cut
// the last round short, Resume plays that round again. Without the state, or if r has
// spent more than the new limits allow, Resume explores from the beginning.
func (s Solver) Resume(ctx context.Context, r *runs.Run, c bcpace.Control) (*runs.Run, error) {
	if err := runs.CheckResume(r, s); err != nil {
		return nil, err
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	plan, err := s.Plan(r.Model())
	if err != nil {
		return nil, err
	}
	if r.InSetUp() {
		return s.explore(ctx, r.Model(), c)
	}
	whole, _ := savedRounds(r)
	x, err := s.restart(r, plan, c)
	if err != nil {
		return nil, err
	}
	if len(r.State()) > 0 && fitsLimits(r, whole, plan) {
		if err := x.restore(ctx, r); err != nil && ctx.Err() != nil {
			return r.Ended(ctx), nil
		} else if err != nil {
			return nil, err
		}
	}
	run, err := x.explore(ctx)
	if err != nil {
		return nil, err
	}
	cut := run.Stop == stop.Interrupted || run.Stop == stop.Deadline
	if n := len(run.Trace); cut && (n < whole || n == whole && run.Certificate.Gap() >= r.Certificate.Gap()) {
		ended := r.Ended(ctx)
		ended.Stop = cmp.Or(ended.Stop, run.Stop)
		return ended, nil
	}
	return run, nil
}

// restart returns a search with the initial bounds of r and no samples.
func (s Solver) restart(r *runs.Run, plan runs.Plan, c bcpace.Control) (search, error) {
	if bounds, ok := r.Values().(*continuousBounds); ok {
		return newContinuousSearch(bounds.withoutSamples(), s, plan, c)
	}
	return newFiniteSearch(r.Model(), r.Values().(*finiteBounds).withoutSamples(), s, plan, c)
}

// withoutSamples returns the bounds of e before the first sample.
func (e *finiteBounds) withoutSamples() *finiteBounds {
	return newFiniteBounds(e.model, e.Transitions, e.latent, func(s, a int) []float64 {
		return e.value[(a*e.States+s)*e.Latents:][:e.Latents]
	}, e.initialBounds)
}

// withoutSamples returns the bounds of e before the first sample.
func (e *continuousBounds) withoutSamples() *continuousBounds {
	return newContinuousBounds(e.model, e.continuousTables, e.lip, e.epsilon)
}
