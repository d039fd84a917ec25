//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A clone may lie in a folder whose name is a variable to Jupyter, which would
// then run no cell in JupyterLab, as it does not find its configuration.
func TestLabFindsItsConfiguration(t *testing.T) {
	s := kernel(t, "")
	if err := s.setup(t.Context(), profileLab); err != nil {
		t.Fatal(err)
	}
	// The clone under another name, which is how Jupyter comes to see it.
	clone := filepath.Join(t.TempDir(), "a $HOME 'of' \"ü\"")
	if err := os.Symlink(s.root, clone); err != nil {
		t.Fatal(err)
	}
	where := place{root: clone, notebooks: filepath.Join(clone, "notebooks"), private: filepath.Join(clone, ".bayescpace")}
	moved := newSession(where, io.Discard)
	env, err := moved.labEnviron(where.notebooks)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), moved.python(), "-m", "jupyterlab", "--show-config-json")
	cmd.Dir, cmd.Env = moved.notebooks, env.list()
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "untracked_message_types") {
		t.Errorf("JupyterLab's configuration is %s, %v; want the one of set-up", out, err)
	}
}

// What nbgrader would do to such a clone, it does only after it has deleted
// the released notebook, so it is not even started.
func TestNbgraderPaths(t *testing.T) {
	for _, name := range []string{"$HOME", "100%", "[new]", "what?", "a*b", "`a`", `"a"`} {
		dir := filepath.Join(t.TempDir(), name)
		s := newSession(place{root: dir, notebooks: filepath.Join(dir, "notebooks"), private: filepath.Join(dir, ".bayescpace")}, io.Discard)
		err := s.nbgrader(t.Context(), []string{"--version"})
		if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "rename the folder") {
			t.Errorf("%s: %v; want an error that names the folder and says what to do", name, err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: something was set up", name)
		}
	}
}
