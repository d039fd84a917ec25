package runner

import (
	"context"
	"os/exec"
	"runtime"
)

// openPage opens a page in the user's browser, where there is a desktop to show it on. A
// page that cannot be opened is there all the same, and its path has been said.
func openPage(ctx context.Context, env Environ, page string) {
	opener := "xdg-open"
	switch {
	case runtime.GOOS == "darwin":
		opener = "open"
	case env["DISPLAY"] == "" && env["WAYLAND_DISPLAY"] == "":
		return
	}
	path, err := exec.LookPath(opener)
	if err != nil {
		return
	}
	cmd := exec.CommandContext(ctx, path, page)
	cmd.Env = env.List()
	cmd.Run()
}
