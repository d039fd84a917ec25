// Command notebooks sets up the Go kernel of this project and runs, checks
// and opens its notebooks. It needs Go, Python 3.10 or newer and the package
// registries, and keeps everything it installs in the folder .bayescpace of
// the clone.
//
//	go run ./notebooks setup [--lab]
//	go run ./notebooks run [--write] [--gallery] [--out DIR] [--timeout 10m] [NAME…]
//	go run ./notebooks check [--timeout 10m] [NAME…]
//	go run ./notebooks lab [--no-browser] [--port N]
//	go run ./notebooks nbgrader [ARG…]
//	go run ./notebooks nbgrader lab [--no-browser] [--port N]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const usage = `usage: go run ./notebooks VERB

  setup          install the kernel and what running needs (done by the other verbs too)
      --lab            and what lab needs
  run [NAME…]    execute the notebooks, write them as .ipynb and .html; runs stored before are used
      --out DIR        where to write (default .bayescpace/out)
      --gallery        write index.html, a page with a picture and a sentence of each
      --write          also write the outputs back into the notebooks, with every run computed anew
      --timeout 10m    the longest that one cell may take
  check [NAME…]  compute everything anew and compare the outputs with the committed ones
      --timeout 10m    the longest that one cell may take
  run and check take
      --dir DIR        a folder of other notebooks (default notebooks)
  lab            open JupyterLab on the notebooks
      --no-browser     print the address instead of opening it
      --port N         the port to listen on
  nbgrader ARG…  run nbgrader on the course in notebooks/assignments (see its README.md)
  nbgrader lab   open JupyterLab with nbgrader's panels; takes what lab takes

NAME is a notebook (00_tour), its number (00) or its topic (tour); without one, all notebooks.
`

// usageError is a wrong command line: exit status 2.
type usageError struct{ msg string }

func (e usageError) Error() string { return e.msg }

// errReported ends a run whose failures have been printed already.
var errReported = errors.New("failures were reported")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run carries out a command line and returns the exit status: 0, 1 after a
// failure, 2 for wrong usage, 130 when interrupted.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := dispatch(ctx, args, stdout)
	var wrong usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "notebooks: %s\n", wrong.msg)
		return 2
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "notebooks: interrupted")
		return 130
	case errors.Is(err, errReported):
		return 1
	default:
		fmt.Fprintf(stderr, "notebooks: %v\n", err)
		return 1
	}
}

// dispatch parses the verb and its flags and calls it.
func dispatch(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) == 0 {
		return usageError{"a verb is missing\n" + usage}
	}
	verb, args := args[0], args[1:]
	if verb == "help" || verb == "-h" || verb == "--help" {
		fmt.Fprint(stdout, usage)
		return nil
	}
	if verb == "nbgrader" && len(args) > 0 && args[0] == "lab" {
		verb, args = "nbgrader lab", args[1:]
	}
	flags := flag.NewFlagSet(verb, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var opt options
	switch verb {
	case "setup":
		flags.BoolVar(&opt.lab, "lab", false, "")
	case "run":
		flags.StringVar(&opt.out, "out", "", "")
		flags.BoolVar(&opt.gallery, "gallery", false, "")
		flags.BoolVar(&opt.write, "write", false, "")
		flags.DurationVar(&opt.timeout, "timeout", defaultTimeout, "")
		flags.StringVar(&opt.dir, "dir", "", "")
	case "check":
		flags.StringVar(&opt.dir, "dir", "", "")
		flags.DurationVar(&opt.timeout, "timeout", defaultTimeout, "")
	case "lab", "nbgrader lab":
		flags.BoolVar(&opt.noBrowser, "no-browser", false, "")
		flags.IntVar(&opt.port, "port", 0, "")
	case "nbgrader":
	default:
		return usageError{fmt.Sprintf("unknown verb %q\n%s", verb, usage)}
	}
	var names []string
	var err error
	if verb != "nbgrader" { // all that follows this verb is nbgrader's
		names, err = parse(flags, args)
	}
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		return nil
	}
	if err != nil {
		return usageError{fmt.Sprintf("%s: %v\n%s", verb, err, usage)}
	}
	if len(names) > 0 && (verb == "setup" || flags.Lookup("port") != nil) {
		return usageError{fmt.Sprintf("%s takes no names, but got %q", verb, strings.Join(names, " "))}
	}
	if flags.Lookup("timeout") != nil && opt.timeout < time.Second {
		return usageError{fmt.Sprintf("--timeout %v: give at least one second, for example --timeout 10m", opt.timeout)}
	}
	if runtime.GOOS == "windows" {
		return errors.New("GoNB, the Go kernel for Jupyter, does not run on Windows; use WSL (the Windows Subsystem for Linux) and run the same command there")
	}

	where, err := findPlace(".")
	if err != nil {
		return err
	}
	if opt.dir != "" {
		if where.notebooks, err = filepath.Abs(opt.dir); err != nil {
			return fmt.Errorf("--dir %s: %w", opt.dir, err)
		}
	}
	s := newSession(where, stdout)
	switch verb {
	case "setup":
		if opt.lab {
			return s.setup(ctx, profileLab)
		}
		return s.setup(ctx, profileRun)
	case "run":
		return s.runNotebooks(ctx, names, opt)
	case "check":
		return s.checkNotebooks(ctx, names, opt)
	case "nbgrader":
		return s.nbgrader(ctx, args)
	case "nbgrader lab":
		return s.formgrader(ctx, opt)
	default:
		return s.lab(ctx, opt)
	}
}

// options holds the flags of all verbs.
type options struct {
	out       string        // run: folder for the executed notebooks; "" is the private folder's out
	gallery   bool          // run: write a page of all that was executed
	write     bool          // run: write outputs back into the notebooks
	dir       string        // run, check: folder of the notebooks; "" is the module's
	timeout   time.Duration // run, check: longest time for one cell
	fresh     bool          // not a flag: use no run stored before, and store in a folder that goes
	noBrowser bool          // lab
	lab       bool          // setup: for the verb lab as well
	port      int           // lab; 0 leaves the choice to JupyterLab
}

const defaultTimeout = 10 * time.Minute

// parse reads flags that may stand before, between or after the names.
func parse(flags *flag.FlagSet, args []string) (names []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		args = flags.Args()
		if len(args) == 0 {
			return names, nil
		}
		names, args = append(names, args[0]), args[1:]
	}
}
