package pomdp_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"bayescpace/bcpace/pomdp"
)

// TestVectorPolicyMisuse expects a belief of another length to be named, and a state that
// the model does not have to get no action, as from other policies.
func TestVectorPolicyMisuse(t *testing.T) {
	p := &pomdp.VectorPolicy{Vectors: [][]pomdp.Vector{{{Action: 2, Value: []float64{1, 3}}}}}
	if a, v := p.Act(0, []float64{0.5, 0.5}), p.Value(0, []float64{0.5, 0.5}); a != 2 || v != 2 {
		t.Errorf("action %d of value %v, want 2 of 2", a, v)
	}
	for _, x := range []int{-1, 1} {
		if a, v := p.Act(x, []float64{1, 0}), p.Value(x, []float64{1, 0}); a != -1 || !math.IsNaN(v) {
			t.Errorf("state %d: action %d of value %v, want none and NaN", x, a, v)
		}
	}
	for _, b := range [][]float64{nil, {1}, {1, 0, 0}} {
		func() {
			defer func() {
				want := fmt.Sprintf("a belief of %d entries over 2 hidden values", len(b))
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("it panics with %q, want %q", got, want)
				}
			}()
			p.Act(0, b)
		}()
	}
}
