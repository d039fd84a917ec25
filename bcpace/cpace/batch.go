package cpace

import (
	"context"
	"fmt"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
)

// Batch is a batch of rollouts (Solver.Batch) for Solver.Rollouts to have played:
// Episodes of them, from number First on, all with the greedy policy of one estimate. A
// BatchWorker plays any part of it, in this process or on another machine.
type Batch struct {
	// Setup is what NewBatchWorker needs: the model's name and parameters, the options and
	// the latent values. It is the same for all batches of an exploration.
	Setup []byte
	// Estimate is what BatchWorker.Play needs: where the samples are, and their values Q̃.
	Estimate []byte
	// First is the number of the first episode, and Episodes is how many there are.
	First, Episodes int

	take func(rollouts []byte, first, n int) error // keeps what Play has returned for them
}

// Played takes what BatchWorker.Play has returned for n episodes from number first on. The
// parts of a batch may come in any order. Bytes that cannot be what Play returns for them
// are refused with an *InputError that says what is wrong, and leave the batch as it was.
// Played is for one goroutine at a time.
func (b *Batch) Played(first, n int, rollouts []byte) error {
	if from := first - b.First; first < b.First || n < 1 || n > b.Episodes || from > b.Episodes-n {
		return bcpace.In("rollouts").Bad("the part of the batch", fmt.Sprintf("%d episodes from number %d on", n, first), fmt.Sprintf("some of the %d from number %d on", b.Episodes, b.First))
	}
	return b.take(rollouts, first, n)
}

// playElsewhere has Solver.Rollouts play n episodes from number first on. What it returns
// is what rollouts returns.
func (ex *explorer) playElsewhere(ctx context.Context, first, n int) ([]rollout, error) {
	if ex.setup == nil {
		var err error
		if ex.setup, err = ex.batchSetup(); err != nil {
			return nil, err
		}
	}
	reader, rolls := rolloutReader{spec: ex.est.spec, horizon: ex.set.Horizon}, make([]rollout, n)
	b := &Batch{Setup: ex.setup, Estimate: ex.est.appendEstimate(nil), First: first, Episodes: n, take: func(data []byte, from, n int) error {
		part, err := reader.read(data, from, n)
		if err == nil {
			copy(rolls[from-first:], part)
		}
		return err
	}}
	if err := ex.set.Rollouts(ctx, b); err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("playing episodes %d to %d: %w", first, first+n-1, err)
	}
	for i, r := range rolls {
		switch {
		case r.fault != "":
			if err := ex.repeatFault(ctx, first+i, r.fault); err != nil {
				return nil, err
			}
			return rolls[:i], nil
		case r.played:
		case ctx.Err() != nil: // the rollouts before this one are whole
			return rolls[:i], nil
		default:
			return nil, bcpace.In("options").Bad("Rollouts", fmt.Sprintf("a function that has left out episode %d", first+i), fmt.Sprintf("one that calls Batch.Played for all from %d to %d, or returns an error", first, first+n-1))
		}
	}
	return rolls, nil
}

// repeatFault plays an episode that has failed elsewhere, to return the model's error. It
// is an error, too, if the episode does not fail here. Without an error, ctx has ended.
func (ex *explorer) repeatFault(ctx context.Context, episode int, fault string) error {
	_, whole, err := ex.workers[0].play(ctx, episode, func(*runs.Episode, runs.Sample) {})
	if err == nil && whole {
		err = bcpace.In(fmt.Sprintf("episode %d", episode)).Bad("the model", "one that fails where the rollouts are played, with "+strconv.Quote(fault)+", and does not fail here", "a model that does the same everywhere")
	}
	return err
}
