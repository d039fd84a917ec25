package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayescpace/bcpace/solvers"
)

// TestKeep: what every solver has found for an environment is kept, and plays the episodes that the solver itself plays; what has a certificate
// holds in verify.
func TestKeep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	quick := map[string]string{"policy-search": " --max-steps 20000", "beb": " --max-episodes 5", "boss": " --max-episodes 5"}
	for _, how := range solvers.List() {
		if how.Explores() { // which keeps a run
			continue
		}
		flags := " --algorithm " + how.Name
		if _, has := how.Param("max-steps"); has {
			flags += quick[how.Name]
		}
		if how.Plans() {
			flags += " --budget 5"
		}
		env := "tiger --set discount=0.5"
		if _, _, stderr := call(t, line("eval --env "+env+flags+" --episodes 1 --horizon 1")...); strings.Contains(stderr, "UnknownTransitions") || strings.Contains(stderr, "unknown transitions") {
			env = "unknown-chain"
		}
		file := filepath.Join(dir, how.Name+".json")
		code, _, stderr := call(t, line("solve --env "+env+flags+" --out "+file)...)
		if code != 0 {
			t.Errorf("%s: %s", how.Name, stderr)
			continue
		}
		const play = " --episodes 20 --horizon 10 --json"
		want := decode[wantEvaluation](t, succeed(t, line("eval --env "+env+flags+play)...))
		got := decode[wantEvaluation](t, succeed(t, line("eval --policy "+file+play)...))
		if *got.Mean != *want.Mean || *got.StdErr != *want.StdErr {
			t.Errorf("%s: the file earns %v, the solver %v", how.Name, *got.Mean, *want.Mean)
		}
		if code, _, stderr := call(t, "verify", "--policy", file); code != 0 && !strings.Contains(stderr, "nothing was said of what the policy") {
			t.Errorf("verify %s: %s", how.Name, stderr)
		}
	}
}

// TestKeepQuestions: the policies of other questions are kept, and what was said of them holds; a claim that is false does not.
func TestKeepQuestions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tiger := dataFolder + "tiger.pomdpx"
	for name, c := range map[string]struct{ args, claim, higher string }{
		"robust": {"--env chain --set discount=0.6 --robust l1=0.2 --epsilon 0.1", `"lower": 2`, `"lower": 9`},
		"limit":  {"--env tiger --set discount=0.8 --limit 0.1 --loss -100 --epsilon 0.5", `"lower": 3`, `"lower": 9`},
		"cvar":   {"--env tiger --set discount=0.4 --risk cvar=0.3 --epsilon 1.5", `"lower": -`, `"lower": 9`},
		"below":  {"--model " + tiger + " --horizon 5 --risk below=0 --epsilon 0.1", `"upper": 0.0`, `"upper": 0.000`},
	} {
		file := filepath.Join(dir, name+".json")
		succeed(t, line("solve "+c.args+" --out "+file)...)
		succeed(t, "verify", "--policy", file)
		succeed(t, line("solve "+c.args+" --out "+file)...) // replaced by its like
		if code, _, stderr := call(t, line("solve --env tiger --algorithm sarsop --out "+file)...); code != 1 || !strings.Contains(stderr, "holds another policy: ") {
			t.Errorf("%s: a policy of another question stays: %s", name, stderr)
		}
		if code, _, stderr := call(t, line("solve --env tiger --set discount=0.5 --out "+file)...); code != 1 || !strings.Contains(stderr, "holds another policy: ") {
			t.Errorf("%s: a policy in place of a run stays: %s", name, stderr)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), c.claim) {
			t.Fatalf("%s: no %s in %.2000s", name, c.claim, text)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), c.claim, c.higher, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := call(t, "verify", "--policy", file); code != 1 || !strings.Contains(stderr, "contradict the file") {
			t.Errorf("%s: a false claim: %d, %s", name, code, stderr)
		}
		if err := os.WriteFile(file, text[:len(text)/2], 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := call(t, "eval", "--policy", file); code != 1 || !strings.Contains(stderr, "no policy, or a part of one") {
			t.Errorf("%s: half a file: %d, %s", name, code, stderr)
		}
	}
}

// TestKeptActs: act and plot take policies, and say where they cannot.
func TestKeptActs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model, tiger, chain := dataFolder+"tiger.pomdpx", filepath.Join(dir, "tiger.json"), filepath.Join(dir, "chain.json")
	succeed(t, line("solve --env tiger --algorithm sarsop --out "+tiger)...)
	succeed(t, line("solve --env chain --algorithm qmdp --out "+chain)...)
	of := filepath.Join(dir, "of.json")
	succeed(t, line("solve --model "+model+" --algorithm qmdp --out "+of)...)
	vectors := filepath.Join(dir, "tiger.policy")
	succeed(t, line("solve --model "+model+" --algorithm sarsop --out "+vectors)...)
	for _, args := range []string{"--policy " + tiger, "--policy " + of, "--policy " + of + " --model " + model, "--policy " + vectors + " --model " + model} {
		var out, errs strings.Builder
		p := program{ctx: t.Context(), stdin: strings.NewReader(`{"state": [0]}`), stdout: &out, stderr: &errs}
		if err := dispatch(p, line("act "+args)); err != nil || !strings.Contains(out.String(), `"name":"listen"`) {
			t.Errorf("act %s: %v, %s, %s", args, err, out.String(), errs.String())
		}
	}
	if out := succeed(t, "plot", "--policy", chain); !strings.Contains(out, "of the area") {
		t.Errorf("the figure of a policy is %q", out)
	}
	for want, args := range map[string]string{
		"the samples of a run are read": "export --samples " + filepath.Join(dir, "x.csv") + " --run " + tiger,
		"contradict each other":         "verify --policy " + tiger + " --run " + tiger,
		"--run or --policy is missing":  "act",
		"and a policy has states alone": "plot --figure bounds --policy " + tiger,
		"says nothing of what its":      "verify --policy " + vectors + " --model " + model,
	} {
		if code, _, stderr := call(t, line(args)...); code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: %d, %s, want %q", args, code, stderr, want)
		}
	}
}
