package envs_test

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// TestPeg: a peg that goes from place to place finds the hole in as many steps as there are
// places before it, and one that knows the hole goes there at once.
func TestPeg(t *testing.T) {
	m := made(t, envs.Peg{Holes: 2})
	spec := m.Spec()
	places := [][]float64{{-0.6, -0.6}, {0.6, -0.6}, {-0.6, 0.6}, {0.6, 0.6}}
	toward := func(u, s []float64, k int) {
		for i := range u {
			u[i] = min(max(places[k][i]-s[i], -1), 1)
		}
	}
	told, err := eval.Rollouts(t.Context(), m, bcpace.ControlPolicy(m, func(u, s []float64, b bcpace.Belief) {
		k := 0
		for i, p := range b {
			if p > b[k] {
				k = i
			}
		}
		toward(u, s, k)
	}), eval.Options{Episodes: 200, Seed: 1})
	if err != nil || told.Mean < 5 {
		t.Errorf("going to the likeliest place earns %v (error %v)", told.Mean, err)
	}
	// The start is 0.6 from the first place on both axes, and 1.8 from the last one.
	s, next, rng := make([]float64, 4), make([]float64, 4), rand.New(rand.NewPCG(1, 1))
	m.Start(s, 3, rng)
	for step := 1; ; step++ {
		u := make([]float64, 2)
		toward(u, s, 3)
		id, err := spec.ActionID(0, u)
		if err != nil {
			t.Fatal(err)
		}
		o := m.Step(next, s, 3, id, rng)
		copy(s, next)
		if o.Done != (step == 2) || o.Done != (o.Reward == 10) || o.Done != (s[2] == 1) {
			t.Fatalf("step %d to %v: %+v", step, s, o)
		}
		if o.Done {
			break
		}
	}
	if err := check.Model(m, check.Options{}); err != nil {
		t.Error(err)
	}
}
