package eval_test

import (
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// TestRecordedControls: the actions of an episode are those of the model that it was recorded
// with, also where the policy takes them from a list.
func TestRecordedControls(t *testing.T) {
	m, err := envs.DualControl{Nodes: 3}.Model()
	if err != nil {
		t.Fatal(err)
	}
	p, err := dp.QMDPPolicy(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	o := eval.Options{Horizon: 10, Seed: 1}
	e, err := eval.RecordEpisode(m, p, o, 0)
	if err != nil {
		t.Fatal(err)
	}
	list, err := bcpace.ForPolicy(m, p)
	if err != nil {
		t.Fatal(err)
	}
	same, err := eval.RecordEpisode(list, p, o, 0)
	if err != nil {
		t.Fatal(err)
	}
	spec, names := m.Spec(), list.Spec()
	for i, id := range e.Actions {
		if got, want := spec.ActionName(id), names.ActionName(same.Actions[i]); got != want {
			t.Errorf("step %d: %s, want %s", i, got, want)
		}
		if behind, inner := eval.ActionBehind(list, same.Actions[i]); inner != id || !behind.HasBox() {
			t.Errorf("step %d: the id behind %d is %d, want %d", i, same.Actions[i], inner, id)
		}
	}
	if _, id := eval.ActionBehind(list, len(names.Actions)); id != -1 {
		t.Errorf("the id behind no action is %d, want -1", id)
	}
	if own, id := eval.ActionBehind(m, 7); id != 7 || !own.HasBox() {
		t.Errorf("the id behind action 7 of a model with boxes is %d", id)
	}
}
