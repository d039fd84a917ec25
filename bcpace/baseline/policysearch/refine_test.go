package policysearch

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
)

// TestRefine: before a deadline that is far away, a finer grid is taken, whose policy earns more, and the policy read of its data
// goes by the same grids.
func TestRefine(t *testing.T) {
	m := randmodel.SmallGoalNoisy(2, 0.05, 1)
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
	_, data, err := newPolicy(x.f, worth).Keep()
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

// TestKeepsItsTables: the tables of values of a policy with which a search begins were cut short by the time. The search makes others, and
// returns the policy with those by which it was found to be good.
func TestKeepsItsTables(t *testing.T) {
	m := lookFirst(t)
	first := solve(t, t.Context(), m, Solver{MaxSteps: 1_000_000, CertificateEpisodes: -1}, 0)
	f := *first.Policy.(*policy).f
	f.cut, f.values = true, slices.Clone(f.values)
	weights := slices.Clone(first.Policy.(*policy).weights)
	for i := range f.values { // the same policy by tables that are turned about
		f.values[i].scale = -f.values[i].scale
	}
	for i := f.outputs * f.size; i < len(weights); i++ {
		weights[i] = -weights[i]
	}
	next := solve(t, t.Context(), m, Solver{Seed: 1, MaxSteps: 20_000, CertificateEpisodes: -1, From: newPolicy(&f, weights)}, 0)
	earned := func(p bcpace.Policy) float64 {
		r, err := eval.Rollouts(t.Context(), m, p, eval.Options{Episodes: 1000, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		return r.Mean
	}
	if was, is := earned(first.Policy), earned(next.Policy); was < 4 || is != was {
		t.Errorf("it has begun with a policy that earns %v, and returns one that earns %v", was, is)
	}
}
