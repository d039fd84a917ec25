package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shift is a POMDP that is no Bayes-adaptive MDP with a static latent: what is hidden moves, and observations tell of it.
const shift = "discount: 0.6\nvalues: reward\nstates: early late night\nactions: ask open\nobservations: light dark none\n" +
	"T: *\n.7 .3 0\n0 .6 .4\n.5 0 .5\nO: ask\n.8 .2 0\n.3 .7 0\n.1 .9 0\nO: open\n0 0 1\n0 0 1\n0 0 1\nR: ask : * : * : * -0.2\nR: open : early : * : * 2\nR: open : late : * : * 1\nR: open : night : * : * -3\n"

// corridor is a file whose hidden part stays: two places that are seen, and a lock with a code.
const corridor = "discount: 0.7\nvalues: reward\nstates: a b\nactions: try-a try-b wait\nobservations: click silence\nT: *\nidentity\n" +
	"O: try-a\n.9 .1\n.2 .8\nO: try-b\n.2 .8\n.9 .1\nO: wait\n.5 .5\n.5 .5\nR: try-a : a : * : * 1\nR: try-a : b : * : * -1.5\nR: try-b : b : * : * 1\nR: try-b : a : * : * -1.5\n"

// TestKeptAsFound: where what is found is kept changes nothing of it, for every kind of model; and --run and --policy of the
// other verbs take the file, whatever it holds.
func TestKeptAsFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	slips := make([]string, 101) // so many that sarsop comes first
	for i := range slips {
		slips[i] = fmt.Sprint(0.1 + 0.005*float64(i))
	}
	kinds := map[string]bool{}
	for name, args := range map[string]string{
		"latents":     "--env tiger --set discount=0.8",
		"many":        "--env chain --set discount=0.2 --set slips=" + strings.Join(slips, ","),
		"static file": "--model " + file("corridor.pomdp", corridor),
		"moving file": "--model " + file("shift.pomdp", shift),
		"horizon":     "--horizon 4 --model " + file("short.pomdp", shift),
		"by name":     "--algorithm sarsop --model " + file("named.pomdp", shift),
		"perseus":     "--algorithm perseus --epsilon 0.1 --seed 3 --model " + file("perseus.pomdp", shift),
		"trace":       "--env chain --trace " + filepath.Join(dir, "course.csv"),
	} {
		out := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".kept")
		kept := solveJSON(t, "solve "+args+" --out "+out)
		for _, flag := range []string{" --run ", " --policy "} {
			e := decode[wantEvaluation](t, succeed(t, line("eval --episodes 200 --horizon 4 --json"+flag+out)...))
			if *e.Episodes != 200 {
				t.Errorf("%s: %d episodes", name, *e.Episodes)
			}
			if code, _, stderr := call(t, line("verify"+flag+out)...); code != 0 && !strings.Contains(stderr, "nothing was said of what the policy") && !strings.Contains(stderr, "a run with a certificate") {
				t.Errorf("verify %s: %s", name, stderr)
			}
		}
		is, err := os.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		run := runKind.is(is)
		is.Close()
		kinds[map[bool]string{true: "run", false: "policy"}[run]] = true
		code, _, stderr := call(t, line("export --samples "+filepath.Join(dir, "samples.csv")+" --force --run "+out)...)
		if run != (code == 0) || !run && !strings.Contains(stderr, "--algorithm certified --out FILE saves one") {
			t.Errorf("export of %s: %d, %s", name, code, stderr)
		}
		succeed(t, line("solve "+args+" --force --out "+out)...)
		succeed(t, line("solve "+strings.ReplaceAll(args, "--trace", "--force --trace")+" --out "+out)...) // over its like
		plain := solveJSON(t, "solve "+strings.ReplaceAll(args, "--trace", "--force --trace"))
		if kept.Algorithm != plain.Algorithm || *kept.Value != *plain.Value || *kept.Lower != *plain.Lower || *kept.Upper != *plain.Upper || kept.Certificate != plain.Certificate {
			t.Errorf("%s: %s finds %v in [%v, %v] where it is kept, and %s %v in [%v, %v] where it is not",
				name, kept.Algorithm, *kept.Value, *kept.Lower, *kept.Upper, plain.Algorithm, *plain.Value, *plain.Lower, *plain.Upper)
		}
	}
	if len(kinds) != 2 {
		t.Errorf("only %v", kinds)
	}
}
