package explicit_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/explicit"
	"bayescpace/bcpace/pomdp"
)

// doors is a model of two doors that look the same: left opens one of them, right the other one.
const doors = `@type: POMDP
@reward_models
steps
@nr_states
4
@nr_choices
7
@model
state 0 {7} [1] init
	action look
		1 : 0.5
		2 : 0.5
state 1 {3} [1]
	action right
		1 : 1
	action left
		3 : 1
state 2 {3} [1]
	action left
		2 : 1
	action right
		3 : 1
state 3 {3} [0] out
	action left
		3 : 1
	action right
		3 : 1
`

// tries is a controller that looks, and then draws a door at odd times, and takes the left one at even times. It says something of an observation that
// there is not, as Storm does of goals.
const tries = `{"deterministic": false, "initial-node": 5, "nodes": [
	{"id": 5, "transitions": [{"observation": {"id": 7}, "actions": [{"id": 0, "name": "look", "probability": 1.0}], "successor": 1}]},
	{"id": 1, "transitions": [{"observation": {"id": 3}, "actions": [{"id": 0, "name": "left", "probability": 0.25}, {"id": 1, "name": "right", "probability": 0.75}], "successor": 2},
		{"observation": {"id": 8}, "actions": [{"id": 0, "name": "", "probability": 1}], "successor": 1}]},
	{"id": 2, "transitions": [{"observation": {"id": 3}, "actions": [{"id": 0, "name": "left", "probability": 1}], "successor": 1}]}
]}`

