//go:build unix && long

package runner

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
	here, err := FindPlace(".")
	if err != nil {
		t.Fatal(err)
	}
	s := NewSession(here, io.Discard)
	// For all tests, as nobody can set up below the kernels of other packages' tests.
	for _, profile := range []Profile{ProfileLab, ProfileGrader} {
		if err := s.Setup(t.Context(), profile); err != nil {
			t.Fatal(err)
		}
	}
	// pip has installed what is pinned and looked for nothing else.
	check := exec.CommandContext(t.Context(), s.python(), "-m", "pip", "check", "--disable-pip-version-check")
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("the requirements are not a whole closure: %v\n%s", err, out)
	}
	// The clone under another name, which is how Jupyter comes to see it.
	clone := filepath.Join(t.TempDir(), "a $HOME 'of' \"ü\"")
	if err := os.Symlink(s.Root, clone); err != nil {
		t.Fatal(err)
	}
	where := Place{Root: clone, Notebooks: filepath.Join(clone, "notebooks"), Private: filepath.Join(clone, ".bayescpace")}
	moved := NewSession(where, io.Discard)
	env, err := moved.labEnviron(where.Notebooks)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), moved.python(), "-m", "jupyterlab", "--show-config-json")
	cmd.Dir, cmd.Env = moved.Notebooks, env.List()
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
		s := NewSession(Place{Root: dir, Notebooks: filepath.Join(dir, "notebooks"), Private: filepath.Join(dir, ".bayescpace")}, io.Discard)
		err := s.Nbgrader(t.Context(), []string{"--version"})
		if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "rename the folder") {
			t.Errorf("%s: %v; want an error that names the folder and says what to do", name, err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: something was set up", name)
		}
	}
}
