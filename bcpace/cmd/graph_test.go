package cmd

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wantController is what eval and export say of a controller.
type wantController struct {
	Mean       *float64 `json:"mean"`
	StdErr     *float64 `json:"stderr"`
	Nodes      int      `json:"nodes"`
	Controller *float64 `json:"controller"`
}

func controlled(t *testing.T, out string) (c wantController) {
	t.Helper()
	if err := json.Unmarshal([]byte(out), &c); err != nil || c.Controller == nil {
		t.Fatalf("%v: %s", err, out)
	}
	return c
}

// TestPolicyGraph: a policy graph is a policy of every verb, and its value is told by computation: one that opens the left door and then listens at
// all times, which leaves out what the policy of its values finds.
func TestPolicyGraph(t *testing.T) {
	graph, model := written(t, "tiger.pg", "0 0  0 0 0\n1 2  0 0 0\n"), dataFolder+"tiger.pomdp"
	code, out, said := call(t, "eval", "--model", model, "--policy", graph, "--episodes", "2000", "--json")
	e := controlled(t, out)
	if code != exitOK || !strings.Contains(said, "tiger.pg has no .alpha file beside it: the controller begins at node 0, which earns most there") {
		t.Errorf("%d, %s", code, said)
	}
	if math.Abs(*e.Controller+20) > 1e-3 || *e.Mean < *e.Controller-4*(*e.StdErr) {
		t.Errorf("the controller earns %v, its policy %v ± %v, want -20 and no less", *e.Controller, *e.Mean, *e.StdErr)
	}
	for _, args := range []string{"verify --json", "plot", "act"} {
		if code, out, errs := call(t, append(line(args), "--model", model, "--policy", graph)...); code != exitOK {
			t.Errorf("%s: %d, %s, %s", args, code, out, errs)
		}
	}
	if code, _, errs := call(t, "eval", "--policy", graph); code != exitUsage || !strings.Contains(errs, "needs the --model") {
		t.Errorf("without a model: %d, %s", code, errs)
	}
	bad := written(t, "bad.pg", "0 0  0 0 1\n")
	if code, _, errs := call(t, "eval", "--model", model, "--policy", bad); code != exitError || !strings.Contains(errs, "bad.pg:1: found node 1 after observation 2, want a node from 0 to 0") {
		t.Errorf("%d, %s", code, errs)
	}
}

// coinToss is a model of Storm in which a coin is tossed, and then guessed without having been seen, as often as is needed.
const coinToss = `@type: POMDP
@reward_models
steps
@nr_states
4
@model
state 0 {0} [1] init
	action toss
		1 : 0.25
		2 : 0.75
state 1 {1} [1]
	action heads
		3 : 1
	action tails
		1 : 1
state 2 {1} [1]
	action heads
		2 : 1
	action tails
		3 : 1
state 3 {2} [0] done
	action rest
		3 : 1
`

// TestStormController: a policy of a model of Storm is written as a controller in each format, and read again; the best guesses tails first, and then heads: 1 + 0.75 + 0.25·2 steps.
func TestStormController(t *testing.T) {
	model, dir := written(t, "coin.drn", coinToss), t.TempDir()
	of := []string{"--model", model, "--property", `Rmin=? [F "done"]`}
	policy := filepath.Join(dir, "coin.json")
	succeed(t, append([]string{"solve", "--algorithm", "sarsop", "--out", policy}, of...)...)
	for _, name := range []string{"graph.json", "graph.pg", "graph.dot"} {
		graph := filepath.Join(dir, name)
		x := controlled(t, succeed(t, "export", "--policy", policy, "--graph", graph, "--json")) // the policy names its model
		if x.Nodes < 2 || math.Abs(*x.Controller+2.25) > 1e-5 {
			t.Errorf("%s: %d nodes earn %v, want -2.25", name, x.Nodes, *x.Controller)
		}
		if strings.HasSuffix(name, ".dot") {
			if text, err := os.ReadFile(graph); err != nil || !strings.HasPrefix(string(text), `digraph "coin" {`) || !strings.Contains(string(text), `: tails"]`) {
				t.Errorf("%s, %v", text, err)
			}
			continue
		}
		_, out, _ := call(t, append([]string{"eval", "--policy", graph, "--json", "--episodes", "500"}, of...)...)
		if e := controlled(t, out); e.Controller == nil || math.Abs(*e.Controller+2.25) > 1e-5 || math.Abs(*e.Mean+2.25) > 5*(*e.StdErr) {
			t.Errorf("%s: %s", name, out)
		}
		if code, _, errs := call(t, append([]string{"verify", "--policy", graph}, of...)...); code != exitOK {
			t.Errorf("verify %s: %s", name, errs)
		}
	}
	graph, other := filepath.Join(dir, "graph.json"), written(t, "other.json", `{"format": "bcpace-policy"}`)
	for _, x := range []struct {
		want string
		args []string
	}{
		{"--policy and --graph go together", []string{"export", "--policy", policy}},
		{"--policy and --graph go together", []string{"export", "--graph", graph}},
		{"no name of a controller", []string{"export", "--policy", policy, "--graph", filepath.Join(dir, "graph.txt")}},
		{"names the file of another flag", []string{"export", "--policy", graph, "--graph", graph}},
		{"contradict", []string{"export", "--policy", policy, "--graph", graph, "--samples", "s.csv"}},
		{"which is not a controller", []string{"export", "--policy", policy, "--model", model, "--graph", other}},
		{"want a .drn file", []string{"eval", "--policy", graph, "--model", dataFolder + "tiger.pomdp"}},
		{"want one, as the file does not say what is asked", []string{"eval", "--policy", graph, "--model", model}},
	} {
		if code, _, errs := call(t, x.args...); code == exitOK || !strings.Contains(errs, x.want) {
			t.Errorf("bcpace %s: %d, %s, want %q", strings.Join(x.args, " "), code, errs, x.want)
		}
	}
	seen := filepath.Join("..", "..", "data", "tiger.pomdpx")
	vectors := filepath.Join(dir, "tiger.policy")
	succeed(t, "solve", "--model", seen, "--algorithm", "sarsop", "--out", vectors)
	for extension, want := range map[string]string{".pg": "number of visible states is 3", ".json": "want a .drn file"} {
		if code, _, errs := call(t, "export", "--model", seen, "--policy", vectors, "--graph", filepath.Join(dir, "tiger"+extension)); code != exitError || !strings.Contains(errs, want) {
			t.Errorf("%s: %d, %s", extension, code, errs)
		}
	}
	if out := succeed(t, "export", "--model", seen, "--policy", vectors, "--graph", filepath.Join(dir, "tiger.dot")); !strings.Contains(out, "nodes") {
		t.Error(out)
	}
}
