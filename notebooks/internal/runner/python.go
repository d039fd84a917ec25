package runner

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// oldestPython is the oldest minor version of Python 3 that the pinned
// requirements install on.
const oldestPython = 10

// pythonNames are looked for on PATH in this order: the user's default first.
var pythonNames = []string{"python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "python"}

// probePython prints the version, and whether a virtual environment with pip can be made.
const probePython = `
import sys
print("%d.%d.%d" % sys.version_info[:3])
try:
    import venv, ensurepip
    print("venv")
except ImportError:
    print("no-venv")
`

// findPython returns the first Python on PATH that is new enough and can make
// virtual environments. Its error says which of these is missing and what to do.
func findPython(ctx context.Context) (string, error) {
	problem := errors.New("no Python is on PATH, and Jupyter needs one: install Python 3.10 or newer with its venv module (Debian and Ubuntu: apt install python3 python3-venv; macOS: brew install python), then run this again")
	near := 0 // how near the best one is to what is wanted
	for _, name := range pythonNames {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		out, err := exec.CommandContext(ctx, path, "-c", probePython).Output()
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		version, venv, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		var major, minor int
		if _, garbled := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil || garbled != nil {
			continue // a version manager's stub for a Python that is not installed, for example
		}
		switch old := major < 3 || major == 3 && minor < oldestPython; {
		case !old && venv == "venv":
			return path, nil
		case !old && near < 2:
			near, problem = 2, fmt.Errorf("%s (Python %s) cannot make virtual environments: install its venv module (Debian and Ubuntu: apt install python3-venv), then run this again", path, version)
		case old && near < 1:
			near, problem = 1, fmt.Errorf("no Python 3.%d or newer is on PATH (%s is Python %s): install one (it may stand beside the old one as python3.12, for example), then run this again", oldestPython, path, version)
		}
	}
	return "", problem
}

// venvVersion is the version that the virtual environment's Python reports.
// It fails when the environment, or the Python that it stands on, is gone.
func venvVersion(ctx context.Context, p Place) (string, error) {
	out, err := exec.CommandContext(ctx, p.python(), "-I", "-S", "-c", "import sys; print(sys.version)").Output()
	if err != nil {
		return "", fmt.Errorf("running the virtual environment's Python %s: %w", p.short(p.python()), err)
	}
	return strings.TrimSpace(string(out)), nil
}
