// Package runner sets up the Go kernel of this project and runs, checks and opens
// its notebooks: all that the command notebooks does.
package runner

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"bayescpace/notebooks/internal/host"
)

//go:embed usage.txt
var usage string

// Run carries out a command line and returns the exit status: 0, 1 after a
// failure, 2 for wrong usage, 130 when interrupted.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
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
	case !errors.Is(err, errReported):
		fmt.Fprintf(stderr, "notebooks: %v\n", err)
	}
	return 1
}

// dispatch reads a command line and carries it out.
func dispatch(ctx context.Context, args []string, stdout io.Writer) error {
	v, c, err := readCommand(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		return nil
	}
	if err != nil {
		return err
	}
	where, err := FindPlace(".")
	if err != nil {
		return err
	}
	if c.opt.dir != "" {
		if where.Notebooks, err = filepath.Abs(c.opt.dir); err != nil {
			return fmt.Errorf("finding the folder %s: %w", c.opt.dir, err)
		}
	}
	return v.run(NewSession(where, stdout), ctx, c)
}

// verb is what a verb takes and does.
type verb struct {
	flags   string // their names
	names   bool   // of notebooks
	windows bool   // is for Windows too, where the kernel does not run
	run     func(*Session, context.Context, command) error
}

var verbs = map[string]verb{
	"setup":        {"lab kernel", false, false, (*Session).setupVerb},
	"run":          {"out gallery write no-browser timeout dir", true, false, (*Session).runVerb},
	"check":        {"timeout dir", true, false, (*Session).checkVerb},
	"live":         {"out", false, true, (*Session).liveVerb},
	"slides":       {"out", false, true, (*Session).slidesVerb},
	"lab":          {"dir no-browser port", false, false, (*Session).labVerb},
	"nbgrader":     {"", true, false, func(s *Session, ctx context.Context, c command) error { return s.Nbgrader(ctx, c.args) }},
	"nbgrader lab": {"dir no-browser port", false, false, func(s *Session, ctx context.Context, c command) error { return s.Formgrader(ctx, c.opt) }},
	"key open":     {"", false, true, func(s *Session, ctx context.Context, _ command) error { return s.OpenKey(ctx, os.Stdin) }},
	"key seal":     {"", false, true, func(s *Session, ctx context.Context, _ command) error { return s.SealKey(ctx, os.Stdin) }},
}

// readCommand tells the parts of a command line apart and checks them. The error is
// flag.ErrHelp where it asks for help.
func readCommand(args []string) (v verb, c command, err error) {
	if len(args) == 0 {
		return v, c, usageError{"a verb is missing\n" + usage}
	}
	name := args[0]
	c.args = args[1:]
	switch {
	case name == "help" || name == "-h" || name == "--help":
		return v, c, flag.ErrHelp
	case name == "nbgrader" && len(c.args) > 0 && c.args[0] == "lab", name == "key" && len(c.args) > 0:
		name, c.args = name+" "+c.args[0], c.args[1:]
	}
	v, ok := verbs[name]
	if !ok {
		return v, c, usageError{fmt.Sprintf("unknown verb %q\n%s", name, usage)}
	}
	flags := c.opt.flags(v.flags)
	if name != "nbgrader" {
		c.names, err = parse(flags, c.args)
	}
	if errors.Is(err, flag.ErrHelp) {
		return v, c, err
	}
	if err != nil {
		return v, c, usageError{fmt.Sprintf("%s: %v\n%s", name, err, usage)}
	}
	if name == "lab" && c.opt.dir == "" && len(c.names) == 1 {
		c.opt.dir, c.names = c.names[0], nil
	}
	if !v.names && len(c.names) > 0 {
		takes := "no names"
		if name == "lab" {
			takes = "one folder"
		}
		return v, c, usageError{fmt.Sprintf("%s takes %s, but got %q", name, takes, strings.Join(c.names, " "))}
	}
	if runtime.GOOS == "windows" && !v.windows {
		return v, c, errors.New("GoNB, the Go kernel for Jupyter, does not run on Windows; use WSL (the Windows Subsystem for Linux) and run the same command there")
	}
	return v, c, c.opt.check()
}

