package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

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
	if err := run(cmd); err != nil {
		var exit *exec.ExitError
		if ctx.Err() == nil && errors.As(err, &exit) {
			if _, missing := os.Stat(filepath.Join(course, teachers[0])); missing != nil {
				return fmt.Errorf("nbgrader ended with %w; it works on the teachers' folders source and key, which are not here: go run ./notebooks key open writes them, with the teachers' word (notebooks/assignments/README.md says how a teacher gets it)", err)
			}
			return fmt.Errorf("nbgrader ended with %w; what it printed above says why", err)
		}
		return fmt.Errorf("running nbgrader: %w", err)
	}
	return nil
}
