package cmd

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayescpace/bcpace/internal/pomdptest"
)

// A policy that was saved earns what its bounds say, and fits no other model.
func TestPolicyFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tiger.policy")
	model := filepath.Join("..", "..", "data", "tiger.pomdpx")
	for _, algorithm := range []string{"sarsop", "pbvi", "perseus"} {
		r := solveJSON(t, "solve --model "+model+" --algorithm "+algorithm+" --force --out "+file)
		e := decode[wantEvaluation](t, succeed(t, "eval", "--model", model, "--policy", file, "--episodes", "4000", "--horizon", "200", "--json"))
		if *e.Mean < *r.Lower-4*(*e.StdErr)-0.01 || *e.Mean > *r.Upper+4*(*e.StdErr) { // a false alarm in 5,000
			t.Errorf("%s: the policy earns %v ± %v, outside of [%v, %v]", algorithm, *e.Mean, *e.StdErr, *r.Lower, *r.Upper)
		}
	}
	other := filepath.Join("..", "..", "data", "chain.pomdpx")
	failing := func(want int, args ...string) string {
		code, _, stderr := call(t, args...)
		if code != want {
			t.Errorf("bcpace %s: exit code %d, want %d", strings.Join(args, " "), code, want)
		}
		return stderr
	}
	if got := failing(1, "eval", "--model", other, "--policy", file); !strings.Contains(got, "tiger.policy") {
		t.Errorf("%q does not name the file", got)
	}
	if err := os.WriteFile(file, []byte("<Policy"), 0o600); err != nil {
		t.Fatal(err)
	}
	failing(1, "eval", "--model", model, "--policy", file)
	failing(2, "eval", "--policy", file)
	failing(2, "eval", "--env", "tiger", "--policy", file)
	failing(2, "eval", "--model", model, "--policy", file, "--algorithm", "qmdp")
	if got := failing(1, "solve", "--model", other, "--algorithm", "sarsop", "--out", file); !strings.Contains(got, "holds a policy that is not for chain") {
		t.Errorf("%q does not say that the policy of another model stays", got)
	}
}

// A .alpha file of pomdp-solve is a policy: here one that always stays, and so earns 1/(1−γ)
// where it starts in the good state, with probability 0.14.
func TestAlphaFile(t *testing.T) {
	dir := t.TempDir()
	model, file := filepath.Join(dir, "unvisited.pomdp"), filepath.Join(dir, "stay.alpha")
	for name, text := range map[string]string{model: pomdptest.Unvisited, file: "0\n0 20\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := decode[wantEvaluation](t, succeed(t, "eval", "--model", model, "--policy", file, "--episodes", "4000", "--json"))
	if math.Abs(*e.Mean-0.14*20) > 4*(*e.StdErr)+0.01 { // a false alarm in 15,000
		t.Errorf("the policy earns %v ± %v, want 2.8", *e.Mean, *e.StdErr)
	}
	seen := filepath.Join("..", "..", "data", "tiger.pomdpx")
	if code, _, stderr := call(t, "eval", "--model", seen, "--policy", file); code != 1 || !strings.Contains(stderr, "number of visible states is 3") {
		t.Errorf("exit code %d, %q, for a model of which a part is seen", code, stderr)
	}
}

// A policy earns its lower bound also where a plan continues at a belief that the search
// has not visited: here it always stays, once it knows that the state is good.
func TestPolicyUnvisited(t *testing.T) {
	dir := t.TempDir()
	model, file := filepath.Join(dir, "unvisited.pomdp"), filepath.Join(dir, "unvisited.policy")
	text := pomdptest.Unvisited
	if err := os.WriteFile(model, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := solveJSON(t, "solve --model "+model+" --algorithm sarsop --out "+file)
	e := decode[wantEvaluation](t, succeed(t, "eval", "--model", model, "--policy", file, "--episodes", "4000", "--json"))
	if r.Certificate != "exact" || *r.Lower < 17.783 || *e.Mean < *r.Lower-4*(*e.StdErr)-0.01 { // a false alarm in 30,000
		t.Errorf("the policy earns %v ± %v, the lower bound is %v", *e.Mean, *e.StdErr, *r.Lower)
	}
}
