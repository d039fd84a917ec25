// Package cmd is the command bcpace as a package: a program that calls Main is the command,
// and knows the environments that the program has registered beside those of package envs:
//
//	func main() {
//		envs.Register(envs.Info{Name: "my-puck", Doc: "A puck on ice."}, build)
//		cmd.Main()
//	}
//
// go doc bayescpace/bcpace/cmd/bcpace describes its verbs and what they print.
package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"bayescpace/bcpace/methods"
	"bayescpace/bcpace/numtext"
)

// Main is the command line: it reads os.Args, does what they say, and ends the process with
// the exit code. Call it last.
func Main() {
	ctx, stop := interruptible()
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// interruptible returns a context that ends with Ctrl-C, with a request to terminate
// and with the terminal, so that what there is by then is kept. The second signal
// finds the default behaviour again and ends the program, in case that the work does
// not end soon. Where the default is to ignore Ctrl-C, as in the background of a shell
// script, the second one ends the program all the same. Under nohup the end of the
// terminal stays without effect.
func interruptible() (context.Context, context.CancelFunc) {
	caught := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		caught = append(caught, syscall.SIGHUP)
	}
	ignored := signal.Ignored(os.Interrupt)
	ctx, stop := signal.NotifyContext(context.Background(), caught...)
	context.AfterFunc(ctx, func() {
		second := make(chan os.Signal, 1)
		if ignored {
			signal.Notify(second, os.Interrupt) // before stop, so that none is lost between
		}
		stop()
		if ignored {
			<-second
			os.Exit(exitInterrupted)
		}
	})
	return ctx, stop
}

// verbs are the subcommands in the order of the help.
var verbs = []verb{envsVerb, solversVerb, checkVerb, adviseVerb, solveVerb, verifyVerb, evalVerb, leaderboardVerb, actVerb, plotVerb, exportVerb, convertVerb, storeVerb, coverVerb, lipschitzVerb, pacVerb,
	sweepRunVerb, sweepMergeVerb, sweepStatusVerb, sweepExportVerb, sweepScriptVerb, versionVerb, completionVerb}

// verbOf returns the verb that args begin with, and what comes after it.
func verbOf(args []string) (v verb, rest []string, ok bool) {
	for _, v := range verbs {
		words := strings.Fields(v.name)
		if len(args) >= len(words) && slices.Equal(args[:len(words)], words) {
			return v, args[len(words):], true
		}
	}
	return verb{}, nil, false
}

// group returns the verbs whose name has two words, of which the first is given.
func group(first string) []verb {
	return slices.DeleteFunc(slices.Clone(verbs), func(v verb) bool { return !strings.HasPrefix(v.name, first+" ") })
}

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := dispatch(program{ctx: ctx, stdin: os.Stdin, stdout: stdout, stderr: stderr}, args)
	usage := (*usageError)(nil)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "bcpace: %s\nusage: %s\n", oneLine(usage.what), usage.usage)
		return exitUsage
	}
	fmt.Fprintf(stderr, "bcpace: %s\n", oneLine(interrupted(err).Error()))
	if errors.Is(ctx.Err(), context.Canceled) {
		return exitInterrupted
	}
	if errors.As(err, new(*againError)) {
		return exitAgain
	}
	return exitError
}

// dispatch runs the verb that args begin with.
func dispatch(p program, args []string) error {
	if len(args) == 0 {
		return &usageError{"no verb given", programUsage("")}
	}
	switch name, rest := args[0], args[1:]; {
	case name == "help" && len(rest) > 0:
		args = append(slices.Clone(rest), "--help")
	case isHelp(name) && len(rest) > 0:
		return &usageError{fmt.Sprintf("unexpected argument %q", rest[len(rest)-1]), programUsage("")}
	case name == completionWord:
		return complete(p.stdout, rest)
	case name == "help" || isHelp(name):
		return help(p.stdout, verbs)
	}
	v, rest, ok := verbOf(args)
	if !ok {
		return dispatchGroup(p, args)
	}
	a, f := v.args(), newFlags()
	a.flags(f)
	err := f.parse(rest)
	if err == nil {
		err = a.run(p, f)
	}
	if errors.Is(err, errHelp) {
		return v.help(p.stdout)
	}
	if usage, ok := errors.AsType[*usageError](err); ok {
		usage.usage = v.line() + "   (bcpace " + v.name + " --help tells more)"
	}
	return err
}

// dispatchGroup is dispatch for args that begin with no verb, but maybe with the first word of
// some.
func dispatchGroup(p program, args []string) error {
	list := group(args[0])
	switch {
	case len(list) == 0:
		return &usageError{fmt.Sprintf("unknown verb %q%s", args[0], numtext.Meant(args[0], words(""))), programUsage("")}
	case len(args) == 1:
		return &usageError{fmt.Sprintf("no verb given after %s", args[0]), programUsage(args[0])}
	case len(args) == 2 && isHelp(args[1]):
		return help(p.stdout, list)
	}
	return &usageError{fmt.Sprintf("unknown verb %q%s", args[0]+" "+args[1], numtext.Meant(args[1], words(args[0]))), programUsage(args[0])}
}

func isHelp(arg string) bool { return arg == "-h" || arg == "-help" || arg == "--help" }

var versionVerb = newVerb[versionArgs]("version", "say which version of the program this is",
	"[--json]",
	"version")

// versionArgs are the flags of version.
type versionArgs struct{}

func (versionArgs) flags(f *flags) { f.output() }

// run is the verb version.
func (versionArgs) run(p program, f *flags) error {
	s := methods.ThisSoftware()
	commit := cmp.Or(s.Revision, "not known")
	if s.Modified {
		commit += ", with changes"
	}
	return f.printTable(p.stdout, facts{{"version", "", s.Version}, {"", "version", cmp.Or(s.Version, "not known")}, {"revision", "", s.Revision}, {"", "commit", commit},
		{"modified", "", s.Modified}, {"code", "code", s.Code}, {"go", "go", s.Go}, {"platform", "platform", s.Platform}})
}
