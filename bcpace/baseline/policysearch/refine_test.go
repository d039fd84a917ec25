package policysearch

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/randmodel"
)

// TestRefine: before a deadline that is far away, a finer grid is taken, whose policy earns more, and the policy read of its data
// goes by the same grids.
func TestRefine(t *testing.T) {
	m := randmodel.SmallGoal(3, 0.05)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	x := newSearch(ctx, m, 0, 2, math.MaxInt64, func(bcpace.Progress) {})
	if x.tabulate(); x.fault != nil || len(x.f.values) != valueKinds {
		t.Fatalf("%d kinds of values, %v", len(x.f.values), x.fault)
	}
	worth := x.f.byWorth()
	earned := func(points int) float64 {
		v, err := x.f.valuesOf(t.Context(), x.f.valued()[0], points, x.seed)
		if err != nil {
			t.Fatal(err)
		}
		before := x.f.values[0]
		defer func() { x.f.values[0] = before }()
		x.f.values[0] = v
		mean, _ := x.meanOf(worth, validationStream, x.valid)
		return mean
	}
	last := x.f.values[0].points
	if last <= firstPoints {
		t.Errorf("the grid stays at %d points", last)
	}
	value, _ := x.meanOf(worth, validationStream, x.valid)
	if few := earned(last / finer); !(few < value) {
		t.Errorf("%d points earn %v, and fewer %v", last, value, few)
	}
	x.best = worth
	_, data, err := x.policy().Keep()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	read, err := readKept(t.Context(), m, text)
	if err != nil {
		t.Fatal(err)
	}
	again := newSearch(t.Context(), m, 0, 2, math.MaxInt64, func(bcpace.Progress) {})
	again.f = read.(*policy).f
	if v, _ := again.meanOf(worth, validationStream, again.valid); v != value {
		t.Errorf("read again it earns %v, want %v", v, value)
	}
}
