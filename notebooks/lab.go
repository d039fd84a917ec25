package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
)

// lab sets up and runs JupyterLab in the foreground until its user ends it.
func (s *session) lab(ctx context.Context, opt options) error {
	if err := s.setup(ctx, profileLab); err != nil {
		return err
	}
	args := []string{"-m", "jupyterlab",
		"--ServerApp.root_dir=" + s.notebooks,
		"--MultiKernelManager.default_kernel_name=" + kernelName,
		"--LabApp.extension_manager=readonly", // the other one asks the network what there is
	}
	if os.Geteuid() == 0 {
		args = append(args, "--allow-root")
	}
	if opt.noBrowser {
		args = append(args, "--no-browser")
	}
	if opt.port != 0 {
		args = append(args, "--ServerApp.port="+strconv.Itoa(opt.port))
	}
	// JupyterLab sees Ctrl-C itself and asks whether to shut down, so this
	// program goes on waiting for it, whatever happens to ctx.
	cmd := exec.Command(s.python(), args...)
	cmd.Dir = s.notebooks
	cmd.Env = s.env.list()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
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
