package nb

import (
	"fmt"
	"testing"

	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// TestRepeat: each seed makes a run of its own, and its line of the table has the means.
func TestRepeat(t *testing.T) {
	t.Setenv("BAYESCPACE_STORE", t.TempDir())
	m := envs.Chain{}
	options := func(seed uint64) cpace.Solver {
		return cpace.Solver{Epsilon: 1, K: 1, LipQ: 2, Batch: 10, MaxEpisodes: 20, CertificateEpisodes: -1, Seed: seed}
	}
	a := Repeat(m, "k = 1", 2, 8, func(seed uint64) runs.Explorer { return options(seed) })
	first, second := Explore(m, options(1)), Explore(m, options(2))
	if want := float64(first.Samples.Len()+second.Samples.Len()) / 2; a.Samples.Mean != want {
		t.Errorf("%v samples, want %v", a.Samples.Mean, want)
	}
	want := fmt.Sprintf("[[k = 1 %s %s %s %s]]", a.Samples.Text(0), a.Steps.Text(0), a.Sweeps.Text(0), a.Value.Text(2))
	if table := Averages("Chain", []eval.Averages{a}); table.Title != "Chain" || fmt.Sprint(table.Rows) != want {
		t.Errorf("%v, want %s", table, want)
	}
}
