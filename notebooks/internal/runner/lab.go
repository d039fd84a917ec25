package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// lab sets up and runs JupyterLab until its user ends it.
func (s *Session) lab(ctx context.Context, opt Options) error {
	if err := s.Setup(ctx, ProfileLab); err != nil {
		return err
	}
	return s.jupyterLab(ctx, s.Notebooks, opt)
}

// jupyterLab runs JupyterLab on the notebooks, in the foreground and started
// in the folder dir.
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
	if opt.Port != 0 {
		args = append(args, "--ServerApp.port="+strconv.Itoa(opt.Port))
	}
	// JupyterLab sees Ctrl-C itself and asks whether to shut down, so this
	// program continues waiting for it, whatever happens to ctx. A SIGTERM is
	// passed on, as it comes to this program alone.
	cmd := exec.Command(s.python(), args...)
	cmd.Dir = dir
	env, err := s.labEnviron(dir)
	if err != nil {
		return err
	}
	cmd.Env = env.List()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Start()
	if err == nil {
		ended := make(chan os.Signal, 1)
		signal.Notify(ended, syscall.SIGTERM)
		go func() {
			for range ended {
				cmd.Process.Signal(syscall.SIGTERM)
			}
		}()
		err = cmd.Wait()
		signal.Stop(ended)
		close(ended)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return fmt.Errorf("JupyterLab ended with %w; what it printed above says why", err)
		}
		return fmt.Errorf("starting JupyterLab: %w", err)
	}
	return nil
}

// labEnviron is the environment of a JupyterLab that starts in the folder dir.
func (s *Session) labEnviron(dir string) (Environ, error) {
	// Jupyter replaces $HOME and the like in the paths of configuration files,
	// so that it misses them in a clone whose path has one. This path has none.
	config, err := filepath.Rel(dir, filepath.Join(s.venv(), "etc", "jupyter"))
	if err != nil {
		return nil, fmt.Errorf("finding JupyterLab's configuration: %w", err)
	}
	path := strings.Join([]string{s.labBin(), filepath.Join(s.venv(), "bin"), s.Env["PATH"]}, string(os.PathListSeparator))
	// The configuration of a course imports what is in lib.
	return s.Env.With("PATH", path).With("JUPYTER_CONFIG_PATH", config).With("PYTHONPATH", s.lib()), nil
}
