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

	reader rolloutReader
	rolls  []rollout
}

// Played takes what BatchWorker.Play has returned for n episodes from number first on. The
// parts of a batch may come in any order. Bytes that cannot be what Play returns for them
// are refused with an *InputError that says what is wrong, and leave the batch as it was.
// Played is for one goroutine at a time.
func (b *Batch) Played(first, n int, rollouts []byte) error {
	if from := first - b.First; first < b.First || n < 1 || n > b.Episodes || from > b.Episodes-n {
		return &bcpace.InputError{Where: "rollouts", What: "the part of the batch", Got: fmt.Sprintf("%d episodes from number %d on", n, first),
			Want: fmt.Sprintf("some of the %d from number %d on", b.Episodes, b.First)}
	}
	rolls, err := b.reader.read(rollouts, first, n)
	if err == nil {
		copy(b.rolls[first-b.First:], rolls)
	}
	return err
}

// checkRollouts returns an *InputError for Rollouts beside options that contradict them.
func (o Solver) checkRollouts() error {
	bad := func(what string, got any, want string) error {
		return &bcpace.InputError{Where: "options", What: what, Got: fmt.Sprint(got), Want: want}
	}
	switch {
	case o.Rollouts != nil && o.Batch < 2:
		return bad("Batch", o.Batch, "at least 2 beside Rollouts: only the rollouts of one batch are played side by side")
	case o.Rollouts != nil && o.Latent != nil:
		return bad("Latent", "latent values", "none beside Rollouts, as another program cannot have them: a model that is a LatentValues itself brings its own")
	}
	return nil
}

// playElsewhere has Solver.Rollouts play n episodes from number first on. What it returns
// is what rollouts returns.
func (x *explorer) playElsewhere(ctx context.Context, first, n int) ([]rollout, error) {
	if x.setup == nil {
		var err error
		if x.setup, err = x.batchSetup(); err != nil {
			return nil, err
		}
	}
	b := &Batch{Setup: x.setup, Estimate: x.est.appendEstimate(nil), First: first, Episodes: n,
		reader: rolloutReader{spec: x.est.spec, horizon: x.set.Horizon}, rolls: make([]rollout, n)}
	if err := x.set.Rollouts(ctx, b); err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("playing episodes %d to %d: %w", first, first+n-1, err)
	}
	for i, r := range b.rolls {
		switch {
		case r.fault != "":
			if err := x.repeatFault(ctx, first+i, r.fault); err != nil {
				return nil, err
			}
			return b.rolls[:i], nil
		case r.played:
		case ctx.Err() != nil: // the rollouts before this one are whole
			return b.rolls[:i], nil
		default:
			return nil, &bcpace.InputError{Where: "options", What: "Rollouts", Got: fmt.Sprintf("a function that has left out episode %d", first+i),
				Want: fmt.Sprintf("one that calls Batch.Played for all from %d to %d, or returns an error", first, first+n-1)}
		}
	}
	return b.rolls, nil
}

// repeatFault plays an episode that has failed elsewhere, to return the model's error. It
// is an error, too, if the episode does not fail here. Without an error, ctx has ended.
func (x *explorer) repeatFault(ctx context.Context, episode int, fault string) error {
	_, whole, err := x.workers[0].play(ctx, episode, func(*runs.Episode, runs.Sample) {})
	if err == nil && whole {
		err = &bcpace.InputError{Where: fmt.Sprintf("episode %d", episode), What: "the model", Got: "one that fails where the rollouts are played, with " + strconv.Quote(fault) + ", and does not fail here",
			Want: "a model that does the same everywhere"}
	}
	return err
}
