package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"bayescpace/notebooks/internal/host"
)

// labVerb is the verb lab: it sets up what JupyterLab's first page needs and runs JupyterLab, on the folder
// chosen or else on the work folder, until its user ends it.
func (s *Session) labVerb(ctx context.Context, c command) error {
	opt := c.opt
	own := opt.dir == ""
	if own {
		s.Notebooks = s.work()
	} else if info, err := os.Stat(s.Notebooks); err != nil {
		return fmt.Errorf("lab: finding the folder to open: %w", err)
	} else if !info.IsDir() {
		return fmt.Errorf("lab: %s is a file; give the folder that it is in", opt.dir)
	}
	err := s.setUp(ctx, parts(s.chains(ProfileLab), false))
	if err == nil && own {
		err = s.layOutWork()
	}
	if err != nil {
		return err
	}
	// Paths from it to other folders are found by its own name, not by a link's.
	if s.Notebooks, err = filepath.EvalSymlinks(s.Notebooks); err != nil {
		return fmt.Errorf("lab: finding the folder to open: %w", err)
	}
	return s.jupyterLab(ctx, s.Notebooks, opt)
}

// layOutWork brings the work folder up to date and tells what is new in it.
func (s *Session) layOutWork() error {
	released, err := s.released()
	pages, failed := startFiles(s.Root)
	if err = cmp.Or(err, failed); err != nil {
		return err
	}
	notes, err := layOut(s.work(), released, pages)
	for _, note := range notes {
		s.line("%s: %s", s.short(s.work()), note)
	}
	return err
}

// graceOfLab is how long JupyterLab gets to end its kernels: five seconds for the
// running cell to save what it has, and as long again for a kernel that hangs.
const graceOfLab = 20 * time.Second

// jupyterLab runs JupyterLab on the notebooks, started in the folder dir, until it
// ends or ctx does. What the first page does not need is set up meanwhile.
func (s *Session) jupyterLab(ctx context.Context, dir string, opt Options) error {
	args := []string{"-m", "jupyterlab",
		"--ServerApp.root_dir=" + s.Notebooks,
		"--LabApp.extension_manager=readonly", // the other one asks the network what there is
		// The kernel completes by itself. Looking for language servers runs
		// whatever of npm, rustup and others there is, which write to the home.
		"--LanguageServerManager.autodetect=False",
	}
	if os.Geteuid() == 0 {
		args = append(args, "--allow-root")
	}
	if opt.NoBrowser {
		args = append(args, "--no-browser")
	}
	if opt.dir == "" && !s.teaches {
		args = append(args, "--LabApp.default_url=/lab/tree/"+startPage)
	}
	if opt.Port != 0 {
		args = append(args, "--ServerApp.port="+strconv.Itoa(opt.Port))
	}
	env, err := s.labEnviron(dir)
	if err != nil {
		return err
	}
	// Ctrl-C does not reach JupyterLab, which would ask whether to go on, and its
	// kernels, which would print where they were.
	cmd := exec.Command(s.python(), args...)
	cmd.Dir, cmd.Env = dir, env.List()
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	lab, err := host.StartGroup(cmd)
	if err != nil {
		return fmt.Errorf("starting JupyterLab: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- lab.Wait() }()
	defer s.later(ctx)()

	select {
	case err = <-ended:
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return fmt.Errorf("JupyterLab ended with %w; what it printed above says why", err)
		}
		return err
	case <-ctx.Done():
	}
	again := make(chan os.Signal, 1)
	signal.Notify(again, os.Interrupt)
	defer signal.Stop(again)
	s.line("ending JupyterLab and its kernels; Ctrl-C again ends them at once")
	cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-ended:
		return nil
	case <-again:
	case <-time.After(graceOfLab):
	}
	lab.Kill()
	<-ended
	return nil
}

// later sets up what JupyterLab does not need at its start: it does not keep the user
// waiting, and leaves the processor to what does. What it returns ends it.
func (s *Session) later(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		behind := *s
		behind.behind = true
		if err := behind.setUp(ctx, parts(behind.chains(ProfileLab), true)); err != nil && ctx.Err() == nil {
			s.line("note: %v; the next start of lab tries again", err)
		}
	})
	return func() {
		cancel()
		done.Wait()
	}
}

// studentsConfig are the files of the configuration of a JupyterLab without nbgrader's menu and panels, which are in the
// environment of who has graded once.
var studentsConfig = map[string]string{
	"labconfig/page_config.json":            `{"disabledExtensions": {"@jupyter/nbgrader": true}}`,
	"jupyter_server_config.d/nbgrader.json": `{"ServerApp": {"jpserver_extensions": {"nbgrader.server_extensions.assignment_list": false, "nbgrader.server_extensions.course_list": false, "nbgrader.server_extensions.formgrader": false, "nbgrader.server_extensions.validate_assignment": false}}}`,
}

// labEnviron is the environment of a JupyterLab that starts in the folder dir.
func (s *Session) labEnviron(dir string) (Environ, error) {
	folders := []string{filepath.Join(s.venv(), "etc", "jupyter")}
	if students := filepath.Join(s.Private, "config", "students"); !s.teaches {
		if err := writeFiles(students, studentsConfig); err != nil {
			return nil, err
		}
		folders = []string{students, folders[0]}
	}
	// Jupyter replaces $HOME and the like in the paths of configuration files,
	// so that it misses them in a clone whose path has one. These paths have none.
	for i, folder := range folders {
		var err error
		if folders[i], err = filepath.Rel(dir, folder); err != nil {
			return nil, fmt.Errorf("finding JupyterLab's configuration: %w", err)
		}
	}
	config := strings.Join(folders, string(os.PathListSeparator))
	path := strings.Join([]string{s.labBin(), filepath.Join(s.venv(), "bin"), s.Env["PATH"]}, string(os.PathListSeparator))
	// The configuration of a course imports what is in lib.
	env := s.Env.With("PATH", path).With("JUPYTER_CONFIG_PATH", config).With("PYTHONPATH", s.lib())
	// The tabs that were open come back, and those of another folder do not.
	return env.With("JUPYTERLAB_WORKSPACES_DIR", filepath.Join(s.Private, "config", "lab", "workspaces", key(s.Notebooks))), nil
}
