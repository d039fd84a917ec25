package runner

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"bayescpace/notebooks/internal/host"
)

// Environ is a process environment by name.
type Environ map[string]string

// CurrentEnviron reads the environment of this process.
func CurrentEnviron() Environ {
	e := make(Environ)
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		e[name] = value
	}
	return e
}

// List returns the environment as exec.Cmd takes it.
func (e Environ) List() []string {
	out := make([]string, 0, len(e))
	for name, value := range e {
		out = append(out, name+"="+value)
	}
	return out
}

// With is a copy of e with one more setting.
func (e Environ) With(name, value string) Environ {
	c := maps.Clone(e)
	c[name] = value
	return c
}

// foreign are settings of the user's own Python, pip and Jupyter that would
// lead our children out of the private folder.
var foreign = []string{
	"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__",
	"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_VIRTUALENV", "PIP_REQUIREMENT",
	"JUPYTER_PATH", "JUPYTER_CONFIG_PATH", "JUPYTERLAB_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR",
}

// privateEnviron is base, changed so that Jupyter and its tools keep all of
// theirs in the private folder and find our kernel's programs first.
func privateEnviron(p Place, base Environ) Environ {
	e := maps.Clone(base)
	for _, name := range foreign {
		delete(e, name)
	}
	e["PATH"] = p.bin() + string(os.PathListSeparator) + e["PATH"]
	for name, folder := range map[string]string{
		"JUPYTER_CONFIG_DIR":  "config",
		"JUPYTER_DATA_DIR":    "jupyter",
		"JUPYTER_RUNTIME_DIR": "runtime",
		"IPYTHONDIR":          "ipython",
		"MPLCONFIGDIR":        "matplotlib",
	} {
		e[name] = filepath.Join(p.Private, folder)
	}
	e["PYTHONNOUSERSITE"] = "1"
	e["PYTHONUTF8"] = "1" // notebooks are UTF-8 whatever the locale
	e["PIP_USER"] = "0"
	// The kernel makes a workspace, so one that the user switched off or set
	// elsewhere would hide the project from cells.
	e["GOWORK"] = "auto"
	return e
}

// goSettings takes module flags that do not go with workspaces out of e, and returns a note on it
// for the user, "" where there are none.
func goSettings(ctx context.Context, p Place, e Environ) (note string, err error) {
	flags, err := goCommand(ctx, p.Root, e, "env", "GOFLAGS")
	if err != nil {
		return "", fmt.Errorf("asking go for its settings: %w", err)
	}
	cleaned, changed := host.WorkspaceFlags(flags)
	if !changed {
		return "", nil
	}
	e["GOFLAGS"] = cleaned
	return fmt.Sprintf("GOFLAGS %q does not go with workspaces: using %q", flags, cleaned), nil
}

// tryFile makes a file in a folder, and removes it.
func tryFile(dir string) error {
	f, err := os.CreateTemp(dir, ".bayescpace-*")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

// lastLine is the last line of s that is not blank, for a one-line error.
func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

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

// goCommand returns what a go command prints, without the end of its line.
func goCommand(ctx context.Context, dir string, e Environ, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, e.List()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := host.Run(cmd); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(stdout.String()), nil
}

// oldestPython is the oldest minor version of Python 3 that the pinned
// requirements install on.
const oldestPython = 10

// pythonNames are looked for on PATH in this order: the user's default first.
var pythonNames = []string{"python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "python"}

// probePython prints the version, and whether a virtual environment with pip can be made.
//
//go:embed probe.py
var probePython string

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
