package cmd

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/sweep/script"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
	// exitInterrupted is what shells report of a program that Ctrl-C has ended. It is the code
	// of work that any signal has cut short, whatever there is to keep of it.
	exitInterrupted = script.ExitInterrupted
	// exitAgain is for a shard of a sweep that may do better the next time.
	exitAgain = script.ExitAgain
)

// program is what a verb works with.
type program struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
}

// say tells the user something in one line, beside what is printed.
func (p program) say(what string) { fmt.Fprintf(p.stderr, "bcpace: %s\n", oneLine(what)) }

// note tells what the reader of a model file took as it does not stand there.
func (p program) note(m *pomdp.Model) {
	if m != nil {
		for _, note := range m.Notes {
			p.say(note)
		}
	}
}

// verb is a subcommand.
type verb struct {
	name, doc string   // the name may have two words
	usage     string   // its arguments and flags in short
	examples  []string // without the program's name
	args      func() arguments
}

// newVerb returns a verb whose arguments are a *T.
func newVerb[T any, A interface {
	*T
	arguments
}](name, doc, usage string, examples ...string) verb {
	return verb{name, doc, usage, examples, func() arguments { return A(new(T)) }}
}

// arguments are those of a verb, of which none is given yet.
type arguments interface {
	flags(f *flags)                // adds them to f
	run(p program, f *flags) error // does what they say
}

// flags returns those of the verb.
func (v verb) flags() *flags {
	f := newFlags()
	v.args().flags(f)
	return f
}

// await returns what work returns, or the error of ctx where that ends first. The work
// then continues, and its result is lost: that is for the end of the program.
func await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := work()
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// errHelp says that help was asked for.
var errHelp = errors.New("help")

// usageError is a wrong use of the command line.
type usageError struct {
	what  string
	usage string // filled in by dispatch for errors of verbs
}

func (e *usageError) Error() string { return e.what }

// misuse returns a *usageError of a verb.
func misuse(format string, args ...any) error { return &usageError{what: fmt.Sprintf(format, args...)} }

// need is misuse where ok is false, else nil; cmp.Or finds the first of several.
func need(ok bool, format string, args ...any) error { return unless(ok, misuse(format, args...)) }

// unless is an error where ok is false, else nil, for cmp.Or too.
func unless(ok bool, err error) error {
	if ok {
		return nil
	}
	return err
}

// oneLine keeps what a message quotes, such as a file's name, from breaking the
// promise of one line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// inputError is an error about a flag's value.
func inputError(flag string, got any, want string) error {
	return bcpace.In("options").Bad(flag, got, want)
}

// againError is an error that may be gone the next time.
type againError struct{ error }

func (e *againError) Unwrap() error { return e.error }

// interrupted says that work was cut, and leaves other errors as they are.
func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted before there was anything to keep")
	}
	return err
}

// cutOff returns late for the error of a context whose time was up, cut for that of one that was interrupted, and
// other errors as they are.
func cutOff(err, late, cut error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return late
	case errors.Is(err, context.Canceled):
		return cut
	}
	return err
}

const (
	progressEvery = 200 * time.Millisecond
	progressWidth = 79 // columns: a longer line would wrap, and not be replaced
)

// progressLine is a line on a terminal that tells how far the work has come.
// Elsewhere it is silent. It may be used from any goroutine.
type progressLine struct {
	w    io.Writer // nil for silence
	now  func() time.Time
	mu   sync.Mutex
	last time.Time
	cols int // columns drawn
}

// progress returns the line of standard error, silent where that is not a terminal
// or a program reads the output.
func (p program) progress(asJSON bool) *progressLine {
	l := &progressLine{now: time.Now, last: time.Now()}
	if !asJSON && isTerminal(p.stderr) {
		l.w = p.stderr
	}
	return l
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// show replaces the line, unless it was replaced just before.
func (l *progressLine) show(format string, args ...any) {
	if l.w == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if now.Sub(l.last) < progressEvery {
		return
	}
	l.last = now
	l.draw(fmt.Sprintf(format, args...))
}

// clear takes the line away.
func (l *progressLine) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cols > 0 {
		l.draw("")
		fmt.Fprint(l.w, "\r")
	}
}

func (l *progressLine) draw(line string) {
	if r := []rune(line); len(r) > progressWidth {
		line = string(r[:progressWidth-1]) + "…"
	}
	n := utf8.RuneCountInString(line)
	fmt.Fprint(l.w, "\r"+line+strings.Repeat(" ", max(0, l.cols-n)))
	l.cols = n
}
