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
	"bayescpace/bcpace/sweep"
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
	sweepRunVerb, sweepMergeVerb, sweepWorkerVerb, sweepStatusVerb, sweepExportVerb, sweepScriptVerb, versionVerb, completionVerb}

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
func group(first string) (list []verb) {
	for _, v := range verbs {
		if strings.HasPrefix(v.name, first+" ") {
			list = append(list, v)
		}
	}
	return list
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
	usage := (*usageError)(nil)
	if errors.As(err, &usage) {
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

var versionVerb = verb{
	name: "version", doc: "say which version of the program this is",
	usage: "[--json]", examples: []string{"version"},
	args: func() arguments { return new(versionOf) },
}

func (versionOf) flags(f *flags) {
	f.section("output")
	f.jsonFlag()
}

// versionOf is the JSON of the verb version.
type versionOf struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Modified bool   `json:"modified"`
	Code     string `json:"code"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// run is the verb version.
func (versionOf) run(p program, f *flags) error {
	return f.printTable(p.stdout, versionOf(methods.ThisSoftware()))
}

func (s versionOf) rows(row func(...any)) {
	known := func(text string) string {
		if text == "" {
			return "not known"
		}
		return text
	}
	revision := known(s.Revision)
	if s.Modified {
		revision += ", with changes"
	}
	row("version", known(s.Version))
	row("commit", revision)
	row("code", s.Code)
	row("go", s.Go)
	row("platform", s.Platform)
}

var sweepMergeVerb = verb{
	name: "sweep merge", doc: "write the rows of a sweep whose shards were computed apart",
	usage: "DIR… --out FILE [--partial] [--key KEY] [--force] [--json]",
	examples: []string{
		"sweep merge /shared/neighbours --out rows.parquet",
		"sweep merge here there --out rows.csv --partial",
	},
	args: func() arguments { return new(sweepMergeArgs) },
}

// mergedRows is the JSON of the verb sweep merge. A change of a name or meaning breaks what
// reads it.
type mergedRows struct {
	exportedRows
	// Missing are the numbers of trials without a result, and Twice the number of results that were
	// there more than once.
	Missing []int `json:"missing"`
	Twice   int   `json:"twice"`
}

// sweepMergeArgs are the flags of sweep merge.
type sweepMergeArgs struct {
	folders  []string
	out, key string
	partial  bool
}

func (a *sweepMergeArgs) flags(f *flags) {
	f.arguments("DIR", "folders of results that sweep run --shard has made: that of all shards, or one of each", &a.folders)
	f.section("output")
	f.value("out", "FILE", "write a row for each trial to a .csv, .parquet or .json file", text(&a.out))
	f.toggle("partial", "write the rows though trials are missing; those have no result", boolean(&a.partial))
	f.value("key", "KEY", "the sweep's key, or how it begins, where the folders have shards of several", text(&a.key))
	f.forceFlag()
	f.jsonFlag()
}

// sweepMerge is the verb sweep merge.
func (a *sweepMergeArgs) run(p program, f *flags) error {
	switch {
	case len(a.folders) == 0:
		return misuse("DIR is missing, the folders of the shards")
	case !f.given["out"]:
		return misuse("--out is missing")
	}
	if err := f.checkRows(a.out); err != nil {
		return err
	}
	m, err := sweep.Merge(p.ctx, a.folders, a.key)
	if err != nil {
		return err
	}
	if n := len(m.Missing); n > 0 && !a.partial {
		return fmt.Errorf("%d of %d trials are missing: %s; run their shards, or sweep run with the folder of one, or write the others with --partial", n, len(m.Rows), m.Ranges())
	}
	if err := writeRows(p.ctx, a.out, m.Results); err != nil {
		return err
	}
	r := mergedRows{exportedRows{Name: m.Name, Key: m.Key, counts: countsOf(m.Results), Out: a.out}, append([]int{}, m.Missing...), m.Twice}
	return cmp.Or(f.printTable(p.stdout, r), allFailed(m.Results))
}

var sweepExportVerb = verb{
	name: "sweep export", doc: "write the rows of a sweep as a table, done or not",
	usage: "FILE --out FILE [--folder DIR] [--force] [--json]",
	examples: []string{
		"sweep export neighbours.json --out rows.csv",
		"sweep export neighbours.json --out rows.parquet --folder /shared/neighbours",
	},
	args: func() arguments { return new(sweepExportArgs) },
}

// exportedRows is the JSON of the verb sweep export. A change of a name or meaning breaks what
// reads it.
type exportedRows struct {
	Name string `json:"name"`
	Key  string `json:"key"`
	counts
	Out string `json:"out"`
}

// sweepExportArgs are the flags of sweep export.
type sweepExportArgs struct {
	sweepFlags
	out string
}

func (a *sweepExportArgs) flags(f *flags) {
	a.sweepFlags.flags(f)
	f.section("output")
	f.value("out", "FILE", "write a row for each trial to a .csv, .parquet or .json file; one that is not done has no result", text(&a.out))
	f.forceFlag()
	f.jsonFlag()
}

// sweepExport is the verb sweep export.
func (a *sweepExportArgs) run(p program, f *flags) error {
	switch {
	case !f.given[sweepArg]:
		return misuse("FILE is missing, the sweep whose rows to write")
	case !f.given["out"]:
		return misuse("--out is missing")
	}
	if err := f.checkRows(a.out); err != nil {
		return err
	}
	s, err := a.read()
	if err != nil {
		return err
	}
	r, err := sweep.Kept(p.ctx, s, a.folder)
	if err != nil {
		return err
	}
	if err := writeRows(p.ctx, a.out, r); err != nil {
		return err
	}
	return f.printTable(p.stdout, exportedRows{Name: sweepName(s, a.file), Key: sweepKey(r), counts: countsOf(r), Out: a.out})
}

func (e exportedRows) rows(row func(...any)) {
	row("trials", e.Trials)
	row("done", e.Done)
	row("failed", e.Failed)
	row("rows", e.Out)
}
