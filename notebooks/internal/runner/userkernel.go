package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

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
	_, err = os.Lstat(link)
	registered := err == nil
	if _, err := os.Readlink(link); registered && err != nil {
		return fmt.Errorf("%s is there and not from this program: move it away, then run this again", link)
	}
	if registered {
		err = os.Remove(link)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if where == kernelUser && err == nil {
		if err = os.MkdirAll(filepath.Dir(link), 0o755); err == nil {
			err = os.Symlink(s.kernelspec(), link)
		}
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
