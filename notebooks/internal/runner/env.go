package runner

import (
	"context"
	"encoding/json"
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
		if name, value, ok := strings.Cut(entry, "="); ok {
			e[name] = value
		}
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

// goSettings completes e with what the go command needs: module flags that
// go with workspaces, and caches that can be written to even where there is
// no home. It returns notes for the user on what it had to move.
func goSettings(ctx context.Context, p Place, e Environ) (notes []string, err error) {
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if home := e["HOME"]; home == "" || !writable(home) {
		// What the user has there stays in use: a module cache may be complete,
		// and there may be no network to fill another.
		if home != "" {
			old, err := goEnv(ctx, p, e)
			if err != nil {
				return nil, err
			}
			for name, path := range map[string]string{"GOENV": old.GOENV, "GOMODCACHE": old.GOMODCACHE} {
				if _, err := os.Stat(path); err == nil {
					e[name] = path
				}
			}
		}
		e["HOME"] = filepath.Join(p.Private, "home")
		if err := os.MkdirAll(e["HOME"], 0o755); err != nil {
			return nil, fmt.Errorf("making a home folder for the kernel: %w", err)
		}
		if e["GOCACHE"] == "" {
			e["GOCACHE"] = filepath.Join(p.Private, "gocache")
		}
		// Caches that lie elsewhere by the user's own choice stay there.
		note("HOME (%q) cannot be written to: using %s", home, p.short(e["HOME"]))
	}
	settings, err := goEnv(ctx, p, e)
	if err != nil {
		return nil, err
	}
	if settings.GOCACHE == "off" || !writable(settings.GOCACHE) {
		e["GOCACHE"] = filepath.Join(p.Private, "gocache")
		note("the Go build cache (%s) cannot be written to: using %s", settings.GOCACHE, p.short(e["GOCACHE"]))
	}
	// A module cache that is there is used even when it is read-only: it may
	// be complete, and there may be no network to fill another.
	if _, err := os.Stat(settings.GOMODCACHE); err != nil && !writable(settings.GOMODCACHE) {
		e["GOMODCACHE"] = filepath.Join(p.Private, "gomodcache")
		note("the Go module cache (%s) cannot be written to: using %s", settings.GOMODCACHE, p.short(e["GOMODCACHE"]))
	}
	if flags, changed := host.WorkspaceFlags(settings.GOFLAGS); changed {
		e["GOFLAGS"] = flags
		note("GOFLAGS %q does not go with workspaces: using %q", settings.GOFLAGS, flags)
	}
	return notes, nil
}

// goValues are settings as the go command understands them.
type goValues struct{ GOCACHE, GOMODCACHE, GOENV, GOFLAGS string }

// goEnv asks the go command for its settings.
func goEnv(ctx context.Context, p Place, e Environ) (v goValues, err error) {
	out, err := goCommand(ctx, p.Root, e, "env", "-json", "GOCACHE", "GOMODCACHE", "GOENV", "GOFLAGS")
	if err == nil {
		err = json.Unmarshal([]byte(out), &v)
	}
	if err != nil {
		return v, fmt.Errorf("asking go for its settings: %w", err)
	}
	return v, nil
}

// writable reports whether files can be made in dir, making dir when needed.
func writable(dir string) bool {
	return dir != "" && os.MkdirAll(dir, 0o755) == nil && tryFile(dir) == nil
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
