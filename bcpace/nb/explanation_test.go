package nb

import (
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// TestExplanationTable holds the table of an explanation to what Explain says: in an
// unexplored place, near samples, and at a one-hot belief.
func TestExplanationTable(t *testing.T) {
	if _, ok := tabular((*cpace.Explanation)(nil)); ok {
		t.Error("a nil explanation is a table")
	}
	shown := func(o cpace.Solver, b bcpace.Belief) string {
		t.Helper()
		r, err := runs.Explore(t.Context(), envs.Tiger{Ends: true}, o)
		if err != nil {
			t.Fatal(err)
		}
		x, err := cpace.Explain(r, []float64{0}, b, 0)
		if err != nil {
			t.Fatal(err)
		}
		m, err := render([]any{x})
		if err != nil || len(m) != 1 {
			t.Fatalf("%d messages, error %v", len(m), err)
		}
		return m[0].plain
	}
	o := cpace.Solver{Epsilon: 1, LipQ: 10, K: 40, MaxEpisodes: 1, Horizon: 3, CertificateEpisodes: -1, SeedOneHot: true}
	for belief, want := range map[float64][]string{
		0.5: {"Q̃ of listen, not known", "mean of k = 40", " missing"},
		1:   {"one-hot belief of tiger left", "8.5"}, // −1 + 0.95·10: the door opens after it
	} {
		text := shown(o, bcpace.Belief{belief, 1 - belief})
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("belief %v: no %q in\n%s", belief, w, text)
			}
		}
	}
}