// readDoors returns the model, what is asked of it, and its POMDP.
func readDoors(t *testing.T) (*explicit.Model, explicit.Property, *pomdp.Model) {
	t.Helper()
	m, err := explicit.Read(t.Context(), strings.NewReader(doors), "doors.drn")
	if err != nil {
		t.Fatal(err)
	}
	p := explicit.Property{Rewards: true, Minimize: true, Goal: "out"}
	of, err := m.POMDP(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return m, p, of
}

// TestController: with V(door) of the steps from odd times on, V(1) = 1 + 3/4 and V(2) = 1 + (1 + V(2))/4, so that the mean is 1 + (7/4 + 5/3)/2.
func TestController(t *testing.T) {
	m, p, of := readDoors(t)
	c, err := m.ReadController(t.Context(), strings.NewReader(tries), "f", p)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pointbased.SolveController(t.Context(), of, c, 1)
	if want := -1 - (7./4+5./3)/2; err != nil || math.Abs(found.Value-want) > 1e-6 || found.Policy.(*pomdp.VectorPolicy).Value(0, []float64{1, 0, 0, 0}) < want-1e-6 {
		t.Errorf("%+v, %v, want %v", found, err, want)
	}
}

// TestWriteController: one that opens the left door and then the right one, and so on, takes 1 + (1 + 2)/2 steps, and is read as it is written.
func TestWriteController(t *testing.T) {
	m, p, of := readDoors(t)
	left, right := int32(0), int32(1)
	if of.Actions[0] == "right" {
		left, right = right, left
	}
	next := func(n int32) map[pomdp.Sight][]pomdp.Entry {
		return map[pomdp.Sight][]pomdp.Entry{{Observation: 1}: {{At: n, Value: 1}}, {Observation: 2}: {{At: n, Value: 1}}}
	}
	c := &pomdp.Controller{Nodes: []pomdp.Node{{Next: next(1)}, {Action: int(left), Next: next(2)}, {Action: int(right), Next: next(1)}}}
	was, err := pointbased.SolveController(t.Context(), of, c, 1)
	if err != nil || math.Abs(was.Value+2.5) > 1e-6 {
		t.Fatalf("%+v, %v, want -2.5", was, err)
	}
	var file bytes.Buffer
	if err := m.WriteController(t.Context(), &file, p, of, c); err != nil {
		t.Fatal(err)
	}
	read, err := m.ReadController(t.Context(), bytes.NewReader(file.Bytes()), "f", p)
	if err != nil {
		t.Fatalf("%v\n%s", err, file.String())
	}
	again, err := pointbased.SolveController(t.Context(), of, read, 1)
	if err != nil || math.Abs(again.Value-was.Value) > 1e-12 || !reflect.DeepEqual(read.Start, []pomdp.Entry{{At: 0, Value: 1}}) {
		t.Errorf("%+v from %v, %v, was %+v", again, read.Start, err, was)
	}
	if text := file.String(); strings.Count(text, `"name": "left"`) != 2 || strings.Count(text, `"id": 7`) != 1 || strings.Contains(text, "end") {
		t.Error(text)
	}
}

func TestControllerErrors(t *testing.T) {
	m, p, of := readDoors(t)
	for change, want := range map[[2]string]string{
		{`"initial-node": 5`, `"initial-node": 6`}:       "f: initial-node is 6, want the id of a node",
		{`"initial-node": 5,`, ``}:                       "f: initial-node is missing",
		{`"initial-node": 5`, `"initial-node": 1`}:       "f: nodes[1].transitions is without the observation of the initial state",
		{`"id": 5, "tr`, `"tr`}:                          "f: nodes[0].id is missing",
		{`"id": 5, "tr`, `"id": 1, "tr`}:                 "f: nodes[1].id is 1, want a number of its own",
		{`"id": 5, "tr`, `"id": true, "tr`}:              "f: line 1 is json: cannot unmarshal",
		{`"successor": 2`, `"successor": 3`}:             "f: nodes[1].transitions[0].successor is 3",
		{`, "successor": 2`, ``}:                         "f: nodes[1].transitions[0].successor is missing",
		{`{"id": 8}`, `{"id": 3}`}:                       "f: nodes[1].transitions[1].observation.id is 3, want a number, once in a node",
		{`{"id": 8}`, `{}`}:                              "f: nodes[1].transitions[1].observation.id is missing",
		{`"left", "probability": 0.25`, `"x"`}:           `f: nodes[1].transitions[0].actions[0].name is "x", want one of these, once: "right", "left"`,
		{`"name": "left", "probability": 0.25`, ``}:      `f: line 3 is invalid character`,
		{`"right", "probability": 0.75`, `"left"`}:       `f: nodes[1].transitions[0].actions[1].name is "left"`,
		{`"probability": 0.75`, `"probability": -0.75`}:  "f: nodes[1].transitions[0].actions[1].probability is -0.75",
		{`"probability": 0.75`, `"probability": 0.7501`}: "f: nodes[1].transitions[0].actions is of probabilities that add up to 1.0001",
		{`{"id": 3}, "actions"`, `{"id": 3}, "acts"`}:    "unknown field",
		{"\n]}", "\n]} {"}:                               "there is more after the controller",
		{"\n]}", "\n]"}:                                  "unexpected EOF",
	} {
		_, err := m.ReadController(t.Context(), strings.NewReader(strings.Replace(tries, change[0], change[1], 1)), "f", p)
		if !errors.As(err, new(*bcpace.InputError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", change, err, want)
		}
	}
	silent, err := m.ReadController(t.Context(), strings.NewReader(strings.Replace(tries, `"initial-node": 5, "nodes": [`, `"initial-node": 5, "nodes": [{"id": 9},`, 1)), "f", p)
	if err == nil {
		_, err = pointbased.SolveController(t.Context(), of, silent, 1)
	}
	if err != nil {
		t.Errorf("a node that is never met: %v", err)
	}
	silent, err = m.ReadController(t.Context(), strings.NewReader(strings.Replace(tries, `{"observation": {"id": 3}, "actions": [{"id": 0, "name": "left", "probability": 1}], "successor": 1}`, "", 1)), "f", p)
	if err == nil {
		_, err = pointbased.SolveController(t.Context(), of, silent, 1)
	}
	if err == nil || !strings.Contains(err.Error(), `nodes[2].transitions, what follows observation "3" is nothing`) {
		t.Errorf("an observation without a transition: %v", err)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1000))
	if _, err := m.ReadController(t.Context(), strings.NewReader(tries), "f", p); err == nil || !strings.Contains(err.Error(), "the length is too large") {
		t.Error(err)
	}
}

// TestControllerOfMDP: who sees the state has no observations by which a controller of Storm could act.
func TestControllerOfMDP(t *testing.T) {
	m, err := explicit.Read(t.Context(), strings.NewReader("@type: MDP\n@nr_states\n2\n@model\nstate 0 init\n\taction a\n\t\t1 : 1\nstate 1 goal\n\taction a\n\t\t1 : 1\n"), "f.drn")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.ReadController(t.Context(), strings.NewReader(tries), "f", explicit.Property{Goal: "goal"}); err == nil || !strings.Contains(err.Error(), "want a POMDP") {
		t.Error(err)
	}
}

// FuzzReadController reads a controller: an error that says what is wrong, or one that has a value or a reason why not.
func FuzzReadController(f *testing.F) {
	f.Add([]byte(tries))
	f.Add([]byte(`{"initial-node": 0, "nodes": [{"id": 0, "transitions": []}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, p, of := readDoors(t)
		c, err := m.ReadController(t.Context(), bytes.NewReader(data), "fuzz", p)
		if err == nil {
			_, err = pointbased.SolveController(context.Background(), of, c, 1)
		}
		if err != nil && !errors.As(err, new(*bcpace.InputError)) {
			t.Fatalf("%T %v", err, err)
		}
	})
}
