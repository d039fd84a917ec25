// Package rollout plays the episodes of an evaluation side by side. What an episode
// is, of a BAMDP or of a POMDP, is its callers' matter.
package rollout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// episodes is how many are played by default: they put the standard error at 3 % of
// a return's deviation.
const episodes = 1000

// Settle checks numbers of episodes, of steps and of workers, and sets the first
// and the last where they are 0. The error is a *bcpace.InputError.
func Settle(number, horizon, workers *int) error {
	if err := cmp.Or(
		bcpace.In(where).Need(*number >= 0, "Episodes", *number, fmt.Sprintf("a number of episodes, or 0 for %d", episodes)),
		solverkit.CheckHorizon(where, "Horizon", *horizon, "the default"),
		solverkit.CheckWorkers(where, "Workers", *workers, "episodes side by side")); err != nil {
		return err
	}
	*number = cmp.Or(*number, episodes)
	*workers = cmp.Or(*workers, runtime.GOMAXPROCS(0))
	return nil
}

// Within sets a horizon of 0 to that of the model, if it has one. The error is a
// *bcpace.InputError for a horizon beyond that of the model, which cuts episodes there.
func Within(horizon *int, model int) error {
	switch {
	case model == 0:
	case *horizon == 0:
		*horizon = model
	case *horizon > model:
		return Bad("Horizon", *horizon, fmt.Sprintf("%d steps at most, after which the model cuts every episode, or 0 for all of them", model))
	}
	return nil
}

const where = "evaluation options"

// Bad returns the error of an option of an evaluation.
func Bad(what string, got any, want string) error { return bcpace.In(where).Bad(what, got, want) }

// ErrDropped is what a Player returns for an episode that it has given up, as the
// context has ended.
var ErrDropped = errors.New("episode dropped")

// EndedBy reports whether err says that ctx has ended, as of a policy that takes long.
func EndedBy(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err())
}

// Player plays an episode. It is called by one goroutine.
type Player func(episode int) error

// InEpisode adds the number of an episode to the error of its player, unless that is nil or
// ErrDropped.
func InEpisode(episode int, err error) error {
	if err == nil || err == ErrDropped {
		return err
	}
	return fmt.Errorf("episode %d: %w", episode, err)
}

// Play plays episodes 0 … n−1, each by one of so many players, which work side by side. All of
// them are made before the first one plays. Where progress is not nil, it is called after every episode with the number of
// those done, from any goroutine but one at a time.
//
// It returns how many episodes from the first on were played to their end, and what
// stopped the next one: the error of its player as it is, or the context's.
func Play(ctx context.Context, n, workers int, player func() Player, progress func(done int)) (int, error) {
	players := make([]Player, min(workers, n))
	for w := range players {
		players[w] = player()
	}
	j := job{n: n, failed: make([]error, n), progress: progress}
	var wg sync.WaitGroup
	for _, play := range players {
		wg.Go(func() { j.work(ctx, play) })
	}
	wg.Wait()
	begun := min(int(j.next.Load()), n)
	for i, err := range j.failed[:begun] {
		switch {
		case err == ErrDropped:
			return i, ctx.Err()
		case err != nil:
			return i, err
		}
	}
	if begun < n {
		return begun, ctx.Err()
	}
	return n, nil
}

// Episodes is Play for episodes that are averaged: where the context ends, it returns Whole of those that have ended.
func Episodes(ctx context.Context, n, workers int, player func() Player, progress func(done int)) (int, error) {
	ended, err := Play(ctx, n, workers, player, progress)
	if err == nil || ctx.Err() == nil || err != ctx.Err() {
		return ended, err
	}
	return Whole(n, ended), err
}

// Whole returns how many of n episodes count where so many had ended as time was up. Those are too many of the short
// ones, and what an episode returns goes with its length. So it is one of a few numbers that were fixed before the first
// episode, whatever their lengths: n, or the largest of n/2, n/4, … that have ended, and 0 where fewer than Fewest have.
func Whole(n, ended int) int {
	whole := n
	for whole > ended {
		if whole /= 2; whole < Fewest(n) {
			return 0
		}
	}
	return whole
}

const (
	leastBatch = 8  // episodes, and
	leastPart  = 32 // of the episodes planned, or
	enough     = 64 // episodes
)

// Fewest returns the number of episodes, of n that are planned, before whose end nothing is said of their mean: the
// least of n, n/2, n/4, … that is 8 or more, and 64 or a thirty-second part of n or more; n where there is no other.
func Fewest(n int) int {
	fewest := n
	for fewest/2 >= max(leastBatch, min(n/leastPart, enough)) {
		fewest /= 2
	}
	return fewest
}

// job is a call of Play under way.
type job struct {
	n        int
	failed   []error // by episode
	progress func(done int)

	next  atomic.Int64 // the episode to be played next
	drain atomic.Bool  // an episode failed: begin no more
	mu    sync.Mutex   // guards done and calls of progress
	done  int
}

// work plays episodes until there are none left. They are handed out in order, so
// that all before a failed one are played to their end.
func (j *job) work(ctx context.Context, play Player) {
	for ctx.Err() == nil && !j.drain.Load() {
		i := int(j.next.Add(1)) - 1
		if i >= j.n {
			return
		}
		if j.failed[i] = play(i); j.failed[i] != nil {
			j.drain.Store(true)
			continue
		}
		if j.progress != nil {
			j.mu.Lock()
			j.done++
			j.progress(j.done)
			j.mu.Unlock()
		}
	}
}
