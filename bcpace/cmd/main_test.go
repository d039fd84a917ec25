package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/solvers"
	"bayescpace/envs"
)

// asProgram makes the test binary behave as the program, for tests that need a
// process.
const asProgram = "BCPACE_TEST_AS_PROGRAM"

// Values of asProgram.
const (
	plain      = "plain"
	oftenSaved = "often saved" // writes many checkpoints
	announcing = "announcing"  // writes none, and says when its work has begun
	stubborn   = "stubborn"    // does nothing, and does not end when it is asked to
)

func TestMain(m *testing.M) {
	how := os.Getenv(asProgram)
	if how == "" {
		os.Exit(m.Run())
	}
	ctx, stop := interruptible()
	defer stop()
	fmt.Fprintln(os.Stderr, "ready") // interrupts are caught from here on
	switch how {
	case oftenSaved:
		checkpointEvery = 20 * time.Millisecond
	case announcing:
		checkpointEvery = time.Hour
		ctx = announcingContext{ctx, new(atomic.Int64)}
	case stubborn:
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, "asked to end")
		select {}
	}
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// announcingContext is a context that says on standard error when it was asked often
// enough for an exploration to have begun.
type announcingContext struct {
	context.Context
	asked *atomic.Int64
}

func (c announcingContext) Err() error {
	if c.asked.Add(1) == 1000 {
		fmt.Fprintln(os.Stderr, "begun")
	}
	return c.Context.Err()
}

