package cmd

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// walkProcess returns --process with the walk that is the example of the protocol.
func walkProcess(t *testing.T, change ...string) string {
	t.Helper()
	out, err := exec.Command("python3", "-I", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Skipf("there is no python3: %v", err)
	}
	text, err := os.ReadFile("../process/testdata/walk.py")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "walk.py")
	if err := os.WriteFile(name, []byte(strings.NewReplacer(change...).Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out)) + " " + name
}

func TestSimulated(t *testing.T) {
	walk := walkProcess(t, `"discount": 0.9`, `"discount": 0.3`)
	run := filepath.Join(t.TempDir(), "walk.bcp")
	var solved, played, again struct {
		Model, Assumes string
		Value, Mean    float64
	}
	for _, x := range []struct {
		args []string
		into any
	}{
		{[]string{"solve", "--process", walk, "--algorithm", "bayes-cpace", "--max-episodes", "2", "--horizon", "5", "--batch", "2", "--out", run, "--json"}, &solved},
		{[]string{"eval", "--run", run, "--process", walk, "--episodes", "20", "--horizon", "5", "--json"}, &played},
		{[]string{"eval", "--run", run, "--process", walk, "--episodes", "20", "--horizon", "5", "--workers", "3", "--json"}, &again},
	} {
		code, stdout, stderr := call(t, x.args...)
		if code != 0 {
			t.Fatalf("%v: %s", x.args, stderr)
		}
		if err := json.Unmarshal([]byte(stdout), x.into); err != nil {
			t.Fatal(err)
		}
	}
	if solved.Model != "walk" || played.Mean != again.Mean {
		t.Errorf("solved %+v, played %+v and %+v", solved, played, again)
	}
	code, stdout, stderr := call(t, "check", "--process", walk)
	if code != 0 || !strings.Contains(stdout, "No fault found") {
		t.Errorf("check: %s %s", stdout, stderr)
	}
}

func TestSimulatedMistakes(t *testing.T) {
	walk := walkProcess(t)
	alone := walkProcess(t, `"likelihood": True`, `"likelihood": False`)
	for want, args := range map[string][]string{
		"--env is given, too":                 {"solve", "--env", "tiger", "--process", walk},
		"want a program and its arguments":    {"solve", "--process", " "},
		"contradict each other: they are for": {"solve", "--process", walk, "--set", "a=1"},
		"--likelihood-draws needs --process":  {"solve", "--env", "tiger", "--likelihood-draws", "50"},
		"the simulator knows its likelihoods": {"solve", "--process", walk, "--likelihood-draws", "50"},
		"the model has no likelihoods":        {"solve", "--process", alone},
		"Draws is 1, want a number from 10":   {"solve", "--process", alone, "--likelihood-draws", "1"},
		"it ended before it answered hello":   {"check", "--process", "false"},
		"--process or --env is missing":       {"check"},
		"executable file not found":           {"eval", "--process", "no-such-program"},
		"needs a list of the successors":      {"solve", "--process", walk, "--algorithm", "qmdp"},
	} {
		code, _, stderr := call(t, args...)
		if code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%v: %d, %s\nwant %s", args, code, stderr, want)
		}
	}
}
