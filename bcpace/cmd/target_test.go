package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTargets writes over every kind of file, with every verb that writes: only a file
// of the same kind or an empty one is replaced, unless --force is given, and the
// refusal comes before the work.
func TestTargets(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	model := dataFolder + "tiger.pomdpx"
	run, policy := in("tiger.bcp"), in("tiger.policy")
	succeed(t, line("solve --env tiger --max-episodes 3 --out "+run)...)
	if r := solveJSON(t, "solve --model "+model+" --out "+policy); r.Algorithm != "sarsop" {
		t.Errorf("%s solves for a .policy file", r.Algorithm)
	}
	succeed(t, line("export --run "+run+" --samples "+in("s.csv")+" --trace "+in("t.csv"))...)
	succeed(t, line("export --run "+run+" --samples "+in("s.parquet")+" --trace "+in("t.parquet"))...)
	own := in("own.bcp")
	succeed(t, line("solve --algorithm certified --model "+model+" --out "+own)...)
	held := map[string][]byte{"empty": nil, "text": []byte("a day's work\n"), "half a header": []byte("bcp-ru"), "table": []byte("name,grade\nAda,1\n")}
	for what, file := range map[string]string{"run": run, "run of the file": own, "policy": policy, "model": model, "samples as csv": in("s.csv"), "trace as csv": in("t.csv"),
		"samples as parquet": in("s.parquet"), "trace as parquet": in("t.parquet")} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		held[what] = data
	}
	for _, c := range []struct{ args, ext, same, other string }{
		{"solve --env tiger --max-episodes 2 --out", ".bcp", "run", "is not a run"},
		{"solve --resume " + run + " --max-episodes 2 --out", ".bcp", "run", "is not a run"},
		{"solve --algorithm sarsop --model " + model + " --out", ".any", "policy", "is not a policy"},
		{"solve --algorithm certified --model " + model + " --out", "", "run of the file", "is not a run"},
		{"solve --model " + model + " --out", ".policy", "policy", "is not a policy"},
		{"export --run " + run + " --samples", ".csv", "samples as csv", "is not a table of samples"},
		{"export --run " + run + " --trace", ".csv", "trace as csv", "is not a table of a trace"},
		{"export --run " + run + " --samples", ".parquet", "samples as parquet", "is not a table of samples"},
		{"export --run " + run + " --trace", ".parquet", "trace as parquet", "is not a table of a trace"},
	} {
		for what, content := range held {
			target, link := in("target"+c.ext), in("link"+c.ext)
			if err := os.WriteFile(target, content, 0o644); err != nil {
				t.Fatal(err)
			}
			os.Remove(link)
			if err := os.Symlink(target, link); err != nil {
				t.Fatal(err)
			}
			allowed := what == "empty" || what == c.same
			if what == "run of the file" && strings.HasSuffix(c.other, "run") || what == "run" && c.same == "run of the file" {
				continue // a run of another problem, see TestReplacedRun
			}
			for _, name := range []string{target, link} {
				code, stdout, stderr := call(t, line(c.args+" "+name+" --json")...)
				got, err := os.ReadFile(target)
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case allowed && (code != exitOK || len(got) == 0):
					t.Errorf("%s over %s: exit code %d, stderr %q, %d bytes", c.args, what, code, stderr, len(got))
				case !allowed && (code != exitError || stdout != "" || string(got) != string(content) || strings.Count(stderr, "\n") != 1 ||
					!strings.Contains(stderr, fmt.Sprintf("%q, which %s, want another name, or --force", name, c.other))):
					t.Errorf("%s over %s: exit code %d, stdout %q, stderr %q, %d bytes", c.args, what, code, stdout, stderr, len(got))
				}
			}
			if !allowed {
				succeed(t, line(c.args+" "+target+" --force")...)
				if got, err := os.ReadFile(target); err != nil || string(got) == string(content) {
					t.Errorf("%s --force over %s: it was not replaced (error %v)", c.args, what, err)
				}
			}
		}
	}
}

