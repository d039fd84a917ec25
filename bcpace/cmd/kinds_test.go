package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kindsOfModels are the ways in which a model is given, as README.md lists them.
var kindsOfModels = []string{"list of latents", "BAMDP in a file", "POMDP in a file", "file of a model checker", "hidden vector", "program"}

// doorsOfModels are what a model of each kind is tried on: the arguments, where MODEL stands for the model, SOLVE for it with a solver, PLAN for it with a
// small budget, and KEPT for what solve has kept, with what it needs.
var doorsOfModels = []struct{ name, args string }{
	{"`check`", "check MODEL --timeout 2s"},
	{"`advise`", "advise MODEL"},
	{"`solve --out`", "solve SOLVE --out FILE"},
	{"`eval`", "eval SOLVE --episodes 5 --horizon 2"},
	{"`eval --run`", "eval KEPT --episodes 5 --horizon 2"},
	{"`act`", "act KEPT"},
	{"`verify`", "verify KEPT"},
	{"`pomcp`", "eval PLAN --algorithm pomcp"},
	{"`pomcpow`", "eval PLAN --algorithm pomcpow"},
	{"`despot`", "eval PLAN --algorithm despot"},
	{"`cover`", "cover MODEL --epsilon 0.5 --depth 2"},
}

// shutDoors are the pairs that are refused, with what the sentence says that refuses them.
var shutDoors = map[[2]string]string{
	{"`cover`", "POMDP in a file"}:         "advise, solve and eval take it",
	{"`check`", "file of a model checker"}: "it needs a discount below 1 or a horizon, which sarsop does without",
	{"`cover`", "file of a model checker"}: "advise, solve and eval take it",
	{"`cover`", "hidden vector"}:           "discretise.New of package hidden/discretise makes a model with a list",
	{"`verify`", "hidden vector"}:          "nothing was said of what the policy of pomcpow earns that episodes could contradict",
	{"`pomcp`", "program"}:                 "it needs states that come again, and axis \"x\" is continuous: pomcpow takes such models",
	{"`despot`", "program"}:                "it needs a list of the successors of a state",
}

// twoStates is a POMDP of two hidden states; what moves them is to be added.
const twoStates = `discount: 0.8
values: reward
states: a b
actions: look take
observations: a b
start: 0.5 0.5
O: *
0.8 0.2
0.3 0.7
R: look : * : * : * -1
R: take : a : * : * 5
R: take : b : * : * -5
`

// ofKinds returns the arguments for a model of each kind, and beside them those that solve it fast.
func ofKinds(t *testing.T) (models, solves map[string][]string) {
	t.Helper()
	file := func(name, text string) []string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"--model", path}
	}
	const checked = "@type: POMDP\n@reward_models\ncost \n@model\n" +
		"state 0 {0} [1] init\n\taction look [0]\n\t\t1 : 0.5\n\t\t2 : 0.5\nstate 1 {1} [1]\n\taction look [0]\n\t\t1 : 1\n\taction take [0]\n\t\t3 : 0.8\n\t\t2 : 0.2\n" +
		"state 2 {1} [1]\n\taction look [0]\n\t\t1 : 1\n\taction take [0]\n\t\t3 : 0.2\n\t\t2 : 0.8\nstate 3 {2} [0] goal\n\taction look [0]\n\t\t3 : 1\n"
	drn := append(file("checked.drn", checked), "--property", `Rmin=? [F "goal"]`)
	still := file("still.pomdp", twoStates+"T: * identity\n")
	moves := file("moves.pomdp", twoStates+"T: *\n0.8 0.2\n0.3 0.7\n")
	walk := []string{"--process", walkProcess(t, `"discount": 0.9`, `"discount": 0.3, "horizon": 2`)}
	return map[string][]string{"list of latents": {"--env", "tiger"}, "BAMDP in a file": still, "POMDP in a file": moves, "file of a model checker": drn, "hidden vector": {"--env", "light-dark-1d"}, "program": walk},
		map[string][]string{"list of latents": {"--epsilon", "5"}, "hidden vector": {"--budget", "5"}, "program": {"--algorithm", "bayes-cpace", "--max-samples", "10"}}
}

// TestKinds: every kind of model goes through every door, or is refused by a sentence, and README.md says which.
func TestKinds(t *testing.T) {
	t.Parallel()
	models, solves := ofKinds(t)
	table := "| | " + strings.Join(kindsOfModels, " | ") + " |\n|" + strings.Repeat(" --- |", 1+len(kindsOfModels)) + "\n"
	kept := make(map[string][]string)
	for _, kind := range kindsOfModels {
		kept[kind] = []string{"--run", filepath.Join(t.TempDir(), "kept")}
		if kind == "program" {
			kept[kind] = append(kept[kind], models[kind]...)
		}
	}
	for _, door := range doorsOfModels {
		table += "| " + door.name
		for _, kind := range kindsOfModels {
			var args []string
			for _, word := range strings.Fields(door.args) {
				switch word {
				case "MODEL":
					args = append(args, models[kind]...)
				case "SOLVE":
					args = slices.Concat(args, models[kind], solves[kind])
				case "PLAN":
					args = append(slices.Concat(args, models[kind]), "--budget", "5", "--episodes", "3", "--horizon", "2")
				case "KEPT":
					args = append(args, kept[kind]...)
				case "FILE":
					args = append(args, kept[kind][1])
				default:
					args = append(args, word)
				}
			}
			var out, errs bytes.Buffer
			err := dispatch(program{ctx: t.Context(), stdin: strings.NewReader(""), stdout: &out, stderr: &errs}, args)
			want, shut := shutDoors[[2]string{door.name, kind}]
			if shut != (err != nil) || shut && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "usage:")) {
				t.Errorf("%s of a %s: %v, want %q", door.name, kind, err, want)
			}
			if want == "" {
				want = "open"
			}
			table += " | " + want
		}
		table += " |\n"
	}
	t.Logf("\n%s", table)
	if text, err := os.ReadFile("README.md"); err != nil || !strings.Contains(string(text), table) {
		t.Errorf("README.md has not this table, %v:\n%s", err, table)
	}
}

// TestKindsAreAll: a new way to give a model, or a new verb that takes one, is a kind or a door of TestKinds, or is listed here.
func TestKindsAreAll(t *testing.T) {
	var ways []string
	f := newFlags()
	new(solveArgs).flags(f)
	for _, x := range f.sections[0].flags {
		ways = append(ways, x.name)
	}
	if got, want := fmt.Sprint(ways), "[env set samples process likelihood-draws model property]"; got != want {
		t.Errorf("solve takes a model by %s, and the kinds of models are of %s", got, want)
	}
	others := []string{"convert", "export samples", "export trace", "export", "leaderboard", "lipschitz", "pac", "plot", "sweep pac"} // of models, of runs or of states with beliefs alone
	for _, v := range verbs {
		tried := slices.Contains(others, v.name)
		for _, door := range doorsOfModels {
			tried = tried || strings.HasPrefix(door.args, v.name+" ")
		}
		f := newFlags()
		v.args().flags(f)
		for _, name := range f.names() {
			if takes := name == "--env" || name == "--run" || name == "--policy"; takes && !tried {
				t.Errorf("%s takes %s, and is no door", v.name, name)
			}
		}
	}
}
