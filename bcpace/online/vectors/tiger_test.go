package vectors_test

import (
	"math"
	"testing"

	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// To open the door after two growls more from the other side is optimal: tigerValue is the value of that by exact dynamic programming,
// with which it agrees for many steps.
func TestTigerValue(t *testing.T) {
	best, err := eval.Optimal(t.Context(), envs.Tiger{}, eval.ExactOptions{Tolerance: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	optimal := [mostGrowls + 1][3]float64{{1}, {1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}}
	if got := tigerValue(optimal, 1000); math.Abs(got-best.Value) > 1e-3 {
		t.Errorf("the optimal policy is worth %v, want %v", got, best.Value)
	}
}
