package frame_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/frame"
)

func TestSearchTree(t *testing.T) {
	spec := bcpace.Spec{
		Axes:    []bcpace.Axis{{Name: "x"}, {Name: "heard", Max: 1, Discrete: true, Labels: []string{"nothing", "left"}}},
		Actions: []bcpace.Action{{Name: "wait"}, {Name: "push", Box: []bcpace.Axis{{Name: "u", Min: -1, Max: 1}}}}, Latents: []string{"A", "B"},
	}
	half, err := spec.ActionID(1, []float64{0.5})
	if err != nil {
		t.Fatal(err)
	}
	df := frame.SearchTree(spec, []bcpace.SearchNode{
		{Parent: -1, Action: -1, Prob: 1, State: []float64{1, 0}, Belief: bcpace.Belief{0.5, 0.5}, Visits: 9, Value: 2, Lower: 1, Upper: 3, Best: half},
		{Parent: 0, Action: half, Prob: 0.25, State: []float64{2, 1}, Belief: bcpace.Belief{1, 0}, Depth: 1, Visits: 3, Value: 4, Lower: math.Inf(-1), Upper: math.Inf(1), Best: -1},
	})
	if df.Err != nil {
		t.Fatal(df.Err)
	}
	want := [][]string{
		{"node", "parent", "depth", "action", "u", "P", "x", "heard", "b(A)", "b(B)", "visits", "value", "lower", "upper", "best"},
		{"0", "-1", "0", "", "NaN", "1.000000", "1.000000", "nothing", "0.500000", "0.500000", "9", "2.000000", "1.000000", "3.000000", spec.ActionName(half)},
		{"1", "0", "1", "push", "0.500000", "0.250000", "2.000000", "left", "1.000000", "0.000000", "3", "4.000000", "-Inf", "+Inf", ""},
	}
	if got := df.Records(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Nodes and decisions of another model are an error.
func TestOtherModel(t *testing.T) {
	spec := bcpace.Spec{Axes: []bcpace.Axis{{Name: "x"}}, Actions: bcpace.Actions("wait"), Latents: []string{"A"}}
	node := bcpace.SearchNode{Parent: -1, Action: -1, Best: -1, State: []float64{0}, Belief: bcpace.Belief{1}}
	if df := frame.SearchTree(spec, []bcpace.SearchNode{node}); df.Err != nil {
		t.Fatal(df.Err)
	}
	for i, change := range []func(n *bcpace.SearchNode){
		func(n *bcpace.SearchNode) { n.State = nil }, func(n *bcpace.SearchNode) { n.Belief = bcpace.Belief{0.5, 0.5} },
		func(n *bcpace.SearchNode) { n.Action = 1 }, func(n *bcpace.SearchNode) { n.Best = 1 },
	} {
		n := node
		change(&n)
		if df := frame.SearchTree(spec, []bcpace.SearchNode{n}); !errors.As(df.Err, new(*bcpace.InputError)) {
			t.Errorf("node %d: %v, want an InputError", i, df.Err)
		}
	}
	for _, d := range []bcpace.Decision{{Actions: []int{1}, Q: []float64{0}, Visits: []int{0}}, {Actions: []int{0}}} {
		if df := frame.Decision(spec, d); !errors.As(df.Err, new(*bcpace.InputError)) {
			t.Errorf("%+v: %v, want an InputError", d, df.Err)
		}
	}
}
