package bcpace

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
)

// restorable returns the number of rounds of a certified run after which its
// state is, and the number of samples that there were: 0, 0 without a state.
func (r *Run) restorable() (rounds, samples int) {
	if len(r.settled) < 4 {
		return 0, 0
	}
	rounds = int(int32(binary.LittleEndian.Uint32(r.settled)))
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

// search is Resume for the certified algorithm.
func (r *Run) search(ctx context.Context, opts Options, set settings) (*Run, error) {
	whole := r.wholeEpisodes()
	x, err := r.newSearch(opts, set)
	if err != nil {
		return nil, err
	}
	if len(r.settled) > 0 && r.within(whole, set) {
		if err := x.restore(ctx, r); err != nil && ctx.Err() != nil {
			return r.soFar(ctx, set), nil
		} else if err != nil {
			return nil, err
		}
	}
	run, err := x.explore(ctx)
	if err != nil {
		return nil, err
	}
	if (run.Stop == StopInterrupted || run.Stop == StopDeadline) && len(run.Trace) <= whole {
		return r.soFar(ctx, set), nil
	}
	return run, nil
}

// resumable is a search that can be brought to where another one was.
type resumable interface {
	explore(context.Context) (*Run, error)
	restore(context.Context, *Run) error
}

// newSearch begins the search of r anew, with its first bounds.
func (r *Run) newSearch(opts Options, set settings) (resumable, error) {
	if e, ok := r.values.(*continuum); ok {
		return newSurveyor(e.empty(), opts, set)
	}
	return newCertifier(r.model, r.values.(*envelope).empty(), opts, set)
}

// within says whether an exploration with other limits goes through that many
// rounds of r too, and no further than it must.
func (r *Run) within(rounds int, set settings) bool {
	before, samples := 0, 0
	for _, row := range r.Trace[:rounds] {
		before, samples = samples, samples+row.Added
	}
	return (set.MaxEpisodes == 0 || rounds <= set.MaxEpisodes) && (set.MaxSamples == 0 || samples <= set.MaxSamples && (rounds == 0 || before < set.MaxSamples))
}

// resumed enters the rounds of r into the run, whose value and gap at the start
// must be those of the last one.
func (x *search) resumed(ctx context.Context, r *Run, rounds, samples int, stop int32, value, gap float64) error {
	if stop < 0 || int(stop) >= len(ends) {
		return fmt.Errorf("%w: its state has reason %d to stop", ErrFormat, stop)
	}
	if rounds == 0 {
		return nil // an exploration has one round at least
	}
	if last := r.Trace[rounds-1]; last.Value != value || last.Gap != gap {
		return contradicted("the value after %d episodes is %v with a gap of %v, and was %v with %v", rounds, value, gap, last.Value, last.Gap)
	}
	x.run.Trace, x.run.Value = slices.Clone(r.Trace[:rounds]), value
	for _, row := range x.run.Trace {
		x.run.Steps += row.Steps
	}
	if x.run.Stop = x.set.spent(ctx, rounds, samples); stop > 0 {
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
