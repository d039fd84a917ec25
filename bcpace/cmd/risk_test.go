package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRisk: bounds for ten steps of Tiger close, and contain what risk's example has.
func TestRisk(t *testing.T) {
	for args, want := range map[string][2]float64{
		"tiger.pomdpx --risk cvar=0.1 --epsilon 0.2":                    {-3.84, -3.80},
		"tiger.pomdp --risk cvar=0.1 --epsilon 0.2":                     {-3.84, -3.80},
		"tiger.pomdpx --risk cvar=0.1 --epsilon 0.2 --algorithm sarsop": {-3.84, -3.80},
		"tiger.pomdpx --risk below=0 --epsilon 0.01":                    {0.017388, 0.017389},
		"tiger.pomdp --risk below=0 --epsilon 0.01 --algorithm sarsop":  {0.017388, 0.017389},
	} {
		code, stdout, stderr := call(t, strings.Fields("solve --horizon 10 --json --model ../../data/"+args)...)
		var r questionResult
		if err := json.Unmarshal([]byte(stdout), &r); code != 0 || err != nil {
			t.Fatalf("%q: %d, %v, %s", args, code, err, stderr)
		}
		if float64(r.Lower) > want[1] || float64(r.Upper) < want[0] || r.Upper-r.Lower > 0.2 || r.Stop != "certified" {
			t.Errorf("%q: %+v, want around %v", args, r, want)
		}
	}
	code, stdout, stderr := call(t, strings.Fields("solve --env chain --risk cvar=1 --epsilon 1")...)
	if code != 0 || !strings.Contains(stdout, "the mean of the worst 1 of the returns") {
		t.Errorf("%d, %s, %s", code, stdout, stderr)
	}
}

// TestLimit: with a bite in ten episodes at most, Tiger is worth 18.12.
func TestLimit(t *testing.T) {
	for _, args := range []string{"", " --algorithm sarsop"} {
		code, stdout, stderr := call(t, strings.Fields("solve --env tiger --limit 0.1 --loss -100 --epsilon 0.1 --json"+args)...)
		var r questionResult
		if err := json.Unmarshal([]byte(stdout), &r); code != 0 || err != nil {
			t.Fatalf("%q: %d, %v, %s", args, code, err, stderr)
		}
		if r.Lower > 18.13 || r.Upper < 18.11 || r.Upper-r.Lower > 0.1 || r.Cost > 0.1001 || r.Stop != "certified" {
			t.Errorf("%q: %+v", args, r)
		}
	}
	for env, want := range map[string]float64{"tiger": -20, "chain": 48.085} { // where no loss is allowed, and where there is none to forbid
		code, stdout, stderr := call(t, strings.Fields("solve --limit 0 --loss -100 --epsilon 0.1 --json --env "+env)...)
		var r questionResult
		if err := json.Unmarshal([]byte(stdout), &r); code != 0 || err != nil {
			t.Fatalf("%s: %d, %v, %s", env, code, err, stderr)
		}
		if float64(r.Lower) > want+0.01 || float64(r.Upper) < want-0.01 || r.Cost != 0 || r.Stop != "certified" {
			t.Errorf("%s: %+v, want %v", env, r, want)
		}
	}
	code, stdout, stderr := call(t, strings.Fields("solve --env tiger --limit 0.1 --loss -100 --epsilon 0.1")...)
	if code != 0 || !strings.Contains(stdout, "0.1 steps that pay -100 or less") {
		t.Errorf("%d, %s, %s", code, stdout, stderr)
	}
}

func TestQuestionsRefuse(t *testing.T) {
	for _, args := range []string{
		"--risk cvar=0.1",
		"--risk worst=0.1 --epsilon 1",
		"--risk below=x --epsilon 1",
		"--risk cvar=0.1 --epsilon 1 --algorithm qmdp",
		"--limit 0.1 --epsilon 1",
		"--loss 0.1 --epsilon 1",
		"--limit 0.1 --loss -100",
		"--limit 0.1 --loss -100 --risk cvar=0.1 --epsilon 1",
		"--robust all --risk cvar=0.1 --epsilon 1",
	} {
		if code, _, stderr := call(t, strings.Fields("solve --env tiger "+args)...); code != exitUsage || stderr == "" {
			t.Errorf("%s: exit code %d, %q", args, code, stderr)
		}
	}
	means := filepath.Join(t.TempDir(), "means.pomdp")
	if err := os.WriteFile(means, []byte("discount: 0.9\nvalues: reward\nstates: 2\nactions: 2\nobservations: 2\nstart: uniform\nT: * identity\nO: 0\n0.9 0.1\n0.1 0.9\nO: 1 uniform\nR: * : * : * : 1 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"--model " + means + " --horizon 2 --risk below=0.95 --epsilon 0.1",
		"--model " + means + " --horizon 2 --limit 0.3 --loss 0 --epsilon 0.1",
		"--env tiger --limit 1 --loss NaN --epsilon 1",
		"--env tiger --risk below=0 --epsilon 0.1",                           // no horizon
		"--env light-dark-tiger --set sigma=0.1 --risk cvar=0.1 --epsilon 1", // not finite
		"--env tiger --risk cvar=0 --epsilon 1",
		"--env tiger --risk cvar=2 --epsilon 1",
		"--env tiger --limit -1 --loss 1 --epsilon 1",
		"--env tiger --loss 1000 --limit 0.1 --epsilon 1", // each step is a loss
	} {
		if code, _, stderr := call(t, strings.Fields("solve "+args)...); code == 0 || code == exitUsage || stderr == "" {
			t.Errorf("%s: exit code %d, %q", args, code, stderr)
		}
	}
	for _, question := range []string{"--risk cvar=0.5", "--risk below=0", "--robust all", "--limit 0.1 --loss -1"} {
		code, _, stderr := call(t, strings.Fields("solve --model ../../data/maze.pomdp --horizon 2 --epsilon 0.1 "+question)...)
		if code == 0 || !strings.Contains(stderr, "needs a Bayes-adaptive MDP: ") || !strings.Contains(stderr, "depend on each other") {
			t.Errorf("%s of what is no BAMDP: exit code %d, %q", question, code, stderr)
		}
	}
}
