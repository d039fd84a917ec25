package cmd

import (
	"context"
	"fmt"
	"io"

	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/sweep/script"
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

// note tells what the reader of a model file took as it does not stand there.
func (p program) note(m *pomdp.Model) {
	if m != nil {
		for _, note := range m.Notes {
			fmt.Fprintf(p.stderr, "bcpace: %s\n", oneLine(note))
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
