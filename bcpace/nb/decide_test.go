package nb

import (
	"errors"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/envs"
)

func TestDecide(t *testing.T) {
	tiger := envs.Tiger{}
	found, err := lookahead.Solver{Budget: bcpace.Budget{Simulations: 50}}.Solve(t.Context(), tiger, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	spec := tiger.Spec()
	s := make([]float64, len(spec.Axes))
	d, err := decide(tiger, found.Policy, s, bcpace.Uniform(2))
	if err != nil || spec.ActionName(d.Action) != "listen" || !(d.Lower <= 19.3714 && d.Upper >= 19.3713) {
		t.Errorf("%+v, error %v", d, err)
	}
	input := new(bcpace.InputError)
	if nodes, err := searchTree(found.Policy, 10); err != nil || len(nodes) != 10 || nodes[0].Best != d.Action || nodes[0].Lower != d.Lower {
		t.Errorf("%d nodes, error %v", len(nodes), err)
	}
	if _, err := searchTree(bcpace.Fork(found.Policy), 10); !errors.As(err, &input) {
		t.Errorf("before a decision: %v", err)
	}
	if _, err := searchTree(bcpace.RandomPolicy(tiger), 10); !errors.As(err, &input) {
		t.Errorf("the tree of a policy that is no planner: %v", err)
	}
	if _, err := decide(tiger, bcpace.RandomPolicy(tiger), s, bcpace.Uniform(2)); !errors.As(err, &input) {
		t.Errorf("a policy that is no planner: %v", err)
	}
}
