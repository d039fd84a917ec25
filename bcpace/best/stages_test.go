package best

import (
	"context"
	"testing"
	"time"

	"bayescpace/bcpace/baseline/policysearch"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/internal/randmodel"
)

// TestTableOnce: where a grid is too fine for certified, QMDP comes first if the grid can be solved once in time, and no
// other solver solves it.
func TestTableOnce(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for seconds, want := range map[float64][]string{1200: {"qmdp", "policy-search"}, 3000: {"policy-search"}} {
		stages, first := tableOnce(ctx, []stage{{solver: policysearch.Solver{}}, {solver: qmdp.CertaintyEquivalent{}, tables: true}, {solver: qmdp.Solver{}, tables: true}}, seconds)
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

// TestManyAxes: before a deadline, policy search alone is tried where there are more than three axes of real numbers,
// as QMDP is among its policies.
func TestManyAxes(t *testing.T) {
	for axes, many := range map[int]bool{3: false, 4: true} {
		for _, timed := range []bool{false, true} {
			stages, err := stagesOf(randmodel.SmallGoal(axes, 0.1), timed)
			if err != nil {
				t.Fatal(err)
			}
			if alone := len(stages) == 1; alone != (many && timed) || stages[0].solver.Name() != "policy-search" {
				t.Errorf("%d axes, a deadline %v: %d stages, the first of %s", axes, timed, len(stages), stages[0].solver.Name())
			}
		}
	}
}
