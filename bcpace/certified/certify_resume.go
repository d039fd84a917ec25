package certified

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"bayescpace/bcpace"
)

// restorable returns the number of rounds of a run after which its
// state is, and the number of samples that there were: 0, 0 without a state.
func restorable(r *bcpace.Run) (rounds, samples int) {
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

// Resume implements bcpace.Explorer. A run has its state with it wherever it ended; of
// one that was cut off within a batch of trials, or ran into MaxSamples in the middle of
// a round, the last round is played again. Files of runs have the state too, unless the
// run had ended by itself, so that nothing goes on from there. Where it is missing, and
// where r has overspent a budget, the exploration is made anew.
func (s Solver) Resume(ctx context.Context, r *bcpace.Run, c bcpace.Control) (*bcpace.Run, error) {
	if err := bcpace.CheckResume(r, s); err != nil {
		return nil, err
	}
	plan, err := s.Plan(r.Model())
	if err != nil {
		return nil, err
	}
	whole, _ := restorable(r)
	x, err := s.again(r, plan, c)
	if err != nil {
		return nil, err
	}
	if len(r.State()) > 0 && within(r, whole, plan) {
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
	if (run.Stop == bcpace.StopInterrupted || run.Stop == bcpace.StopDeadline) && len(run.Trace) <= whole {
		return r.Ended(ctx), nil
	}
	return run, nil
}

// again begins the search of r anew, with its first bounds.
func (s Solver) again(r *bcpace.Run, plan bcpace.Plan, c bcpace.Control) (resumable, error) {
	if e, ok := r.Values().(*continuum); ok {
		return newSurveyor(e.empty(), s, plan, c)
	}
	return newCertifier(r.Model(), r.Values().(*envelope).empty(), s, plan, c)
}

// verifyState checks what Resume would go on from.
func verifyState(ctx context.Context, r *bcpace.Run) error {
	s := r.Solver.(Solver)
	plan, err := s.Plan(r.Model())
	if err != nil {
		return err
	}
	x, err := s.again(r, plan, bcpace.Control{})
	if err != nil {
		return err
	}
	return x.restore(ctx, r)
}

// within says whether an exploration with other limits goes through that many
// rounds of r too, and no further than it must.
func within(r *bcpace.Run, rounds int, plan bcpace.Plan) bool {
	before, samples := 0, 0
	for _, row := range r.Trace[:rounds] {
		before, samples = samples, samples+row.Added
	}
	return (plan.MaxEpisodes == 0 || rounds <= plan.MaxEpisodes) && (plan.MaxSamples == 0 || samples <= plan.MaxSamples && (rounds == 0 || before < plan.MaxSamples))
}

// resumed enters the rounds of r into the run, whose value and gap at the start
// must be those of the last one.
func (x *search) resumed(ctx context.Context, r *bcpace.Run, rounds, samples int, stop int32, value, gap float64) error {
	if stop < 0 || int(stop) >= len(ends) {
		return fmt.Errorf("%w: its state has reason %d to stop", bcpace.ErrFormat, stop)
	}
	if rounds == 0 {
		return nil // an exploration has one round at least
	}
	if last := r.Trace[rounds-1]; last.Value != value || last.Gap != gap {
		return bcpace.Contradicted("the value after %d episodes is %v with a gap of %v, and was %v with %v", rounds, value, gap, last.Value, last.Gap)
	}
	x.run.Trace, x.run.Value = slices.Clone(r.Trace[:rounds]), value
	for _, row := range x.run.Trace {
		x.run.Steps += row.Steps
	}
	if x.run.Stop = x.plan.Spent(ctx, rounds, samples); stop > 0 {
		x.run.Stop = ends[stop]
	}
	return nil
}

// empty returns an envelope with the first bounds of e and nothing else.
func (e *envelope) empty() *envelope {
	return newEnvelope(e.model, e.Transitions, e.latent, func(s, a int) []float64 {
		return e.value[(a*e.States+s)*e.Latents:][:e.Latents]
	}, e.outset)
}

// empty returns a continuum with the first bounds of e and nothing else.
func (e *continuum) empty() *continuum {
	return newContinuum(e.model, e.continuousTables, e.lip, e.epsilon)
}
