//go:build unix && long

package python

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestInstalled: pip installs the package from the clone into a new virtual environment without the network, and with
// the command, and the installed module runs it.
func TestInstalled(t *testing.T) {
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s%s", name, args, err, out, &stderr)
		}
		return string(out)
	}
	path := python(t)
	t.Setenv("PYTHONPATH", "")
	t.Setenv("BCPACE", "")
	folder := t.TempDir()
	program := command(t)
	source := filepath.Join(folder, "python") // as pip may leave files beside what it installs
	if err := os.CopyFS(source, os.DirFS("../../python")); err != nil {
		t.Fatal(err)
	}
	venv := filepath.Join(folder, "venv")
	inside := filepath.Join(venv, "bin", "python")
	run(path, "-m", "venv", "--without-pip", venv)
	pip := []string{path, "-m", "pip", "--python", inside} // to bring one of its own takes longer than all the rest
	if exec.Command(pip[0], append(pip[1:], "--version")...).Run() != nil {
		run(inside, "-m", "ensurepip")
		pip = []string{inside, "-m", "pip"}
	}
	run(pip[0], append(pip[1:], "install", "--quiet", "--disable-pip-version-check", "--no-index", "--config-settings", "command="+program, source)...)
	t.Setenv("PATH", filepath.Join(venv, "bin")+":"+os.Getenv("PATH"))
	var got struct {
		Version, Check, Solve string
		Spaced                []string
		Eval                  [2]float64
		Path, Env, Process    string
	}
	walk, err := filepath.Abs("testdata/walk.py")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(walk)
	if err != nil {
		t.Fatal(err)
	}
	spaced := filepath.Join(folder, "it's my walk.py")
	if err := os.WriteFile(spaced, text, 0o600); err != nil {
		t.Fatal(err)
	}
	quiet := filepath.Join(folder, "my walk.py")
	if err := os.WriteFile(quiet, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(run("python", "-I", "testdata/back.py", walk, quiet, spaced)), &got); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got.Version, venv) || got.Check != "walk" || got.Solve != "simulated" || got.Eval[0] != got.Eval[1] || !slices.Equal(got.Spaced, []string{"walk", "walk", "walk"}) {
		t.Errorf("got %+v", got)
	}
	for text, want := range map[string]string{got.Path: `"no-such-command"`, got.Env: `"tigger"`, got.Process: `"no such program": executable file not found`} {
		if !strings.Contains(strings.ReplaceAll(text, "'", `"`), want) {
			t.Errorf("got %q, want %s", text, want)
		}
	}
}
