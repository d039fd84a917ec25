package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestPrivateEnvironKeepsTheUsersJupyterOut(t *testing.T) {
	p := Place{Root: "/clone", Private: "/clone/.bayescpace"}
	base := Environ{"PATH": "/bin", "JUPYTER_PATH": "/home/u/jupyter", "PYTHONPATH": "/home/u/py", "JUPYTER_CONFIG_DIR": "/home/u/.jupyter", "GOWORK": "off", "LANG": "C"}
	e := privateEnviron(p, base)
	for name, value := range e {
		if strings.Contains(value, "/home/u") {
			t.Errorf("%s=%s leads into the user's home", name, value)
		}
	}
	for name, want := range map[string]string{"PATH": "/clone/.bayescpace/bin:/bin", "JUPYTER_DATA_DIR": "/clone/.bayescpace/jupyter", "GOWORK": "auto", "LANG": "C"} {
		if e[name] != want {
			t.Errorf("%s=%q, want %q", name, e[name], want)
		}
	}
	if base["GOWORK"] != "off" {
		t.Error("the environment given was changed")
	}
}

// homeDir is a temporary folder for a home. The go command leaves a process
// behind there that writes its telemetry, so that removing it may take a second
// try, for which t.TempDir has no patience.
func homeDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "home-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 1200 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Error(err)
	})
	return dir
}

// Without a home that can be written to, everything goes into the private
// folder, and the user is told.
func TestNoHome(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file") // not even root makes a folder below a file
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, home := range []string{"", filepath.Join(file, "home")} {
		where, err := FindPlace(".")
		if err != nil {
			t.Fatal(err)
		}
		where.Private = homeDir(t)
		e := privateEnviron(where, CurrentEnviron())
		for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOENV", "XDG_CACHE_HOME"} {
			delete(e, name)
		}
		e["HOME"] = home
		notes, err := goSettings(t.Context(), where, e)
		if err != nil || len(notes) == 0 || !strings.Contains(notes[0], "HOME") {
			t.Errorf("HOME=%q: notes %q, %v", home, notes, err)
		}
		if !strings.HasPrefix(e["HOME"], where.Private) {
			t.Errorf("HOME=%q became %q", home, e["HOME"])
		}
	}
	e := privateEnviron(Place{Private: t.TempDir()}, CurrentEnviron())
	e["GOCACHE"] = filepath.Join(file, "cache")
	p := Place{Root: ".", Private: homeDir(t)}
	notes, err := goSettings(t.Context(), p, e)
	if err != nil || len(notes) != 1 || e["GOCACHE"] != filepath.Join(p.Private, "gocache") {
		t.Errorf("unwritable GOCACHE: now %q, notes %q, %v", e["GOCACHE"], notes, err)
	}
}

// What the go command finds in a home that can only be read is used from there.
func TestReadOnlyHome(t *testing.T) {
	modules, bin := t.TempDir(), t.TempDir()
	script := "#!/bin/sh\n[ \"$HOME\" = /proc/home ] && mod=" + modules + " || mod=$HOME/go/pkg/mod\necho \"{\\\"GOCACHE\\\": \\\"$GOCACHE\\\", \\\"GOMODCACHE\\\": \\\"${GOMODCACHE:-$mod}\\\"}\"\n"
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	p := Place{Root: ".", Private: t.TempDir()}
	e := Environ{"HOME": "/proc/home", "PATH": os.Getenv("PATH")}
	notes, err := goSettings(t.Context(), p, e)
	if err != nil || len(notes) != 1 || e["GOMODCACHE"] != modules || !strings.HasPrefix(e["GOCACHE"], p.Private) || !strings.HasPrefix(e["HOME"], p.Private) {
		t.Errorf("GOMODCACHE=%q, want %q; GOCACHE=%q and HOME=%q, want them in %s; notes %q, %v", e["GOMODCACHE"], modules, e["GOCACHE"], e["HOME"], p.Private, notes, err)
	}
}
