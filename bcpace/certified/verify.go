package certified

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// Verify implements runs.Values. It adds the samples and vectors of r to new bounds in
// the order in which the search made them, so that the same beliefs share a node.
func (from *finiteBounds) Verify(ctx context.Context, r *runs.Run) (bcpace.Certificate, error) {
	f, _ := bcpace.AsFinite(r.Model())
	s := r.Solver.(Solver)
	plan, err := s.Plan(f)
	if err != nil {
		return bcpace.Certificate{}, err
	}
	e, _, err := solveFiniteBounds(ctx, f, s.begunWith(from.tib != nil))
	if err != nil {
		return bcpace.Certificate{}, err
	}
	x, err := newFiniteSearch(f, e, s, plan, bcpace.Control{})
	if err != nil {
		return bcpace.Certificate{}, err
	}
	if err := e.load(r.Samples, r.Samples.Len(), from.vectors, true); err != nil {
		return bcpace.Certificate{}, err
	}
	e.resetNodeBounds()
	upperShort, err := e.verifySamples(ctx)
	if err != nil {
		return bcpace.Certificate{}, err
	}
	lowerShort, err := e.verifyVectors()
	if err != nil {
		return bcpace.Certificate{}, err
	}
	if err := e.verifySuccessors(r.Samples); err != nil {
		return bcpace.Certificate{}, err
	}
	lower, upper := x.boundsAtStart()
	c, err := e.certificate(lower-lowerShort/e.Rate, upper+upperShort/e.Rate)
	if err != nil {
		return bcpace.Certificate{}, err
	}
	// If another kind of processor has made r, each of r and c has its own rounding.
	slack, in := 2*e.rounding()/e.Rate, bcpace.In("run")
	near := func(x, y, by float64) bool { return math.Abs(x-y) <= by }
	of, gap, atStarts := r.Certificate, r.Trace[len(r.Trace)-1].Gap, x.gapAtStarts()
	err = cmp.Or(
		in.Need(near(of.Lower, c.Lower, slack) && near(of.Upper, c.Upper, slack), "the certificate", fmt.Sprintf("[%v, %v]", of.Lower, of.Upper),
			fmt.Sprintf("what the samples support, [%v, %v]", c.Lower, c.Upper)),
		in.Need(near(r.Value, upper, slack), "the value at the start", r.Value, fmt.Sprintf("that of the samples, %v", upper)),
		in.Need(near(gap, upper-lower, 2*slack), "the gap after the last episode", gap, fmt.Sprintf("that of the samples, %v", upper-lower)),
		in.Need(r.Stop != stop.Certified || atStarts <= plan.Epsilon, "the reason to stop", string(r.Stop),
			fmt.Sprintf("another one, as a gap at Solver.Starts is %v, more than ε = %v", atStarts, plan.Epsilon)))
	if err != nil || len(r.SavedState()) == 0 {
		return c, err
	}
	return c, verifyState(ctx, r)
}

// Verify implements runs.Values. It checks, up to a tolerance for rounding, that the
// bounds of no sample are tighter than its backup: lo_j ≤ U0 − BU and hi_j ≥ U0 − BL,
// where U and L are the bounds that all samples support.
//
// This suffices, whatever made the samples. For let F be D⁻, and T the operator that
// carries U0 − B(U0 − F) from the samples. Then F ≤ TF. T is monotone, and a
// γ-contraction, as a carried bound moves no more than the one at its sample; and it
// maps any function below D to a function below D. So F ≤ T^∞F ≤ D, and likewise for D⁺.
func (e *continuousBounds) Verify(ctx context.Context, r *runs.Run) (bcpace.Certificate, error) {
	if _, _, err := e.verifySamples(ctx, r.Solver.(Solver).LipState); err != nil {
		return bcpace.Certificate{}, err
	}
	upper, err := solverkit.MeanAtStart(e.model, func(s []float64, b bcpace.Belief) float64 {
		u, _ := e.At(s, b)
		return u
	})
	if err != nil {
		return bcpace.Certificate{}, err
	}
	if !(math.Abs(upper-r.Value) <= e.tolerance()) {
		return bcpace.Certificate{}, runs.Claim("the value at the start", r.Value, "that of the samples, %v", upper)
	}
	if len(r.SavedState()) == 0 {
		return bcpace.Certificate{}, nil
	}
	return bcpace.Certificate{}, verifyState(ctx, r)
}

// verifyState checks the state from which Resume would continue.
func verifyState(ctx context.Context, r *runs.Run) error {
	s := r.Solver.(Solver)
	plan, err := s.Plan(r.Model())
	if err != nil {
		return err
	}
	x, err := s.restart(r, plan, bcpace.Control{})
	if err != nil {
		return err
	}
	return x.restore(ctx, r)
}

// Resume implements runs.Explorer. A run holds the state of its search, and so does a
// run file, unless the run had reached its ε or could not move any bound. If a limit cut
// the last round short, Resume plays that round again. Without the state, or if r has
// spent more than the new limits allow, Resume explores from the beginning.
func (s Solver) Resume(ctx context.Context, r *runs.Run, c bcpace.Control) (*runs.Run, error) {
	if err := cmp.Or(runs.CheckResume(r, s), c.Check()); err != nil {
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
