package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
	name := filepath.Join(t.TempDir(), "my walk.py")
	if err := os.WriteFile(name, []byte(strings.NewReplacer(change...).Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	return "'" + strings.TrimSpace(string(out)) + "' \"" + name + "\""
}

func TestSimulated(t *testing.T) {
	t.Parallel()
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
		{[]string{"solve", "--process", walk, "--algorithm", "bayes-cpace", "--max-episodes", "2", "--horizon", "5", "--batch", "2", "--certificate-episodes", "50", "--out", run, "--json"}, &solved},
		{[]string{"eval", "--run", run, "--process", walk, "--episodes", "6", "--horizon", "4", "--json"}, &played},
		{[]string{"eval", "--run", run, "--process", walk, "--episodes", "6", "--horizon", "4", "--workers", "3", "--json"}, &again},
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
	// What was saved of a simulator goes on, is verified, acts and is drawn with it, and says so without it.
	policy := filepath.Join(t.TempDir(), "walk.json")
	succeed(t, "solve", "--process", walk, "--algorithm", "policy-search", "--max-steps", "200", "--out", policy)
	for _, args := range []string{"solve --max-episodes 3 --resume " + run, "verify --run " + run, "act --run " + run, "plot --run " + run, "act --policy " + policy, "eval --episodes 5 --policy " + policy} {
		p := program{ctx: t.Context(), stdin: strings.NewReader(`{"state": [0]}`), stdout: &strings.Builder{}, stderr: &strings.Builder{}}
		if err := dispatch(p, append(line(args), "--process", walk)); err != nil {
			t.Errorf("%s: %v", args, err)
		}
		if code, _, stderr := call(t, line(args)...); code != exitError || !strings.Contains(stderr, "--process was given then") {
			t.Errorf("%s without the simulator: %d, %s", args, code, stderr)
		}
	}
	tiger := filepath.Join(t.TempDir(), "tiger.bcp")
	succeed(t, line("solve --env tiger --max-episodes 2 --out "+tiger)...)
	if code, _, stderr := call(t, "verify", "--run", tiger, "--process", walk); code == 0 || !strings.Contains(stderr, "leave it out") {
		t.Errorf("a simulator for a run of an environment: %d, %s", code, stderr)
	}
	sweep := filepath.Join(t.TempDir(), "sweep.json")
	if err := os.WriteFile(sweep, []byte(`{"base": {"process": "python3 walk.py"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := call(t, "sweep", "run", sweep); code == 0 || !strings.Contains(stderr, "no simulator of another program") {
		t.Errorf("a sweep of a simulator: %d, %s", code, stderr)
	}
	// What the program says of its horizon works, and advise recommends what takes it.
	short := walkProcess(t, `"discount": 0.9`, `"horizon": 4, "discount": 1`)
	if advised := succeed(t, "advise", "--process", short); !strings.Contains(advised, "policy-search for walk") || strings.Contains(advised, "warning") {
		t.Errorf("advise says %s", advised)
	}
	succeed(t, "solve", "--process", short, "--max-steps", "200")
	// A whole check asks the process some 10,000 times; package process has one of the same walk.
	code, stdout, stderr := call(t, "check", "--process", short, "--timeout", "2s")
	if code != 0 || !strings.Contains(stdout, "No fault found") || !strings.Contains(stdout, "steps taken twice with equal random numbers") {
		t.Errorf("check: %s %s", stdout, stderr)
	}
}

func TestSimulatedMistakes(t *testing.T) {
	walk := walkProcess(t)
	alone := walkProcess(t, `"likelihood": True`, `"likelihood": False`)
	endless := walkProcess(t, `"discount": 0.9`, `"goal": True, "discount": 1`)
	for want, args := range map[string][]string{
		"--env is given, too":                    {"solve", "--env", "tiger", "--process", walk},
		"want a program and its arguments":       {"solve", "--process", " "},
		"contradict each other: they are for":    {"solve", "--process", walk, "--set", "a=1"},
		"--likelihood-draws needs --process":     {"solve", "--env", "tiger", "--likelihood-draws", "50"},
		"the simulator knows its likelihoods":    {"solve", "--process", walk, "--likelihood-draws", "50"},
		"the model has no likelihoods":           {"solve", "--process", alone},
		"Draws is 1, want a number from 10":      {"solve", "--process", alone, "--likelihood-draws", "1"},
		"it ended before it answered hello":      {"check", "--process", "false"},
		"--process, --env or --model is missing": {"check"},
		"out of time before it had answered":     {"solve", "--process", "sleep 600", "--timeout", "300ms"},
		"executable file not found":              {"eval", "--process", "no-such-program"},
		"needs a list of the successors":         {"solve", "--process", walk, "--algorithm", "qmdp"},
		"every quote has its end":                {"solve", "--process", "python3 'walk.py"},
		"policy-search has none: leave it out; the horizon of a simulator is what its program says":           {"solve", "--process", walk, "--algorithm", "policy-search", "--horizon", "20"},
		"is what its program says in the answer to hello (\"horizon\": 200), and then policy-search takes it": {"solve", "--process", endless, "--horizon", "20"},
		"(\"horizon\": 200), and then policy-search takes it":                                                 {"advise", "--process", endless},
	} {
		code, _, stderr := call(t, args...)
		if code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%v: %d, %s\nwant %s", args, code, stderr, want)
		}
	}
}

// TestSilentSimulator: an interrupt ends the wait for a simulator that does not answer, for every verb that starts one.
func TestSilentSimulator(t *testing.T) {
	for _, args := range []string{"solve", "eval --algorithm pomcpow", "check", "advise"} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		p := program{ctx: ctx, stdin: strings.NewReader(""), stdout: &strings.Builder{}, stderr: &strings.Builder{}}
		if err := dispatch(p, append(line(args), "--process", "sleep 600")); err == nil || !strings.Contains(err.Error(), "interrupted before it had answered") {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// dies returns --process with a walk that does something with the request of a number that is too large for it.
func dies(t *testing.T, after int, what string) string {
	t.Helper()
	const answer = "    print(json.dumps(a), flush=True)"
	return walkProcess(t, answer, fmt.Sprintf("    if q[\"id\"] > %d: %s\n%s", after, what, answer))
}

// TestSimulatorFallsSilent: where a simulator does not answer in mid-run, the command ends with its time, and its error blames the simulator.
func TestSimulatorFallsSilent(t *testing.T) {
	t.Parallel()
	silent := dies(t, 40, `__import__("time").sleep(600)`)
	for args, want := range map[string]string{
		"solve --timeout 2s":                          "it had not answered request ",
		"solve --timeout 2s --algorithm bayes-cpace":  "it had not answered request ",
		"eval --timeout 2s --algorithm policy-search": "it had not answered request ",
		"check --timeout 2s":                          "it had not answered request ",
		"check --timeout 1ns":                         "out of time",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			begin := time.Now()
			code, _, stderr := call(t, append(line(args), "--process", silent)...)
			if code != exitError || !strings.Contains(stderr, want) || strings.Contains(stderr, "more time") && want != "out of time" {
				t.Errorf("%s: %d, %s\nwant %s", args, code, stderr, want)
			}
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("%s took %v", args, took)
			}
		})
	}
}
