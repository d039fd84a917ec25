package runner

import (
	"fmt"
	"io"
)

// Session is one call of the program: where it works and what it tells.
type Session struct {
	Place
	*progress
	Env Environ // for child processes; prepare completes it

	prepared bool
	behind   bool // set-up goes on behind JupyterLab, and leaves the processor to it
	teaches  bool // JupyterLab has nbgrader's menu
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
