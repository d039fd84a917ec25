package nb

import (
	"bayescpace/bcpace/numtext"
	"context"
	"errors"
	"fmt"
	"time"
)

// Sweeper is many trials, as a sweep.Spec or a sweep.On is: Run calls progress while it runs,
// and keeps what it has when ctx ends, so that the next Run goes on.
type Sweeper[R any, P Tally] interface {
	Run(ctx context.Context, progress func(P)) (R, error)
}

// Tally is how far many trials have come: the numbers of those that are done, running, failed
// (of those done) and all, and the time left, negative where it is not known.
type Tally interface {
	Tally() (done, running, failed, total int, left time.Duration)
}

// Sweep runs a sweep with what a notebook needs around it: a display of how many trials are
// done, run and have failed, and the time left; and Kernel > Interrupt, which returns the
// results so far. The next execution of the cell goes on from there, and computes nothing
// again:
//
//	results := nb.Sweep(sweep.Spec{…})
//
// A trial that fails is a row with its error. An error of the sweep itself, such as a
// parameter that there is not, ends the cell with one line.
func Sweep[R any, P Tally](s Sweeper[R, P]) R {
	return interruptible(func(ctx context.Context, out *output) (R, error) { return runSweep(ctx, out, s) })
}

func runSweep[R any, P Tally](ctx context.Context, out *output, s Sweeper[R, P]) (R, error) {
	progress := startProgress("trials", "preparing", out)
	done, total := 0, 0
	results, err := s.Run(ctx, func(p P) {
		done, _, _, total, _ = p.Tally()
		if progress.due() {
			progress.update(tallyOf(p))
		}
	})
	progress.Close()
	if errors.Is(err, context.Canceled) && total > 0 {
		out.show(message{plain: fmt.Sprintf("interrupted: these are the results of %s of %d; execute the cell again to go on", numtext.Several(done, "trial"), total)})
		return results, nil
	}
	return results, err
}

// tallyOf returns the share that is done, and how things stand in words.
func tallyOf(p Tally) (share float64, status string) {
	done, running, failed, total, left := p.Tally()
	status = fmt.Sprintf("%s of %s done, %d running, %d failed", Count(done), Count(total), running, failed)
	if left >= 0 {
		status += ", " + left.Round(time.Second).String() + " left"
	}
	if total == 0 {
		return -1, status
	}
	return float64(done) / float64(total), status
}
