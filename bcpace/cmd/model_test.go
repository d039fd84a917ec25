package cmd

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/solvers"
)

const dataFolder = "../../data/"

// TestModelFile solves the files of package data, whose optimal values are
// known. A .pomdp file hides all of the state, and its observations reveal it.
func TestModelFile(t *testing.T) {
	for _, c := range []struct {
		args []string
		want float64
	}{
		{[]string{"--model", dataFolder + "tiger.pomdpx"}, 19.3714},
		{[]string{"--model", dataFolder + "chain.pomdpx", "--algorithm", "certified"}, 48.081},
		{[]string{"--model", dataFolder + "chain.pomdp", "--algorithm", "certified"}, 48.081},
		{[]string{"--model", dataFolder + "light-dark-tiger.pomdpx"}, 6.98337},
		{[]string{"--model", dataFolder + "light-dark-tiger.pomdp"}, 6.98337},
		{[]string{"--model", dataFolder + "light-dark-tiger.pomdpx", "--algorithm", "pomdp-lite"}, 6.98337},
		{[]string{"--model", dataFolder + "tiger.pomdpx", "--algorithm", "qmdp"}, 189},
		{[]string{"--model", dataFolder + "tiger.pomdp", "--algorithm", "qmdp"}, 189},
		{[]string{"--model", dataFolder + "tiger.pomdp", "--algorithm", "sarsop"}, 19.3714},
		{[]string{"--model", dataFolder + "chain.pomdpx", "--algorithm", "sarsop"}, 48.081},
		{[]string{"--env", "chain", "--algorithm", "sarsop"}, 48.081},
		{[]string{"--env", "chain", "--algorithm", "pbvi"}, 48.081},
		{[]string{"--model", dataFolder + "tiger.pomdp", "--algorithm", "pbvi"}, 19.3714},
		{[]string{"--model", dataFolder + "light-dark-tiger.pomdpx", "--algorithm", "pbvi"}, 6.98337},
		{[]string{"--model", dataFolder + "tiger.pomdp", "--algorithm", "perseus"}, 19.3714},
		{[]string{"--model", dataFolder + "chain.pomdpx", "--algorithm", "perseus"}, 48.081},
		{[]string{"--env", "light-dark-tiger", "--algorithm", "sarsop", "--epsilon", "0.0001"}, 6.98337},
		{[]string{"--env", "light-dark-tiger", "--algorithm", "pomdp-lite", "--bonus", "0"}, 0},
		{[]string{"--env", "light-dark-tiger", "--algorithm", "pomdp-lite"}, 6.98337},
	} {
		var r struct{ Value float64 }
		if err := json.Unmarshal([]byte(succeed(t, append(append([]string{"solve"}, c.args...), "--json")...)), &r); err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.Value-c.want) > 2e-3 {
			t.Errorf("solve %v: %v, want %v", c.args, r.Value, c.want)
		}
	}
}

// TestModelFileRun: a run of a model file is saved, verified and evaluated, and
// a policy of a POMDP's tables is evaluated on them.
func TestModelFileRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "tiger.bcp")
	succeed(t, "solve", "--model", dataFolder+"tiger.pomdpx", "--out", out)
	succeed(t, "verify", "--run", out)
	for _, args := range [][]string{{"--run", out}, {"--model", dataFolder + "tiger.pomdpx", "--algorithm", "qmdp"}, {"--model", dataFolder + "tiger.pomdp", "--algorithm", "qmdp"},
		{"--model", dataFolder + "tiger.pomdp", "--algorithm", "sarsop"}, {"--env", "tiger", "--algorithm", "sarsop"}, {"--env", "tiger", "--algorithm", "pbvi"}, {"--model", dataFolder + "tiger.pomdp", "--algorithm", "perseus"}} {
		var r struct {
			Mean, StdErr float64
		}
		if err := json.Unmarshal([]byte(succeed(t, append(append([]string{"eval"}, args...), "--episodes", "4000", "--json")...)), &r); err != nil {
			t.Fatal(err)
		}
		// 4.9 standard errors miss with probability 1e-6.
		if math.Abs(r.Mean-19.3714) > 4.9*r.StdErr {
			t.Errorf("eval %v: %v ± %v, want 19.3714", args, r.Mean, r.StdErr)
		}
	}
}

