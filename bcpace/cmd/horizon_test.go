package cmd

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/envs"
)

// undiscounted writes data/tiger.pomdp with discount 1 and returns its name.
func undiscounted(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "data", "tiger.pomdp"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, l := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(l, "discount") {
			l = "discount: 1.0"
		}
		lines = append(lines, l)
	}
	file := filepath.Join(t.TempDir(), "tiger1.pomdp")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestHorizon: a model file is solved for a number of steps, also without a
// discount, and what is saved is read, verified, resumed and played. Values are
// those of exact rational arithmetic over beliefs.
func TestHorizon(t *testing.T) {
	file := undiscounted(t)
	code, _, stderr := call(t, "solve", "--model", file)
	if code != 1 || !strings.Contains(stderr, "--horizon") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("without a horizon: exit code %d, %q", code, stderr)
	}
	for steps, want := range map[int]float64{2: -2, 3: 2.72, 4: 2.42125, 7: 6.246349875} {
		for _, algorithm := range []string{"", " --algorithm certified", " --algorithm sarsop"} {
			r := solveJSON(t, fmt.Sprintf("solve --model %s --horizon %d --epsilon 1e-6%s", file, steps, algorithm))
			if r.Certificate != "exact" || math.Abs(*r.Lower-want) > 2e-6 || math.Abs(*r.Upper-want) > 2e-6 {
				t.Errorf("T = %d%s: [%v, %v] is %s, want %v", steps, algorithm, *r.Lower, *r.Upper, r.Certificate, want)
			}
		}
		for _, algorithm := range []string{"qmdp", "pomdp-lite"} {
			r := solveJSON(t, fmt.Sprintf("solve --model %s --horizon %d --algorithm %s", file, steps, algorithm))
			if above := *r.Value - want; (algorithm == "qmdp") != (above > 1e-9) && math.Abs(above) > 1e-9 {
				t.Errorf("T = %d, %s: %v, and the optimum is %v", steps, algorithm, *r.Value, want)
			}
		}
	}
	dir := t.TempDir()
	run, policy := filepath.Join(dir, "tiger.bcp"), filepath.Join(dir, "tiger.policy")
	solveJSON(t, "solve --model "+file+" --horizon 4 --epsilon 1e-6 --max-episodes 1 --out "+run)
	if r := solveJSON(t, "solve --resume "+run+" --max-episodes 0"); math.Abs(*r.Lower-2.42125) > 2e-6 || r.Stop != "certified" {
		t.Errorf("resumed: %v, %s", *r.Lower, r.Stop)
	}
	succeed(t, "verify", "--run", run)
	solveJSON(t, "solve --model "+file+" --horizon 4 --algorithm sarsop --out "+policy)
	for _, args := range []string{"--run " + run, "--model " + file + " --policy " + policy} {
		code, stdout, stderr := call(t, line("eval --horizon 5 "+args)...)
		if code != exitError || stdout != "" || !strings.Contains(stderr, "--horizon is 5, want 4 steps at most") {
			t.Errorf("eval %s: exit code %d, %q, %q", args, code, stdout, stderr)
		}
	}
	for _, args := range []string{"--run " + run, "--model " + file + " --policy " + policy, "--model " + file + " --horizon 4"} {
		e := decode[wantEvaluation](t, succeed(t, line("eval --episodes 4000 --json "+args)...))
		if *e.Horizon != 4 || math.Abs(*e.Mean-2.42125) > 4**e.StdErr { // a false alarm in 15,000
			t.Errorf("eval %s: %v ± %v in %d steps", args, *e.Mean, *e.StdErr, *e.Horizon)
		}
	}
}

// TestHorizonBesideEpsilon: the tuned horizon is for the tuned ε, and goes with it; one that
// is given stays, though it be the tuned one.
func TestHorizonBesideEpsilon(t *testing.T) {
	tuned := envs.Tuned(envs.Chain{})
	for horizon, list := range map[int][]bcpace.Param{
		tuned.Horizon: {{Key: epsilonKey, Value: "2"}, {Key: horizonKey, Value: strconv.Itoa(tuned.Horizon)}},
		7:             {{Key: epsilonKey, Value: "2"}, {Key: horizonKey, Value: "7"}},
		0:             {{Key: epsilonKey, Value: "2"}},
	} {
		s, err := (&tuning{list}).apply(tuned, false)
		if o, ok := s.(cpace.Solver); err != nil || !ok || o.Horizon != horizon || o.Epsilon != 2 {
			t.Errorf("%v: %+v, %v, want the horizon %d", list, s, err, horizon)
		}
	}
}