// flags returns the flags of these names, which set the options.
func (opt *Options) flags(names string) *flag.FlagSet {
	all, flags := flag.NewFlagSet("", flag.ContinueOnError), flag.NewFlagSet("", flag.ContinueOnError)
	all.BoolVar(&opt.lab, "lab", false, "")
	all.StringVar(&opt.kernel, "kernel", "", "")
	all.StringVar(&opt.out, "out", "", "")
	all.BoolVar(&opt.gallery, "gallery", false, "")
	all.BoolVar(&opt.write, "write", false, "")
	all.BoolVar(&opt.NoBrowser, "no-browser", false, "")
	all.DurationVar(&opt.Timeout, "timeout", DefaultTimeout, "")
	all.StringVar(&opt.dir, "dir", "", "")
	all.IntVar(&opt.Port, "port", 0, "")
	for name := range strings.FieldsSeq(names) {
		flags.Var(all.Lookup(name).Value, name, "")
	}
	flags.SetOutput(io.Discard)
	return flags
}

// check refuses values that no verb can use.
func (opt *Options) check() error {
	switch {
	case opt.Timeout < time.Second:
		return usageError{fmt.Sprintf("--timeout %v: give at least one second, for example --timeout 10m", opt.Timeout)}
	case opt.Port < 0 || opt.Port > 65535:
		return usageError{fmt.Sprintf("--port %d: give a port from 1 to 65535", opt.Port)}
	case !slices.Contains([]string{"", kernelUser, kernelNone}, opt.kernel):
		return usageError{fmt.Sprintf("--kernel %q: give %s, or %s to take that back", opt.kernel, kernelUser, kernelNone)}
	}
	return nil
}

// setupVerb is the verb setup.
func (s *Session) setupVerb(ctx context.Context, c command) error {
	prof := ProfileRun
	if c.opt.lab {
		prof = ProfileLab
	}
	err := s.Setup(ctx, prof)
	if err == nil && c.opt.kernel == kernelUser { // who has a JupyterLab of their own wants completion too
		err = s.setUp(ctx, parts(s.chains(ProfileLab), true))
	}
	if err == nil && c.opt.lab {
		err = s.layOutWork()
	}
	if err == nil && c.opt.kernel != "" {
		err = s.registerKernel(ctx, c.opt.kernel)
	}
	return err
}

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

// slidesVerb is the verb slides: it writes the deck, whose figures are those that the notebooks have.
func (s *Session) slidesVerb(_ context.Context, c command) error {
	out, err := s.outFolder(c.opt)
	if err != nil {
		return err
	}
	path := filepath.Join(out, "slides.html")
	page, err := slides(s.Notebooks)
	if err == nil {
		err = writeFile(path, page)
	}
	if err != nil {
		return fmt.Errorf("making the slides: %w", err)
	}
	s.line("the slides are %s (arrow keys turn them; print them to a PDF from the browser)", s.short(path))
	return nil
}

// course is the folder of the course, or an error where nbgrader cannot work there.
func (s *Session) course() (string, error) {
	dir := filepath.Join(s.Notebooks, "assignments")
	// It takes the path for a pattern of files, for the address of a database and,
	// where it calls a program of its environment, for a word of a shell.
	if i := strings.IndexAny(dir, "*[?%$\"`\\"); i >= 0 {
		return "", fmt.Errorf("nbgrader cannot work below a folder with %q in its name, as in %s: rename the folder, or clone to another place", dir[i], dir)
	}
	return dir, nil
}

