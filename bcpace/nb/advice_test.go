package nb

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// Without a solver several are tried, and what they have earned is shown; of more than one, none is
// taken.
func TestSolverFromALook(t *testing.T) {
	var b bytes.Buffer
	found, err := tryAll(t.Context(), &output{screen: terminal{w: &b}}, envs.Tiger{})
	if err != nil || found.Solver.Name() != "certified" || !strings.Contains(b.String(), "Tried on tiger") || !strings.Contains(b.String(), "chosen") {
		t.Errorf("%+v, %v, and\n%s", found, err, b.String())
	}
	code, stderr := 0, os.Stderr
	exit = func(c int) { code = c }
	os.Stderr, _ = os.Open(os.DevNull)
	defer func() { exit, os.Stderr = os.Exit, stderr }()
	if Solve(envs.Tiger{}, make([]bcpace.Solver, 2)...); code != 1 {
		t.Error("two solvers are taken for one")
	}
}

// A run that was chosen from several shows the choice, and what would help it.
func TestShowChoiceAndWarnings(t *testing.T) {
	o := cpace.Solver{Epsilon: 0.01, LipQ: 2, K: 5, Batch: 50, MaxEpisodes: 50, CertificateEpisodes: 50, Policy: runs.PolicyBest, Seed: 1}
	r, err := runs.Explore(t.Context(), envs.Chain{Discount: 0.8}, o)
	if err != nil {
		t.Fatal(err)
	}
	text := runTable(r, r.Certificate).source()
	g := layout(text, limits{}).text()
	for _, want := range []string{"policy", r.Choice.Name(), "earned by each, simulated", "always A", "warning", "what would help"} {
		if !strings.Contains(g, want) {
			t.Errorf("no %q in\n%s", want, g)
		}
	}
}
