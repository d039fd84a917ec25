package best

import (
	"context"
	"testing"
	"time"

	"bayescpace/bcpace/baseline/certain"
	"bayescpace/bcpace/baseline/policysearch"
	"bayescpace/bcpace/baseline/qmdp"
)

// TestTableOnce: where a grid is too fine for certified, QMDP comes first if the grid can be solved once in time, and no
// other solver solves it.
func TestTableOnce(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for seconds, want := range map[float64][]string{1200: {"qmdp", "policy-search"}, 3000: {"policy-search"}} {
		stages, first := tableOnce(ctx, []stage{{solver: policysearch.Solver{}}, {solver: certain.Solver{}, tables: true}, {solver: qmdp.Solver{}, tables: true}}, seconds)
		if first != (want[0] == "qmdp") || len(stages) != len(want) {
			t.Fatalf("%v s: %v, %v", seconds, stages, first)
		}
		for i, s := range stages {
			if s.solver.Name() != want[i] {
				t.Errorf("%v s: stage %d is %s, want %s", seconds, i+1, s.solver.Name(), want[i])
			}
		}
	}
}