// TestReplacedRun expects a run to be replaced by one of the same problem, algorithm and
// parameters, with other limits at most, and to be kept from any other.
func TestReplacedRun(t *testing.T) {
	dir := t.TempDir()
	name, chain := filepath.Join(dir, "tiger.bcp"), filepath.Join(dir, "chain.bcp")
	const first = "solve --env tiger --set discount=0.5 --epsilon 1 --max-episodes 3 --out "
	succeed(t, line(first+name)...)
	succeed(t, line("solve --env chain --epsilon 9 --out "+chain)...)
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"solve --env chain --epsilon 1 --max-episodes 3":                          `holds another run: its model is "tiger"`,
		"solve --env tiger --set discount=0.6 --epsilon 1 --max-episodes 3":       `holds another run: its model is "tiger"`,
		"solve --env tiger --set discount=0.5 --epsilon 1 --k 1 --max-episodes 3": "holds another run: its algorithm is certified, not bayes-cpace",
		"solve --env tiger --set discount=0.5 --epsilon 2 --max-episodes 3":       "holds another run: its Epsilon is 1, and not as in the new one",
		"solve --resume " + chain: `holds another run: its model is "tiger"`,
		"solve --model " + dataFolder + "tiger.pomdpx --algorithm certified --epsilon 1":        `holds another run: its model is "tiger"`,
		"solve --model " + dataFolder + "tiger.pomdpx --algorithm bayes-cpace --max-episodes 3": "holds another run: its algorithm is certified",
	} {
		code, stdout, stderr := call(t, line(args+" --out "+name)...)
		if code != exitError || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) || !strings.Contains(stderr, "want another name, or --force") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", args, code, stdout, stderr, want)
		}
		if after, err := os.ReadFile(name); err != nil || string(after) != string(before) {
			t.Fatalf("%s: the file has changed (error %v)", args, err)
		}
	}
	succeed(t, line(first+name)...)
	succeed(t, line(strings.Replace(first, "--max-episodes 3", "--max-samples 9", 1)+name)...)
	succeed(t, line("solve --env chain --epsilon 9 --force --out "+name)...)
	sameFiles(t, name, chain)
	if err := os.WriteFile(name, before[:len(before)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := call(t, line(first+name)...); code != exitError || !strings.Contains(stderr, "which cannot be read") {
		t.Errorf("half a run: exit code %d, stderr %q", code, stderr)
	}
}

// TestProtectedTarget expects a file that nobody may write to stay, and the inputs of
// a verb to be no targets of it, not even with --force.
func TestProtectedTarget(t *testing.T) {
	dir := t.TempDir()
	run, table := filepath.Join(dir, "tiger.bcp"), filepath.Join(dir, "tiger.csv")
	succeed(t, line("solve --env tiger --max-episodes 3 --out "+run)...)
	data, err := os.ReadFile(run)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(table, data, 0o644); err != nil { // a run under a table's name
		t.Fatal(err)
	}
	if err := os.Chmod(run, 0o444); err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(dir, "m.pomdp")
	if data, err = os.ReadFile(dataFolder + "tiger.pomdp"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(model, data, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"solve --env tiger --max-episodes 3 --out " + run, exitError, "which is write-protected, want another name, or --force"},
		{"solve --resume " + run + " --max-episodes 4", exitError, "which is write-protected, want another name, or --force"},
		{"solve --model " + model + " --force --out " + model, exitUsage, "--model and --out name the same file"},
		{"export --force --run " + table + " --samples " + dir + "/./tiger.csv", exitUsage, "--samples and --run name the same file"},
		{"export --run " + run + " --samples=", exitUsage, "want a name"},
	} {
		if code, stdout, stderr := call(t, line(c.args)...); code != c.code || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("bcpace %s: exit code %d, stdout %q, stderr %q, want %q", c.args, code, stdout, stderr, c.want)
		}
	}
	succeed(t, line("solve --env tiger --force --max-episodes 3 --out "+run)...)
}
