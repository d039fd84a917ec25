package cmd

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoal: a model file without a discount and a horizon is solved where its episodes end, played with a count of
// the episodes that were cut, and refused by solvers that need one of the two.
func TestGoal(t *testing.T) {
	const maze, want = "../../data/maze.pomdp", -74. / 13
	policy := filepath.Join(t.TempDir(), "maze.policy")
	r := solveJSON(t, "solve --model "+maze+" --epsilon 1e-6 --out "+policy)
	if r.Algorithm != "sarsop" || r.Certificate != "exact" || *r.Lower > want+1e-9 || *r.Upper < want-1e-9 || *r.Upper-*r.Lower > 1e-6 {
		t.Errorf("%s: [%v, %v] is %s, want %v", r.Algorithm, *r.Lower, *r.Upper, r.Certificate, want)
	}
	for _, args := range []string{"--policy " + policy, "--epsilon 1e-6"} {
		e := decode[wantEvaluation](t, succeed(t, line("eval --episodes 4000 --json --model "+maze+" "+args)...))
		if *e.Horizon != 10_000 || *e.Cut != 0 || math.Abs(*e.Mean-want) > 4**e.StdErr { // a false alarm in 15,000
			t.Errorf("eval %s: %v ± %v, %d cut after %d steps", args, *e.Mean, *e.StdErr, *e.Cut, *e.Horizon)
		}
	}
	if e := decode[wantEvaluation](t, succeed(t, line("eval --episodes 400 --json --horizon 3 --model "+maze+" --policy "+policy)...)); *e.Cut == 0 {
		t.Errorf("after 3 steps no episode of %d was cut", *e.Episodes)
	}
	if text := succeed(t, line("eval --episodes 400 --horizon 3 --model "+maze+" --policy "+policy)...); !strings.Contains(text, "episodes that had not ended") {
		t.Errorf("eval: %q says nothing of the episodes that were cut", text)
	}
	for _, algorithm := range []string{"qmdp", "pbvi", "perseus"} {
		if code, _, stderr := call(t, line("solve --model "+maze+" --algorithm "+algorithm)...); code != exitError || !strings.Contains(stderr, "sarsop") || !strings.Contains(stderr, "--horizon T") {
			t.Errorf("%s: exit code %d, %q", algorithm, code, stderr)
		}
	}
}
