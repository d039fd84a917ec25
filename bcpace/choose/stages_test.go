package choose

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/envs"
)

// TestTableOnce: where a grid is too fine for certified, QMDP comes first if the grid can be solved once in time, and no
// other solver solves it.
func TestTableOnce(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for seconds, want := range map[float64][]string{1200: {"qmdp", "policy-search"}, 3000: {"policy-search"}} {
		stages, first := tableOnce(ctx, []stage{search(kind{}), certain(kind{}), told(kind{})}, seconds)
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
			k := kindOf(randmodel.SmallGoal(axes, 0.1), timed)
			stages := rowOf(k).list(k)
			if alone := len(stages) == 1; alone != (many && timed) || stages[0].solver.Name() != "policy-search" {
				t.Errorf("%d axes, a deadline %v: %d stages, the first of %s", axes, timed, len(stages), stages[0].solver.Name())
			}
		}
	}
}

// TestScheduleSpendsAll: the parts of a schedule take all of the time, one after the other, and so do those of a solver.
func TestScheduleSpendsAll(t *testing.T) {
	for _, m := range []bcpace.Model{envs.Tiger{}, randmodel.SmallGoal(2, 0.1), randmodel.SmallGoal(4, 0.1), struct{ bcpace.Model }{envs.Tiger{}}} {
		s, err := ScheduleOf(m, nil, "", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, p := range s.Parts {
			own := 0.0
			for _, x := range p.Own {
				own += x.Seconds
			}
			if sum += p.Seconds; p.Why == "" || len(p.Own) > 0 && math.Abs(own-p.Seconds) > 1e-9 {
				t.Errorf("%s: %+v, whose parts take %v s", m.Spec().Name, p, own)
			}
		}
		if math.Abs(sum-60) > 1e-9 || !strings.Contains(s.String(), "up to") {
			t.Errorf("%s: %v s of 60\n%v", m.Spec().Name, sum, s)
		}
	}
}
