package certified

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
)

// savedRounds returns the number of rounds of a run after which its state was saved,
// and the number of samples at that moment: 0, 0 without a state.
func savedRounds(r *runs.Run) (rounds, samples int) {
	state := r.State()
	if len(state) < 4 {
		return 0, 0
	}
	rounds = int(int32(binary.LittleEndian.Uint32(state)))
	if rounds < 0 || rounds > len(r.Trace) {
		return 0, 0
	}
	for _, row := range r.Trace[:rounds] {
		if row.Added < 0 || row.Added > r.Samples.Len()-samples {
			return 0, 0
		}
		samples += row.Added
	}
	return rounds, samples
}

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
	cut := run.Stop == bcpace.StopInterrupted || run.Stop == bcpace.StopDeadline
	if n := len(run.Trace); cut && (n < whole || n == whole && run.Certificate.Gap() >= r.Certificate.Gap()) {
		return r.Ended(ctx), nil
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

// fitsLimits reports whether an exploration with the limits of plan would play all of
// the first rounds of r.
func fitsLimits(r *runs.Run, rounds int, plan runs.Plan) bool {
	before, samples := 0, 0
	for _, row := range r.Trace[:rounds] {
		before, samples = samples, samples+row.Added
	}
	return (plan.MaxEpisodes == 0 || rounds <= plan.MaxEpisodes) && (plan.MaxSamples == 0 || samples <= plan.MaxSamples && (rounds == 0 || before < plan.MaxSamples))
}

// resumeAt enters the first rounds of r into the run of x. value and gap, which the
// restored bounds have at the start, must be those of the last of these rounds.
func (x *searchBase) resumeAt(ctx context.Context, r *runs.Run, rounds, samples int, stop int32, value, gap float64) error {
	if stop < 0 || int(stop) >= len(stopReasons) {
		return fmt.Errorf("%w: its state names stop reason %d, which does not exist", bcpace.ErrFormat, stop)
	}
	if rounds == 0 {
		return nil // an exploration has one round at least
	}
	if last := r.Trace[rounds-1]; last.Value != value || last.Gap != gap {
		return runs.Contradicted("after %d episodes its state has the value %v with the gap %v, and its trace has %v with %v", rounds, value, gap, last.Value, last.Gap)
	}
	x.run.Trace, x.run.Value = slices.Clone(r.Trace[:rounds]), value
	for _, row := range x.run.Trace {
		x.run.Steps += row.Steps
	}
	if x.run.Stop = x.plan.Spent(ctx, rounds, samples); stop > 0 {
		x.run.Stop = stopReasons[stop]
	}
	return nil
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