// walkFile writes a POMDP that is no BAMDP to a file of a new folder: its hidden part is seen as
// it moves.
func walkFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "walk.pomdp")
	text := `discount: 0.9
values: reward
states: 2
actions: 1
observations: 2
T: 0
0.5 0.5
0.5 0.5
O: 0
0.8 0.2
0.2 0.8
R: 0 : 0 : * : * 1
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestSweepExplainsAsSolve: of a POMDP that is no BAMDP, sweep says word for word what solve says.
func TestSweepExplainsAsSolve(t *testing.T) {
	file := walkFile(t)
	for _, algorithm := range []string{solvers.BayesCPACE, solvers.Certified, "beb"} {
		_, _, solve := call(t, "solve", "--model", file, "--algorithm", algorithm)
		dir, spec := sweepFile(t, fmt.Sprintf(`{"base": {"model": %q, "algorithm": %q}}`, file, algorithm))
		code, _, sweep := call(t, "sweep", "run", spec, "--folder", filepath.Join(dir, "results"))
		solve, sweep = strings.TrimPrefix(solve, "bcpace: "), strings.TrimPrefix(sweep, "bcpace: trial 0: ")
		if code != exitError || sweep != solve || !strings.HasPrefix(solve, algorithm+` needs a Bayes-adaptive MDP: POMDP "walk" is no BAMDP: after action "0"`) {
			t.Errorf("code %d: sweep says %q, and solve %q", code, sweep, solve)
		}
	}
}

// TestModelFileRefused: a POMDP that is no BAMDP is refused by what needs one,
// and solved by the rest.
func TestModelFileRefused(t *testing.T) {
	file := walkFile(t)
	if code, _, stderr := call(t, "solve", "--model", file, "--algorithm", "certified"); code != exitError || !strings.Contains(stderr, "certified needs a Bayes-adaptive MDP") {
		t.Errorf("code %d: %s", code, stderr)
	}
	r := decode[result](t, succeed(t, "solve", "--model", file, "--json"))
	if r.Algorithm != solvers.SARSOP || r.Certificate != "exact" || !(r.Lower <= 5 && 5 <= r.Upper && r.Upper-r.Lower <= solvers.FiniteGap) {
		t.Errorf("%+v, want sarsop's bounds of 5", r)
	}
	succeed(t, "eval", "--model", file, "--algorithm", "qmdp")
}

// TestManyLatents: a model file whose hidden part has many values goes to sarsop,
// unless an algorithm is named or a run is to be saved.
func TestManyLatents(t *testing.T) {
	dir := t.TempDir()
	file := func(hidden int) string {
		name := filepath.Join(dir, fmt.Sprint(hidden, ".pomdp"))
		// Nothing changes, nothing is seen, and the second action pays.
		text := fmt.Sprintf("discount: 0.5\nvalues: reward\nstates: %d\nactions: 2\nobservations: 2\nT: *\nidentity\nO: *\nuniform\nR: 1 : * : * : * 3\n", hidden)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	few, many := file(choose.ManyLatents), file(choose.ManyLatents+1)
	kept, policy := filepath.Join(dir, "x.json"), filepath.Join(dir, "x.policy")
	for args, want := range map[string]string{
		few:                             "certified",
		many:                            solvers.SARSOP,
		many + " --algorithm certified": "certified",
		many + " --out " + kept:         solvers.SARSOP,
		many + " --out " + policy:       solvers.SARSOP,
		many + " --k 1 --max-episodes 1 --certificate-episodes 50": "bayes-cpace",
		few + " --algorithm sarsop --epsilon 10":                   solvers.SARSOP,
	} {
		r := solveJSON(t, "solve --model "+args)
		if r.Algorithm != want || want != "bayes-cpace" && math.Abs(*r.Value-6) > solvers.FiniteGap {
			t.Errorf("solve --model %s: %s finds %v, want %s and 6", args, r.Algorithm, *r.Value, want)
		}
	}
	succeed(t, "verify", "--run", kept)
	succeed(t, "eval", "--model", many, "--policy", policy, "--episodes", "2")
}

// TestModelFileTooLarge: a BAMDP whose tables would take more memory than certified
// allows is refused by it, and solved by sarsop where none is asked for.
func TestModelFileTooLarge(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vast.pomdp")
	// Nothing changes and nothing is seen, but the last of 40,000 observations would
	// tell states apart, in tables of 40,001 × 4200 rows.
	text := `discount: 0.9
values: reward
states: 200
actions: 4200
observations: 40000
T: *
identity
O: * : * : 0 1
R: 7 : * : * : * 1
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := call(t, "solve", "--model", file, "--algorithm", "certified")
	for _, want := range []string{"40001 states × 4200 actions × 200 latents", "2.02 GB", "SARSOP"} {
		if code != exitError || !strings.Contains(stderr, want) {
			t.Errorf("code %d: %s, want it to say %q", code, stderr, want)
		}
	}
	r := decode[result](t, succeed(t, "solve", "--model", file, "--json"))
	if r.Algorithm != solvers.SARSOP || !(r.Lower <= 10 && 10 <= r.Upper && r.Upper-r.Lower <= solvers.FiniteGap) {
		t.Errorf("%+v, want sarsop's bounds of 10", r)
	}
}