// call runs the program in this process.
func call(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// succeed runs the program and returns its output.
func succeed(t testing.TB, args ...string) string {
	t.Helper()
	code, stdout, stderr := call(t, args...)
	if code != exitOK || stderr != "" {
		t.Fatalf("bcpace %s: exit code %d, stderr %q", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

// decode reads one JSON object with exactly the fields of a struct, but for those that may be
// left out, and nothing after it.
func decode[T any](t testing.TB, text string) T {
	t.Helper()
	var x T
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&x); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if d.More() || !strings.HasSuffix(text, "}\n") {
		t.Fatalf("more than one JSON object: %q", text)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		key, how, _ := strings.Cut(f.Tag.Get("json"), ",")
		if _, there := fields[key]; !f.Anonymous && (there || how != "omitempty") {
			n++
		}
	}
	if len(fields) != n {
		t.Fatalf("%d fields, want %d: %s", len(fields), n, text)
	}
	return x
}

// line splits a command line at spaces.
func line(s string) []string { return strings.Fields(s) }

// TestErrors expects the exit code and the one line of every kind of failure,
// and nothing on standard output.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", 2, "no verb given"},
		{"fly", 2, `unknown verb "fly"`},
		{"help fly", 2, `unknown verb "fly"`},
		{"sweep", 2, "no verb given after sweep"},
		{"sweep fly", 2, `unknown verb "sweep fly"`},
		{"help sweep fly", 2, `unknown verb "sweep fly"`},
		{"help solve eval", 2, `unexpected argument "eval"`},
		{"--help solve", 2, `unexpected argument "solve"`},
		{"envs tiger", 2, `unexpected argument "tiger"`},
		{"envs --jsn", 2, "unknown flag --jsn"},

		{"solve", 2, "--env, --model or --resume is missing"},
		{"solve --env tiger chain", 2, `unexpected argument "chain"`},
		{"solve --env tiger --foo 1", 2, "unknown flag --foo"},
		{"solve --env", 2, "flag needs an argument: --env"},
		{"solve --env tiger --set accuracy", 2, `invalid value "accuracy" for flag --set: want key=value`},
		{"solve --env tiger --k many", 2, `invalid value "many" for flag --k: want a whole number`},
		{"solve --env tiger --epsilon small", 2, `for flag --epsilon: want a number`},
		{"solve --env tiger --seed -1", 2, `for flag --seed: want a whole number, 0 or more`},
		{"solve --env tiger --timeout 30", 2, `for flag --timeout: want a duration such as 30s`},
		{"solve --env tiger --seed-one-hot=perhaps", 2, `for --seed-one-hot: want true or false`},
		{"solve --env tiger --algorithm best", 2, `unknown algorithm "best", want one of bayes-cpace, certified, qmdp, sarsop, pbvi, perseus, pomdp-lite, certainty-equivalent`},
		{"solve --env tiger --algorithm qmdp --k 3", 2, "--k and --algorithm qmdp contradict each other: leave out --k, or take bayes-cpace"},
		{"solve --env tiger --algorithm qmdp --epsilon 0.5", 2, "--epsilon and --algorithm qmdp contradict each other: leave out --epsilon, or take bayes-cpace or certified or sarsop"},
		{"eval --env tiger --algorithm qmdp --epsilon 0.5", 2, "--epsilon and --algorithm qmdp contradict"},
		{"solve --env tiger --algorithm pomdp-lite --epsilon 0.5", 2, "--epsilon and --algorithm pomdp-lite contradict"},
		{"solve --env tiger --algorithm qmdp --seed 4", 2, "--seed and --algorithm qmdp contradict each other: leave out --seed, or take bayes-cpace or certified or pbvi or perseus or pomdp-lite"},
		{"solve --env tiger --algorithm sarsop --beliefs 4", 2, "--beliefs and --algorithm sarsop contradict each other: leave out --beliefs, or take pbvi or perseus"},
		{"solve --env tiger --algorithm pbvi --beliefs 0", 1, "--beliefs is 0, want 1 belief or more"},
		{"solve --env tiger --algorithm perseus --beliefs -1", 1, "--beliefs is -1, want a number of beliefs"},
		{"solve --env tiger --algorithm pbvi --max-episodes -1", 1, "--max-episodes is -1, want a number of stages, or 0"},
		{"solve --env tiger --algorithm sarsop --seed 4", 2, "--seed and --algorithm sarsop contradict"},
		{"solve --env tiger --algorithm qmdp --horizon 3", 2, "--horizon and --algorithm qmdp contradict"},
		{"solve --env tiger --model x.pomdp", 2, "--model and --env contradict"},
		{"solve --env tiger --algorithm qmdp --bonus 3", 2, "--bonus and --algorithm qmdp contradict"},
		{"eval --env double-loop --algorithm beb --budget 10ms", 2, "--budget 10ms and --algorithm beb contradict each other: want a whole number"},
		{"eval --env double-loop --algorithm boss --budget 0", 1, "--budget is 0, want 1 sweep or more"},
		{"eval --env double-loop --algorithm boss --variance 1", 1, "--variance is 1 without Smarter, want"},
		{"solve --env tiger --episodes 3", 2, "unknown flag --episodes"},
		{"solve --resume x.bcp --bonus 1 --set a=b", 2, "--set and --resume contradict each other: leave out --set, as the run has its parameters, or give --env too"},
		{"solve --resume x.bcp --model x.pomdp --env tiger", 2, "--model and --env contradict"},
		{"eval --resume x.bcp", 2, "unknown flag --resume"},
		{"solve --resume " + filepath.Join(dir, "x.bcp"), 1, "bcpace: cannot read " + filepath.Join(dir, "x.bcp") + ": no such file or directory"},

		{"solve --model missing.pomdp", 1, "bcpace: cannot read missing.pomdp: no such file or directory"},
		{"cover --points missing.csv --epsilon 1", 1, "bcpace: cannot read missing.csv: no such file or directory"},
		{"store --dir missing", 1, "bcpace: no store: cannot read missing: no such file or directory"},
		{"eval --model missing.pomdpx", 1, "missing.pomdpx"},
		{"solve --env chain --algorithm pomdp-lite --bonus -1", 1, "--bonus is -1, want a weight of 0 or more"},
		{"solve --env lion", 1, `environment is "lion", want one of tiger, chain, light-dark-tiger`},
		{"solve --env tiger --set acuracy=1", 1, `parameter is "acuracy", want one of accuracy, discount, reset`},
		{"solve --env tiger --set accuracy=2", 1, "accuracy is 2, want"},
		{"solve --env tiger --set accuracy=", 1, `accuracy is "", want`},
		{"solve --env tiger --set reset=true --set discount=0.9 --set reset=false", 2, "--set reset is given twice"},
		{"cover --env chain --epsilon 1 --set length=3 --set length=4", 2, "--set length is given twice"},
		{"envs --json --json=false", 2, "--json is given twice"},
		{"solve --env tiger --set discount=1", 1, "discount is 1, want a value in (0, 1)"},
		{"solve --env tiger --epsilon 0", 1, "--epsilon is 0, want a finite ε > 0"},
		{"solve --env tiger --epsilon -1", 1, "--epsilon is -1, want a finite ε > 0"},
		{"solve --env tiger --epsilon NaN", 1, "--epsilon is NaN, want a finite ε > 0"},
		{"solve --env tiger --epsilon Inf", 1, "--epsilon is +Inf, want a finite ε > 0"},
		{"solve --env tiger --epsilon 0 --algorithm sarsop", 1, "--epsilon is 0, want a finite ε > 0"},
		{"solve --env tiger --k 0", 1, "--k is 0, want a number of neighbours, 1 or more"},
		{"solve --env tiger --k -1", 1, "--k is -1, want"},
		{"solve --env tiger --alpha 0", 1, "--alpha is 0, want α > 0"},
		{"solve --env tiger --patience 0", 1, "--patience is 0, want a number of episodes"},
		{"solve --env tiger --lipschitz -2", 1, "--lipschitz is -2, want"},
		{"solve --env tiger --lipschitz 1e308", 1, "--lipschitz is 1e+308, want"},
		{"solve --env tiger --lip-state 3", 1, "--lip-state is 3, want no such constant, as the states of tiger are numbered"},
		{"solve --env light-dark-tiger --set sigma=0.1 --lip-state -3", 1, "--lip-state is -3, want L_S > 0, or 0"},
		{"solve --env tiger --algorithm bayes-cpace --lip-state 3", 2, "--lip-state and --algorithm bayes-cpace contradict each other"},
		{"solve --env tiger --k 2 --lip-state 3", 2, "--lip-state and --algorithm bayes-cpace contradict each other"},
		{"solve --env tiger --beta -2", 1, "--beta is -2, want"},
		{"solve --env tiger --bound low", 1, `--bound is "low", want one of ["constant" "best-case" "qmdp" "fib" "tib" "proved"]`},
		{"solve --env tiger --bound proved", 1, `a proved upper bound cannot run on model "tiger": it needs how its means and expected rewards bend`},
		{"solve --env tiger --batch 9000000000000000000", 1, "--batch is 9000000000000000000, want"},
		{"solve --env tiger --max-samples -1", 1, "--max-samples is -1, want a number of samples, or 0"},
		{"solve --env tiger --max-episodes -1", 1, "--max-episodes is -1, want a number of episodes, or 0"},
		{"solve --env tiger --algorithm sarsop --max-samples -1", 1, "--max-samples is -1, want a number of beliefs, or 0"},
		{"solve --env tiger --algorithm sarsop --max-episodes -1", 1, "--max-episodes is -1, want a number of trials, or 0"},
		{"solve --env tiger --workers -1", 1, "--workers is -1, want"},
		{"solve --env tiger --timeout 0s", 2, `"0s" for flag --timeout: want a time above 0`},
		{"solve --env tiger --timeout 1ns", 1, "out of time after 1ns, before there was anything to keep: certified was at its first bounds"},
		{"solve --env tiger --timeout 1ns --k 1", 1, "before there was anything to keep: bayes-cpace was at the values of the latent MDPs"},
		{"solve --env tiger --algorithm qmdp --timeout 1ns", 1, "out of time after 1ns, before there was anything to keep: qmdp was at the values of the latent MDPs, which take long in a large model or at a discount near 1; give more time"},
		{"solve --env tiger --algorithm pomdp-lite --timeout 1ns", 1, "before there was anything to keep: pomdp-lite was at the value of its policy"},
		{"solve --env tiger --seed-one-hot", 1, "a latent that is not redrawn"},
		{"solve --env tiger --out " + filepath.Join(dir, "no", "x.bcp"), 1, "no such file or directory"},
		{"solve --env tiger --out " + dir, 1, "it is a folder"},
		{"solve --env tiger --out " + os.DevNull, 1, "not a regular file"},
		{"solve --env tiger --out=", 2, `invalid value "" for flag --out: want a name`},
		{"solve --env=", 2, `for flag --env: want a name`},
		{"solve --model=", 2, `for flag --model: want a name`},
		{"solve --resume=", 2, `for flag --resume: want a name`},
		{"solve --env tiger --algorithm=", 2, `for flag --algorithm: want a name`},
		{"solve --env tiger --bound=", 2, `for flag --bound: want a name`},
		{"eval --policy= --model x.pomdp", 2, `for flag --policy: want a name`},
		{"verify --run=", 2, `for flag --run: want a name`},
		{"cover --points= --epsilon 1", 2, `for flag --points: want a name`},
		{"store --dir=", 2, `for flag --dir: want a name`},

		{"eval", 2, "--run, --env or --model is missing"},
		{"eval --run x.bcp --env tiger", 2, "--env and --run contradict"},
		{"eval --run x.bcp --set a=b", 2, "--set and --run contradict"},
		{"eval --run x.bcp --algorithm qmdp", 2, "--algorithm and --run contradict"},
		{"eval --run x.bcp --epsilon 1", 2, "--epsilon and --run contradict"},
		{"eval --run x.bcp --k 1", 2, "--k and --run contradict"},
		{"eval --run x.bcp --timeout 1s", 2, "--timeout and --run contradict"},
		{"eval --run x.bcp --model x.pomdp", 2, "--model and --run contradict"},
		{"eval --run x.bcp --out y.bcp", 2, "unknown flag --out"},
		{"eval --env tiger --algorithm qmdp --episodes 0", 1, "--episodes is 0, want a number from 1 to 10000000"},
		{"eval --env tiger --algorithm qmdp --episodes 9000000000000000000", 1, "--episodes is 9000000000000000000, want"},
		{"eval --env tiger --algorithm qmdp --horizon -1", 1, "--horizon is -1, want"},
		{"eval --env tiger --algorithm qmdp --workers -1", 1, "--workers is -1, want"},
		{"eval --env tiger --algorithm qmdp --horizon 9223372036854775807", 1, "--horizon is 9223372036854775807, want a number of steps up to 1000000000"},
		{"eval --env tiger --algorithm qmdp --workers 1000000", 1, "--workers is 1000000, want a number of episodes side by side up to 1024"},
		{"solve --env tiger --algorithm bayes-cpace --horizon 9223372036854775807", 1, "--horizon is 9223372036854775807, want a number of steps up to 1000000000"},
		{"solve --model " + dataFolder + "tiger.pomdp --horizon 9223372036854775807", 1, "--horizon is 9223372036854775807, want a number of steps up to 1000000000"},
		{"solve --env tiger --workers 1000000", 1, "--workers is 1000000, want a number of episodes side by side up to 1024"},
		{"advise --env tiger --workers 1000000", 1, "--workers is 1000000, want a number of episodes side by side up to 1024"},
		{"cover --env chain --epsilon 1 --depth 9223372036854775807", 1, "--depth is 9223372036854775807, want a number of steps up to 1000000000"},
		{"solve --env tiger --k 1 --lipschitz 1e-320", 1, "--lipschitz is 1e-320, want a larger one, or 0 for the default"},
		{"eval --run " + filepath.Join(dir, "x.bcp"), 1, "no such file or directory"},
		{"eval --run " + dir, 1, "is a folder, not a regular file"},
	} {
		for _, more := range []string{"", " --json"} {
			if more != "" && c.code == exitUsage {
				continue // where --json goes is a question of its own there
			}
			code, stdout, stderr := call(t, line(c.args+more)...)
			if code != c.code || !strings.HasPrefix(stderr, "bcpace: ") || !strings.Contains(strings.SplitN(stderr, "\n", 2)[0], c.want) {
				t.Errorf("bcpace %s%s: exit code %d, stderr %q\nwant %d and %q", c.args, more, code, stderr, c.code, c.want)
			}
			if stdout != "" {
				t.Errorf("bcpace %s%s: stdout %q, want nothing", c.args, more, stdout)
			}
			// One line; for wrong usage another one that shows the right one.
			want := 1
			if code == exitUsage {
				want = 2
			}
			if n := strings.Count(stderr, "\n"); n != want || !strings.HasSuffix(stderr, "\n") {
				t.Errorf("bcpace %s%s: %d lines on stderr, want %d: %q", c.args, more, n, want, stderr)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("failures leave files behind: %v", left)
	}
}

// TestTwice expects every flag of every verb to be refused where it is given twice.
func TestTwice(t *testing.T) {
	values := map[string]string{"D": "1s", "NAME": "x", "FILE": "x", "DIR": "x", "KEY=VALUE": "a=b", "HOST:PORT": "x", "WHERE": "x", "IMAGE": "x", "SET": "all", "RISK": "cvar=1"} // by the help; others are numbers
	for _, v := range verbs {
		for _, s := range v.flags().sections {
			for _, f := range s.flags {
				flag, name := "--"+f.name, "--"+f.name
				if value, ok := values[f.arg]; ok && v.name != "pac" { // where D is a number
					flag += "=" + value
				} else if f.arg != "" {
					flag += "=1"
				}
				if f.name == "set" {
					name = "--set a"
				}
				code, stdout, stderr := call(t, append(line(v.name), flag, strings.Replace(flag, "--", "-", 1))...)
				if want := "bcpace: " + name + " is given twice\n"; code != exitUsage || stdout != "" || !strings.HasPrefix(stderr, want) {
					t.Errorf("bcpace %s %s twice: exit code %d, stdout %q, stderr %q, want %q", v.name, flag, code, stdout, stderr, want)
				}
			}
		}
	}
}

// TestOneLine expects hostile names not to break an error's line.
func TestOneLine(t *testing.T) {
	for _, args := range [][]string{
		{"solve", "--env", "a\nb"}, {"eval", "--run", "a\nb\x1b[2J"}, {"solve", "--env", "tiger", "--set", "a\nb=\n"}, {"a\nb"}, {"solve", "--a\nb"},
	} {
		code, _, stderr := call(t, args...)
		if n := strings.Count(stderr, "\n"); code == exitOK || n != code || strings.Contains(stderr, "\x1b") {
			t.Errorf("%q: exit code %d, stderr %q", args, code, stderr)
		}
	}
}

// full is a standard output on a full disk.
type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestFullOutput(t *testing.T) {
	for _, args := range []string{"envs", "envs --json", "help", "solve --help", "solve --env tiger --algorithm qmdp", "eval --env tiger --algorithm qmdp --episodes 2 --json"} {
		var stderr bytes.Buffer
		if code := run(t.Context(), line(args), full{}, &stderr); code != exitError || !strings.Contains(stderr.String(), errFull.Error()) {
			t.Errorf("bcpace %s > full: exit code %d, stderr %q", args, code, stderr.String())
		}
	}
}

// TestHelp expects help on standard output with all flags, and examples that the program takes.
func TestHelp(t *testing.T) {
	for _, args := range []string{"help", "--help", "-h"} {
		if out := succeed(t, args); !strings.Contains(out, "usage: bcpace VERB") {
			t.Errorf("bcpace %s: %s", args, out)
		}
	}
	of := succeed(t, "help", "sweep")
	for _, v := range group("sweep") {
		if !strings.Contains(of, v.name+" ") || succeed(t, "sweep", "--help") != of {
			t.Errorf("bcpace help sweep does not list %s, or differs from sweep --help: %s", v.name, of)
		}
	}
	doc, err := os.ReadFile("bcpace/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range verbs {
		if listed := fmt.Sprintf("\n//\t%-12s  %s\n", v.name, v.doc); !strings.Contains(string(doc), listed) {
			t.Errorf("bcpace/doc.go does not list %q", listed)
		}
		help := succeed(t, line(v.name+" --help")...)
		others := []string{"help " + v.name, v.name + " -h"}
		if !slices.Contains([]string{"sweep script", "act", "plot", "completion"}, v.name) { // whose output is no result
			others = append(others, v.name+" --json --help")
		}
		for _, args := range others {
			if succeed(t, line(args)...) != help {
				t.Errorf("bcpace %s differs from bcpace %s --help", args, v.name)
			}
		}
		var listed []string
		for _, s := range v.flags().sections {
			for _, f := range s.flags {
				listed = append(listed, f.name)
				if !strings.Contains(help, "--"+f.name) || f.doc == "" {
					t.Errorf("%s: --%s is not described", v.name, f.name)
				}
			}
		}
		if v.name == "solve" || v.name == "eval" {
			for _, want := range []string{"1 for tiger", "1 for chain", "0.1 for light-dark-tiger", "default 0.001", "more than 100 values"} {
				if !strings.Contains(help, want) {
					t.Errorf("%s: the help does not say %q", v.name, want)
				}
			}
			for _, want := range []string{"env", "set", "algorithm", "epsilon", "seed", "timeout", "k", "lipschitz", "alpha", "bound", "seed-one-hot",
				"beta", "batch", "horizon", "patience", "max-samples", "max-episodes", "lip-state", "workers", "json"} {
				if !slices.Contains(listed, want) {
					t.Errorf("%s: --%s is missing from the help", v.name, want)
				}
			}
		}
		for _, e := range v.examples {
			args, ok := strings.CutPrefix(e+" ", v.name+" ")
			if err := v.flags().parse(line(args)); err != nil || !ok {
				t.Errorf("the example %q is not valid: %v", e, err)
			}
		}
	}
}

// TestEnvs expects all environments, in a form that makes them again.
func TestEnvs(t *testing.T) {
	list := decode[envList](t, succeed(t, "envs", "--json"))
	table := succeed(t, "envs")
	if n := len(envs.List()) + len(envs.ListHidden()); len(list.Envs) != n {
		t.Fatalf("%d environments, want %d", len(list.Envs), n)
	}
	for _, e := range list.Envs {
		args := []string{"solve", "--env", e.Name, "--algorithm", "qmdp", "--json"}
		if e.Hidden {
			args = []string{"eval", "--env", e.Name, "--algorithm", "thompson", "--episodes", "1", "--horizon", "2"}
		} else if m, err := envs.New(e.Name, nil); err != nil {
			t.Fatal(err)
		} else if spec := m.Spec(); spec.HasBox() {
			args = append(args, "--control-points", "2")
			if len(spec.Axes) > 3 { // a grid of so many axes takes long
				args = []string{"solve", "--env", e.Name, "--algorithm", "policy-search", "--max-steps", "20", "--certificate-episodes", "20", "--json"}
			}
		}
		for _, p := range e.Params {
			args = append(args, "--set", p.Key+"="+p.Default)
			for _, text := range []string{e.Name, e.Doc, p.Key, p.Default, p.Doc, p.Want} {
				if text == "" || !strings.Contains(table, text) {
					t.Errorf("%s: the table does not say %q", e.Name, text)
				}
			}
		}
		if text := succeed(t, args...); e.Hidden {
			continue
		} else if got := decode[wantResult](t, text); got.Model != e.Name {
			t.Errorf("the defaults of %s make %+v", e.Name, got)
		}
	}
}

// TestSolvers expects all algorithms, by the names that solve knows, with parameters
// that it has.
func TestSolvers(t *testing.T) {
	list := decode[solverList](t, succeed(t, "solvers", "--json"))
	table := succeed(t, "solvers")
	if len(list.Solvers) != len(solvers.List()) {
		t.Fatalf("%d algorithms, want %d", len(list.Solvers), len(solvers.List()))
	}
	if len(list.Hidden) != len(solvers.ListPlanners()) {
		t.Fatalf("%d planners for hidden vectors, want %d", len(list.Hidden), len(solvers.ListPlanners()))
	}
	help := succeed(t, "solve", "--help")
	for _, s := range list.Hidden {
		for _, p := range s.Params {
			if !strings.Contains(table, p.Doc) || !strings.Contains(succeed(t, "eval", "--help"), "--"+p.Key) {
				t.Errorf("%s: neither table nor help of eval have --%s", s.Name, p.Key)
			}
		}
	}
	for _, s := range list.Solvers {
		for _, p := range s.Params {
			for _, text := range []string{s.Name, s.Doc, "--" + p.Key, p.Doc} {
				if !strings.Contains(table, text) {
					t.Errorf("%s: the table does not say %q", s.Name, text)
				}
			}
			if !strings.Contains(help, "--"+p.Key) {
				t.Errorf("solve has no flag --%s", p.Key)
			}
		}
	}
}

// cancelled is a context that was interrupted.
func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// result is the JSON of the verb solve.
type result struct {
	Algorithm string `json:"algorithm"`
	Model     string `json:"model"`
	// Objective is what the bounds are of; without it, the expected return.
	Objective   ground `json:"objective,omitempty"`
	Value       number `json:"value"`
	Lower       number `json:"lower"`
	Upper       number `json:"upper"`
	Certificate string `json:"certificate"`
	grounds
	// Epsilon is how far apart the bounds may be when the search ends, or what the solver takes for it; null where it has none.
	Epsilon number `json:"epsilon"`
	// Delta bounds the probability that a simulated bound is false, and Simulated is the number of
	// episodes that it rests on; 0 where none was simulated.
	Delta     number `json:"delta"`
	Simulated int    `json:"simulated_episodes"`

	Samples  int    `json:"samples"`
	Episodes int    `json:"episodes"`
	Steps    int    `json:"steps"`
	Seconds  number `json:"seconds"`
	Seed     uint64 `json:"seed"`
	Stop     string `json:"stop"`
	// Draws is the number of latents drawn with --samples; without the flag there is no such key.
	Draws *int `json:"draws,omitempty"`
	// Notes are null if there is nothing to say.
	Notes *notes `json:"notes"`
}

// grounds are what bounds rest on.
type grounds struct {
	LowerBy     ground `json:"lower_by"`
	UpperBy     ground `json:"upper_by"`
	PolicyEarns ground `json:"policy_earns"`
	Assumes     ground `json:"assumes"`
	Refuted     ground `json:"refuted"`
}

// envList is the JSON of the verb envs.
type envList struct {
	Envs []env `json:"envs"`
}

type env struct {
	Name   string           `json:"name"`
	Doc    string           `json:"doc"`
	Status solverkit.Status `json:"status"`
	Params []envParam       `json:"params"`
	// Hidden says that the hidden variable is a vector: planners search in such an environment.
	Hidden bool `json:"hidden"`
}

type envParam struct {
	Key     string `json:"key"`
	Default string `json:"default"`
	Want    string `json:"want"`
	Doc     string `json:"doc"`
}

// solverList is the JSON of the verb solvers.
type solverList struct {
	Solvers   []solver `json:"solvers"`
	Questions []solver `json:"questions"`
	Hidden    []solver `json:"hidden"`
}

type solver struct {
	Name   string           `json:"name"`
	Doc    string           `json:"doc"`
	Status solverkit.Status `json:"status"`
	Params []solverParam    `json:"params"`
}

type solverParam struct {
	Key string `json:"key"`
	Doc string `json:"doc"`
}
