package nb

import (
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
)

// TestIntervalKindIsShown: a table says where an interval is not by Student's t.
func TestIntervalKindIsShown(t *testing.T) {
	spec := bcpace.Spec{Discount: 1, Horizon: 1, RewardMin: -100, RewardMax: 1}
	of := func(x ...float64) eval.Result {
		return eval.Summarise(spec, 1, x, make([]int, len(x)), make([]bool, len(x)))
	}
	usual, equal := of(-1, 0, 1), of(1, 1, 1)
	if got := render1(usual, limits{}).plain; strings.Contains(got, "range") {
		t.Errorf("%s", got)
	}
	if got := render1(equal, limits{}).plain; !strings.Contains(got, "95% interval, by the range of returns") {
		t.Errorf("%s", got)
	}
	if got := Scores([]eval.Score{{Name: "a", Result: usual}}); len(got.Header) != 4 {
		t.Errorf("%v", got)
	}
	got := Scores([]eval.Score{{Name: "a", Result: usual}, {Name: "b", Result: equal}})
	if len(got.Header) != 5 || got.Rows[0][4] != "" || got.Rows[1][4] != "by the range of returns" {
		t.Errorf("%v", got)
	}
}
