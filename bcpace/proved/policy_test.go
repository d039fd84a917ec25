package proved_test

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/proved"
	"bayescpace/envs"
)

// The policy of the finite model earns about as much as is possible, with a Box, with a list of controls and with a
// horizon: no more than the bound, and hardly less.
func TestPolicy(t *testing.T) {
	m, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	list, err := bcpace.Discretised(m, 9)
	if err != nil {
		t.Fatal(err)
	}
	cut := bcpace.KeepHorizon(bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) { a.Spec.Horizon = 8 }))
	for name, m := range map[string]bcpace.Model{"box": m, "list": list, "horizon": cut} {
		b, err := proved.Upper(t.Context(), m, proved.Options{Cell: 0.4, Tolerance: 1})
		if err != nil {
			t.Fatal(err)
		}
		e, err := eval.Rollouts(t.Context(), m, b.Policy(), eval.Options{Episodes: 2000, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !(e.Mean <= b.Start+4*e.StdErr && e.Mean >= b.Start-0.15-4*e.StdErr) {
			t.Errorf("%s: the policy earns %v ± %v, want at most %v and hardly less", name, e.Mean, e.StdErr, b.Start)
		}
		if a := b.Policy().Act([]float64{0}, bcpace.Belief{1}, nil); a != -1 {
			t.Errorf("%s: action %d at a belief of another model, want -1", name, a)
		}
	}
}
