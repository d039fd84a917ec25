package nb

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/store"
)

// Explore runs bcpace.Explore with what a notebook needs around it: a progress
// display, Kernel > Interrupt, and a store on disk, from which every later
// cell (and every later session) gets the same run back in milliseconds as
// long as model, solver and code are the same.
//
// An interrupted exploration returns the run so far, and says so in the cell. It
// continues from its last checkpoint when the cell is executed again, also after the
// kernel or the machine has died, to the run that it would have made in one piece,
// see store.Memo. An error ends the cell with one line.
func Explore(m bcpace.Model, s bcpace.Explorer) *bcpace.Run {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := standard()
	run, err := explore(ctx, out, m, s, bcpace.Control{})
	Check(err)
	return run
}

func explore(ctx context.Context, out *output, m bcpace.Model, s bcpace.Explorer, c bcpace.Control) (*bcpace.Run, error) {
	plan, err := s.Plan(m)
	if err != nil {
		return nil, err
	}
	progress := newProgress("exploring "+m.Spec().Name, out, time.Now)
	own := c.Progress
	c.Progress = func(p bcpace.Progress) {
		if own != nil {
			own(p)
		}
		if !progress.due() {
			return // called up to a million times
		}
		progress.update(share(p, plan), status(p))
	}
	run, origin, err := store.Memo(ctx, m, s, c)
	progress.Close()
	if err != nil {
		return nil, err
	}
	if notes := notes(run, origin); notes != "" {
		out.show(message{plain: notes})
	}
	return run, nil
}

// status says in words how far a solver has come.
func status(p bcpace.Progress) string {
	done := plural(p.Episodes, "episode") + ", " + plural(p.Samples, "sample")
	switch {
	case p.Epsilon > 0:
		return fmt.Sprintf("%s, bounds %s apart, to become %s", done, formatFloat(p.Gap), formatFloat(p.Epsilon))
	case p.Patience == 0: // neither a search with an end nor an exploration
		return done
	}
	return fmt.Sprintf("%s, %s of the %s in a row without a new sample that end it, value %s",
		done, Count(p.Quiet), Count(p.Patience), formatFloat(p.Value))
}

// share is how far an exploration has come towards the nearest of its ends.
// Patience is an end that moves away with every new sample.
func share(p bcpace.Progress, plan bcpace.Plan) float64 {
	s := 0.0
	if p.Patience > 0 {
		s = float64(p.Quiet) / float64(p.Patience)
	}
	if plan.MaxEpisodes > 0 {
		s = max(s, float64(p.Episodes)/float64(plan.MaxEpisodes))
	}
	if plan.MaxSamples > 0 {
		s = max(s, float64(p.Samples)/float64(plan.MaxSamples))
	}
	return min(s, 1)
}

// notes are what the reader of the cell must know about where a run is from. That
// it continued from a checkpoint is no such thing: it is the same run, and whether
// there was one depends on the clock.
func notes(run *bcpace.Run, origin store.Origin) string {
	text := ""
	line := func(s string) {
		if text != "" {
			text += "\n"
		}
		text += s
	}
	if origin.Damaged != nil {
		line("set aside: " + clean(origin.Damaged.Error()))
	}
	if interrupted(run.Stop) {
		again := "explore in full"
		if origin.Kept > 0 {
			again = "go on from " + plural(origin.Kept, "episode")
		}
		line(fmt.Sprintf("%s: this is the run so far, %s and %s; execute the cell again to %s",
			run.Stop, plural(len(run.Trace), "episode"), plural(run.Samples.Len(), "sample"), again))
	}
	if origin.Unsaved != nil {
		line("not stored, later cells will explore again: " + clean(origin.Unsaved.Error()))
	}
	return text
}
