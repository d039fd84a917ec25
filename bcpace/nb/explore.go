package nb

import (
	"context"
	"fmt"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/store"
)

// Explore runs runs.Explore with what a notebook needs around it: a progress
// display, Kernel > Interrupt, and a store on disk, from which every later
// cell (and every later session) gets the same run back in milliseconds as
// long as model, solver and code are the same. A run with a Controller is not kept.
//
// An interrupted exploration returns the run so far, and says so in the cell. It
// continues from its last checkpoint when the cell is executed again, also after the
// kernel or the machine has died, to the run that it would have made in one piece,
// see store.Memo. An error ends the cell with one line.
func Explore(m bcpace.Model, s runs.Explorer) *runs.Run {
	return interruptible(func(ctx context.Context, out *output) (*runs.Run, error) {
		return explore(ctx, out, m, s, bcpace.Control{})
	})
}

func explore(ctx context.Context, out *output, m bcpace.Model, s runs.Explorer, c bcpace.Control) (*runs.Run, error) {
	plan, err := s.Plan(m)
	if err != nil {
		return nil, err
	}
	progress := startProgress("exploring "+m.Spec().Name, "preparing", out)
	c.Progress = watch(progress, plan, c.Progress)
	run, origin, err := store.Memo(ctx, m, s, c)
	progress.Close()
	if run == nil {
		return nil, err
	}
	if err != nil {
		out.show(message{plain: fmt.Sprintf("%s\nThis is the run so far, %s and %s. Mend the model, and explore again.",
			clean(err.Error()), numtext.Several(len(run.Trace), "episode"), numtext.Several(run.Samples.Len(), "sample"))})
	}
	if notes := notes(run, origin); notes != "" {
		out.show(message{plain: notes})
	}
	return run, nil
}

// notes are what the reader of the cell must know about where a run is from. That
// it continued from a checkpoint is no such thing: it is the same run, and whether
// there was one depends on the clock.
func notes(run *runs.Run, origin store.Origin) string {
	var lines []string
	line := func(s string) { lines = append(lines, s) }
	if origin.Damaged != nil {
		line("set aside: " + clean(origin.Damaged.Error()))
	}
	switch {
	case run.InSetUp():
		line(fmt.Sprintf("%s: the set-up has not ended, and in the place of a policy is %s; execute the cell again to explore in full", run.Stop, run.StandIn()))
	case run.Stop.ByContext():
		again := "explore in full"
		if origin.Kept > 0 {
			again = "go on from " + numtext.Several(origin.Kept, "episode")
		}
		line(fmt.Sprintf("%s: this is the run so far, %s and %s; execute the cell again to %s",
			run.Stop, numtext.Several(len(run.Trace), "episode"), numtext.Several(run.Samples.Len(), "sample"), again))
	}
	if origin.Unsaved != nil {
		line("not stored, later cells will explore again: " + clean(origin.Unsaved.Error()))
	}
	return strings.Join(lines, "\n")
}
