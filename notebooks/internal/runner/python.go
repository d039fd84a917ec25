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
	var tooOld, noVenv string
	for _, name := range pythonNames {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		out, err := exec.CommandContext(ctx, path, "-c", probePython).Output()
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil {
			continue // a version manager's stub for a Python that is not installed, for example
		}
		fields := strings.Fields(string(out))
		if len(fields) != 2 {
			continue
		}
		version := fields[0]
		var major, minor int
		if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil {
			continue
		}
		switch {
		case major < 3 || major == 3 && minor < oldestPython:
			if tooOld == "" {
				tooOld = fmt.Sprintf("%s is Python %s", path, version)
			}
		case fields[1] != "venv":
			if noVenv == "" {
				noVenv = fmt.Sprintf("%s (Python %s)", path, version)
			}
		default:
			return path, nil
		}
	}
	switch {
	case noVenv != "":
		return "", fmt.Errorf("%s cannot make virtual environments: install its venv module (Debian and Ubuntu: apt install python3-venv), then run this again", noVenv)
	case tooOld != "":
		return "", fmt.Errorf("no Python 3.%d or newer is on PATH (%s): install one (it may stand beside the old one as python3.12, for example), then run this again", oldestPython, tooOld)
	default:
		return "", errors.New("no Python is on PATH, and Jupyter needs one: install Python 3.10 or newer with its venv module (Debian and Ubuntu: apt install python3 python3-venv; macOS: brew install python), then run this again")
	}
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
