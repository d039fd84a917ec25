package eval_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// TestOptimalQ compares with Optimal and with what is known of Tiger: opening a
// door is linear in the belief, and V* convex and symmetric.
func TestOptimalQ(t *testing.T) {
	ctx, m := context.Background(), envs.Tiger{}
	const listen, left, right = 0, 1, 2
	q, err := eval.OptimalQ(ctx, m, eval.ExactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) < 1e-4) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	const start = 19.3714 // oracles.json
	near("Q*(½, listen)", q(bcpace.Belief{0.5, 0.5}, listen), start)
	value := func(x float64) float64 {
		b := bcpace.Belief{x, 1 - x}
		return max(q(b, listen), q(b, left), q(b, right))
	}
	for i := range 21 {
		x := float64(i) / 20
		b := bcpace.Belief{x, 1 - x}
		near("Q*(open left)", q(b, left), -100*x+10*(1-x)+0.95*start)
		near("Q*(open right)", q(b, right), q(bcpace.Belief{1 - x, x}, left))
		near("V*", value(x), value(1-x))
		if i > 0 && i < 20 && value(x) > (value(x-0.05)+value(x+0.05))/2+1e-4 {
			t.Errorf("V* is not convex at %v", x)
		}
	}

	// A state and a horizon of one's own.
	o := eval.ExactOptions{State: []float64{3, 4, 0}, Horizon: 8}
	room := envs.LightDarkTiger{}
	if q, err = eval.OptimalQ(ctx, room, o); err != nil {
		t.Fatal(err)
	}
	o.Belief = bcpace.Belief{0.2, 0.8}
	want, err := eval.Optimal(ctx, room, o)
	if err != nil {
		t.Fatal(err)
	}
	for a, x := range want.Q {
		if got := q(o.Belief, a); got != x {
			t.Errorf("action %d: %v, want %v as of Optimal", a, got, x)
		}
	}
	near("entering where the tiger is with probability 0.2", q(o.Belief, 3), 0.8*10-0.2*100)
}

//test:race
func TestOptimalQWithoutValues(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	q, err := eval.OptimalQ(ctx, envs.Tiger{}, eval.ExactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	known := bcpace.Belief{0.5, 0.5}
	first := q(known, 0)
	if other, err := eval.OptimalQ(ctx, envs.Tiger{}, eval.ExactOptions{Belief: bcpace.Belief{7}}); err != nil || other(known, 0) != first {
		t.Errorf("a belief among the options: %v", err)
	}
	for _, b := range []bcpace.Belief{nil, {1}, {0.5, 0.6}, {math.NaN(), 0.5}, {1, 0, 0}} {
		if x := q(b, 0); !math.IsNaN(x) {
			t.Errorf("belief %v: %v, want NaN", b, x)
		}
	}
	for _, a := range []int{-1, 3} {
		if x := q(known, a); !math.IsNaN(x) {
			t.Errorf("action %d: %v, want NaN", a, x)
		}
	}
	cancel()
	if x := q(known, 0); x != first {
		t.Errorf("remembered value is %v, want %v", x, first)
	}
	if x := q(bcpace.Belief{0.3, 0.7}, 0); !math.IsNaN(x) {
		t.Errorf("cancelled: %v, want NaN", x)
	}

	var unsupported *bcpace.UnsupportedError
	if _, err := eval.OptimalQ(context.Background(), envs.LightDarkTiger{Sigma: 0.1}, eval.ExactOptions{}); !errors.As(err, &unsupported) {
		t.Errorf("a model that is not finite: error %v", err)
	}
}
