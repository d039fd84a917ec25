package runner

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Session is one call of the program: where it works and what it tells.
type Session struct {
	Place
	*progress
	Env Environ // for child processes; prepare completes it

	prepared bool
	behind   bool // set-up goes on behind JupyterLab, and leaves the processor to it
	teaches  bool // JupyterLab has nbgrader's menu
	failures int  // notebooks that have failed
}

func NewSession(p Place, w io.Writer) *Session {
	return &Session{Place: p, progress: newProgress(w), Env: privateEnviron(p, CurrentEnviron())}
}

// chosen returns the paths of the notebooks of these names.
func (s *Session) chosen(names []string) ([]string, error) {
	paths, err := s.List()
	if err != nil {
		return nil, err
	}
	if paths, err = choose(paths, names); err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("there are no notebooks (NN_topic.ipynb) in %s", s.short(s.Notebooks))
	}
	return paths, nil
}

// Options holds the flags of all verbs.
type Options struct {
	out       string        // run, live: folder for the executed notebooks and pages; "" is the private folder's out
	gallery   bool          // run: write a page of all that was executed
	write     bool          // run: write outputs back into the notebooks
	dir       string        // run, check, lab: folder of the notebooks; "" is the module's, for lab the work folder
	Timeout   time.Duration // run, check: longest time for one cell
	Fresh     bool          // not a flag: use no run stored before, and store in a folder that goes
	SkipLong  bool          // not a flag: cells that compute for long are compiled, but keep their outputs
	NoBrowser bool          // run, lab
	lab       bool          // setup: for the verb lab as well
	kernel    string        // setup: make the kernel known to which Jupyter; "" changes nothing
	Port      int           // lab; 0 leaves the choice to JupyterLab
}

const DefaultTimeout = 10 * time.Minute

// store returns the folder that cells are to keep runs in and what removes it, or "" for
// where they keep them by themselves.
func (opt Options) store() (folder string, remove func(), err error) {
	if !opt.Fresh {
		return "", func() {}, nil
	}
	if folder, err = os.MkdirTemp("", "bayescpace-store-"); err != nil {
		return "", nil, fmt.Errorf("making a store for what is computed anew: %w", err)
	}
	return folder, func() { os.RemoveAll(folder) }, nil
}

// storeVariable tells cells where they keep runs, in place of the clone's own store.
const storeVariable = "BAYESCPACE_STORE"

// command is a command line with its parts told apart.
type command struct {
	args  []string // all that follows the verb
	names []string // those of args that are no flags; none for nbgrader, whose args are its own
	opt   Options
}

// outFolder returns the folder for executed notebooks and pages. It makes one that the user has
// named, so that a mistake is told before anything is executed.
func (s *Session) outFolder(opt Options) (string, error) {
	if opt.out == "" {
		return s.out(), nil
	}
	out, err := filepath.Abs(opt.out)
	if err == nil {
		err = os.MkdirAll(out, 0o755)
	}
	if err != nil {
		return "", fmt.Errorf("--out: making the folder: %w", err)
	}
	return out, nil
}

// usageError is a wrong command line: exit status 2.
type usageError struct{ msg string }

// errReported ends a run whose failures have been printed already.
var errReported = errors.New("failures were reported")

func (e usageError) Error() string { return e.msg }
