package qmdp_test

import (
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// In Tiger an agent that takes the more likely side for the true one never listens: at the
// prior it opens a door, and earns (10 − 100)/2 at once and after every reset.
func TestOpensADoorAtOnce(t *testing.T) {
	m := envs.Tiger{}
	found, err := qmdp.CertaintyEquivalent{}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := eval.Evaluate(t.Context(), m, found.Policy, eval.ExactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := -45 / (1 - m.Spec().Discount); math.Abs(e.Value-want) > 1e-6 {
		t.Errorf("worth %v, want %v", e.Value, want)
	}
	if found.Solver.Name() != "certainty-equivalent" || math.Abs(found.Certificate.Upper-189) > 1e-4 {
		t.Errorf("%s with upper bound %v, want certainty-equivalent with that of QMDP, 189", found.Solver.Name(), found.Certificate.Upper)
	}
	if a := found.Policy.Act([]float64{0}, bcpace.Belief{math.NaN(), 1}, nil); a != -1 {
		t.Errorf("at what is no belief it takes %d, want -1", a)
	}
}

// With an unknown gain it pushes at the prior, as one of the gains would have it, and so learns
// by accident what QMDP, for which the two cancel out, does not.
func TestPushesWithAnUnknownGain(t *testing.T) {
	m, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	found, err := qmdp.CertaintyEquivalent{ControlPoints: 9}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := bcpace.ForPolicy(m, found.Policy)
	if err != nil {
		t.Fatal(err)
	}
	a := found.Policy.Act([]float64{2}, bcpace.Belief{0.5, 0.5}, nil)
	if name := list.Spec().Actions[a].Name; name != "push(u=-1)" {
		t.Errorf("at x = 2 it takes %q, want push(u=-1), the best for gain 1", name)
	}
}
