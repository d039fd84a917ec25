package nb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
)

// Must returns v, or ends the cell with err on one line.
//
//	q := nb.Must(dp.SolveLatent(nb.Context(), tiger))
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Check ends the cell where err is not nil, with the error on one line. Where that is
// of a variable that a cell declares, a second line says how to be rid of it.
func Check(err error) {
	if err == nil {
		return
	}
	standard().fail(os.Stderr, err)
	if declaring() {
		fmt.Fprintln(os.Stderr, "Every cell computes the variables that are declared: declare this one anew, or take it away with %rm and its name.")
	}
	exit(1)
}

// declaring tells whether a variable that a cell declares is being computed, as it is
// at the beginning of every cell.
func declaring() bool {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		frame, more := frames.Next()
		if frame.Function == "main.init" {
			return true
		}
		if !more {
			return false
		}
	}
}

// exit is replaced in tests.
var exit = os.Exit

// fail writes the error that ends the cell. It goes to standard error, which a
// notebook marks as an error and a grader does not take for output.
func (o *output) fail(w io.Writer, err error) {
	o.closeProgress()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.screen.flush()
	text := "error: " + clean(err.Error())
	if errors.Is(err, context.Canceled) {
		text = "interrupted: " + clean(err.Error())
	}
	fmt.Fprintln(w, text)
}

// Context is cancelled when the cell is interrupted: by Kernel > Interrupt in
// a notebook, by Ctrl-C on a terminal. A second interrupt ends the process.
func Context() context.Context { return interrupts() }

var interrupts = sync.OnceValue(func() context.Context {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop)
	return ctx
})