// Formgrader runs JupyterLab with nbgrader's panels.
func (s *Session) Formgrader(ctx context.Context, opt Options) error {
	course, err := s.course()
	if err != nil {
		return err
	}
	// With all that cells import, as the time that one may take to be graded is short.
	if err := s.Setup(ctx, ProfileGrader); err != nil {
		return err
	}
	// They take the course to be where JupyterLab starts; it lists the course, and nothing of the program around it.
	s.Notebooks, s.teaches = course, true
	return s.jupyterLab(ctx, course, opt)
}

// Nbgrader sets up and runs nbgrader in the course's folder, with the kernel
// of this project. What it prints is the user's to read.
func (s *Session) Nbgrader(ctx context.Context, args []string) error {
	course, err := s.course()
	if err != nil {
		return err
	}
	unlock, err := s.use(ctx, ProfileGrader)
	if err != nil {
		return err
	}
	defer unlock()
	cmd := exec.CommandContext(ctx, s.python(), append([]string{"-m", "nbgrader"}, args...)...)
	cmd.Dir = course
	// It calls other programs of its environment by their names, and the course's
	// configuration imports ours.
	cmd.Env = s.Env.With("PATH", filepath.Join(s.venv(), "bin")+string(os.PathListSeparator)+s.Env["PATH"]).With("PYTHONPATH", s.lib()).List()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, s.w, s.w
	err = host.Run(cmd)
	_, missing := os.Stat(filepath.Join(course, teachers[0]))
	switch ended := ctx.Err() == nil && errors.As(err, new(*exec.ExitError)); {
	case ended && missing != nil:
		err = fmt.Errorf("nbgrader ended with %w; it works on the teachers' folders source and key, which are not here: go run ./notebooks key open writes them, with the teachers' word (notebooks/assignments/README.md says how a teacher gets it)", err)
	case ended:
		err = fmt.Errorf("nbgrader ended with %w; what it printed above says why", err)
	case err != nil:
		err = fmt.Errorf("running nbgrader: %w", err)
	}
	return err
}

// Where the kernel is known, as setup --kernel says it.
const (
	kernelUser = "user" // in every Jupyter of the user
	kernelNone = "none" // in ours alone, which is how set-up leaves it
)

// registerKernel makes the kernel known to every Jupyter of the user, by a link to
// the spec that set-up keeps: what changes there needs no new link, and when the
// clone is gone, no Jupyter lists the kernel any more. Or it takes that link away.
func (s *Session) registerKernel(ctx context.Context, where string) error {
	link, err := s.userKernelspec(ctx)
	if err != nil {
		return err
	}
	if there, err := os.Lstat(link); err == nil && there.Mode()&os.ModeSymlink == 0 {
		return fmt.Errorf("%s is there and not from this program: move it away, then run this again", link)
	}
	err = os.RemoveAll(link) // which leaves what the link leads to
	if where == kernelUser {
		err = cmp.Or(err, os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(s.kernelspec(), link))
	}
	if err != nil {
		return fmt.Errorf("changing what kernels your Jupyter knows: %w", err)
	}
	if where == kernelUser {
		s.line("every Jupyter of yours lists the kernel %q from now on, by the link %s", kernelDisplay, link)
	} else {
		s.line("no Jupyter but that of lab lists the kernel %q", kernelDisplay)
	}
	return nil
}

// userKernelspec is where Jupyter looks for a kernel of this user's with our name.
func (s *Session) userKernelspec(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, s.python(), "-I", "-c", "from jupyter_core.paths import jupyter_data_dir; print(jupyter_data_dir())")
	cmd.Env = CurrentEnviron().List() // the user's own, and none of ours
	out, err := cmd.Output()
	if err == nil && len(out) == 0 {
		err = errors.New("it said nothing")
	}
	if err != nil {
		return "", fmt.Errorf("asking Jupyter where it keeps its kernels: %w", err)
	}
	return filepath.Join(strings.TrimRight(string(out), "\n"), "kernels", kernelName), nil
}
