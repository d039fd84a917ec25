package cmd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/store"
	"bayescpace/envs"
)

// wantEvaluation is the contract of eval --json, written down a second time.
type wantEvaluation struct {
	Mean     *float64    `json:"mean"`
	StdErr   *float64    `json:"stderr"`
	CI95     *[2]float64 `json:"ci95"`
	CI95By   *string     `json:"ci95_by"`
	Range95  *[2]float64 `json:"range95"`
	Episodes *int        `json:"episodes"`
	Horizon  *int        `json:"horizon"`
	Cut      *int        `json:"cut"`
	Seconds  *float64    `json:"seconds"`
	Total    *float64    `json:"mean_total"`
	Rate     *float64    `json:"simulations_per_second"` // null unless a planner plays
	Width    *float64    `json:"mean_interval_width"`    // null unless it bounds values
}

func evalJSON(t testing.TB, args string) wantEvaluation {
	t.Helper()
	r := decode[wantEvaluation](t, succeed(t, line(args+" --json")...))
	if r.Mean == nil || r.StdErr == nil || r.CI95 == nil || r.CI95By == nil || r.Range95 == nil || r.Episodes == nil || r.Horizon == nil || r.Seconds == nil || !(*r.Seconds >= 0) || r.Total == nil {
		t.Fatalf("bcpace %s: %+v", args, r)
	}
	return r
}

// readRun reads a run file as another program would.
func readRun(t testing.TB, name string) *runs.Run {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := runs.Read(f, envs.New, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEvalPlanner plays an online planner with a budget in simulations, which gives the same
// again, and in time.
func TestEvalPlanner(t *testing.T) {
	const play = "eval --env tiger --algorithm pomcp --episodes 4 --horizon 5 --seed 3 --budget "
	r, again := evalJSON(t, play+"50"), evalJSON(t, play+"50 --workers 3")
	if *r.Mean != *again.Mean || *r.Total != *again.Total || r.Rate == nil || !(*r.Rate > 0) {
		t.Errorf("%+v and %+v", r, again)
	}
	if r := evalJSON(t, play+"1ms"); r.Rate == nil || *r.Episodes != 4 {
		t.Errorf("%+v", r)
	}
	if r := evalJSON(t, "eval --env tiger --algorithm lookahead --budget 50 --episodes 4 --horizon 5"); r.Width == nil || !(*r.Width > 0 && *r.Width < 100) {
		t.Errorf("lookahead: %+v, want intervals", r)
	}
	if r.Width != nil {
		t.Errorf("pomcp has intervals of length %v", *r.Width)
	}
	for _, other := range []string{"--env tiger --algorithm qmdp", "--model ../../data/tiger.pomdpx --algorithm sarsop"} {
		if r := evalJSON(t, "eval "+other+" --episodes 4 --horizon 5"); r.Rate != nil || r.Width != nil {
			t.Errorf("%s: %+v, want no simulations and no intervals", other, r)
		}
	}
	for budget, want := range map[string]string{
		"0": "--budget is 0, want 1 simulation or more", "-1": "--budget is -1, want 1 simulation or more", "-1s": "--budget is -1s, want a time above 0",
	} {
		if code, _, stderr := call(t, line(play+budget)...); code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("--budget %s: code %d, %s", budget, code, stderr)
		}
	}
	if code, _, stderr := call(t, line(play+"much")...); code != 2 || !strings.Contains(stderr, "such as 1000") {
		t.Errorf("--budget much: code %d, %s", code, stderr)
	}
}

// TestEvalLearner plays agents that learn transitions in long trials. BEB earns 390 in each of the
// double loop, whose moves all succeed.
func TestEvalLearner(t *testing.T) {
	for algorithm, least := range map[string]float64{"beb": 390, "boss --sboss": 370, "thompson": 300} {
		r := evalJSON(t, "eval --env double-loop --set prior=flat --budget 1000 --horizon 1000 --episodes 5 --algorithm "+algorithm)
		if *r.Total < least || r.Rate != nil || r.Width != nil {
			t.Errorf("%s: %+v, want a total of %v or more", algorithm, r, least)
		}
	}
}

// TestEvalTiger expects 19.243, the value of QMDP in Tiger for 100 steps, by an
// independent dynamic program to 5·10⁻⁴ and by eval.Evaluate. Five standard
// errors are missed with probability 6·10⁻⁷, were the seed not fixed.
func TestEvalTiger(t *testing.T) {
	const value, rounding = 19.243, 5e-4
	m := envs.Tiger{}
	q, err := dp.SolveLatent(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := eval.Evaluate(t.Context(), m, dp.LatentPolicy(q, 3), eval.ExactOptions{Horizon: 100})
	if err != nil || math.Abs(exact.Value-value) > rounding+exact.Error {
		t.Errorf("the exact value is %v (error %v), want %v", exact.Value, err, value)
	}
	r := evalJSON(t, "eval --env tiger --set accuracy=0.85 --set discount=0.95 --set reset=true --algorithm qmdp --episodes 20000 --horizon 100 --seed 1")
	if math.Abs(*r.Mean-value) > 5**r.StdErr+rounding {
		t.Errorf("mean %v ± %v, want %v", *r.Mean, *r.StdErr, value)
	}
	// With 20000 episodes, Student's t is the normal distribution to 10⁻⁴.
	if half := 1.96 * *r.StdErr; math.Abs(r.CI95[0]-(*r.Mean-half)) > 1e-3*half || math.Abs(r.CI95[1]-(*r.Mean+half)) > 1e-3*half {
		t.Errorf("interval %v about %v ± %v", *r.CI95, *r.Mean, *r.StdErr)
	}
	if *r.CI95By != "student" || !(r.Range95[0] < r.CI95[0] && r.CI95[1] < r.Range95[1]) {
		t.Errorf("interval by %s; by range %v", *r.CI95By, *r.Range95)
	}
	if *r.Episodes != 20000 || *r.Horizon != 100 || !(*r.StdErr > 0.05 && *r.StdErr < 0.5) {
		t.Errorf("%d episodes of %d steps, standard error %v", *r.Episodes, *r.Horizon, *r.StdErr)
	}
}

// TestEvalRoom solves and evaluates by a file and directly. The best policy
// earns 10·γ⁷ in every episode.
func TestEvalRoom(t *testing.T) {
	want := 10 * math.Pow(0.95, 7)
	name := filepath.Join(t.TempDir(), "room.bcp")
	succeed(t, line("solve --env light-dark-tiger --algorithm bayes-cpace --seed 1 --out "+name)...)
	for _, args := range []string{
		"eval --run " + name,
		"eval --run " + name + " --seed 3 --workers 2 --episodes 17 --horizon 8",
		"eval --env light-dark-tiger --algorithm bayes-cpace --seed 1",
		"eval --env light-dark-tiger --patience 50",
	} {
		r := evalJSON(t, args)
		if math.Abs(*r.Mean-want) > 1e-12 || *r.StdErr != 0 || *r.CI95By != "range" || *r.CI95 != *r.Range95 || !(r.CI95[0] < want && want < r.CI95[1]) {
			t.Errorf("bcpace %s: %v ± %v, want %v", args, *r.Mean, *r.StdErr, want)
		}
	}
	if r := evalJSON(t, "eval --run "+name); *r.Episodes != 1000 || *r.Horizon != (envs.LightDarkTiger{}).Spec().DefaultHorizon() {
		t.Errorf("by default %d episodes of %d steps", *r.Episodes, *r.Horizon)
	}
	if r := evalJSON(t, "eval --run "+name+" --horizon 7"); *r.Mean != 0 {
		t.Errorf("mean %v after 7 steps, want 0: the goal is 8 steps away", *r.Mean)
	}
	out := succeed(t, line("eval --episodes 20 --run "+name)...)
	for _, want := range []string{"mean      6.98337\n", "stderr    0\n", "ci95 by   range\n", "range95   [", "episodes  20\n", "horizon   238\n", "seconds "} {
		if !strings.Contains(out, want) {
			t.Errorf("the table does not say %q:\n%s", want, out)
		}
	}
}

func TestEvalSingleEpisode(t *testing.T) {
	out := succeed(t, line("eval --env chain --algorithm qmdp --episodes 1 --json")...)
	if !strings.Contains(out, `"stderr":null,"ci95":[null,null],"ci95_by":"","range95":[0,`) {
		t.Errorf("got %s", out)
	}
	if out := succeed(t, line("eval --env chain --algorithm qmdp --episodes 1")...); !strings.Contains(out, "ci95      [–, –]\n") {
		t.Errorf("got %s", out)
	}
}

// TestEvalDeterminism expects all but the seconds to depend on the seed alone.
func TestEvalDeterminism(t *testing.T) {
	play := func(more string) string {
		t.Helper()
		out := succeed(t, line("eval --env tiger --algorithm qmdp --episodes 300 --horizon 50 --json "+more)...)
		before, _, ok := strings.Cut(out, `,"seconds"`)
		if !ok {
			t.Fatalf("no seconds in %s", out)
		}
		return before
	}
	first := play("--seed 5 --workers 1")
	if other := play("--seed 5 --workers 8"); other != first {
		t.Errorf("--workers 8: %s, --workers 1: %s", other, first)
	}
	if other := play("--seed 6"); other == first {
		t.Errorf("another seed makes the same: %s", first)
	}
}

// TestEvalUnusableFiles expects files that are no whole run of this version to
// be told apart.
func TestEvalUnusableFiles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "run.bcp")
	succeed(t, line(smallTiger+" --out "+name)...)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	change := func(edit func(b []byte)) []byte {
		b := bytes.Clone(whole)
		edit(b)
		return b
	}
	resum := func(b []byte) []byte {
		sum := sha256.Sum256(b[:len(b)-sha256.Size])
		copy(b[len(b)-sha256.Size:], sum[:])
		return b
	}
	for want, data := range map[string][]byte{
		"truncated to 0 bytes":           {},
		"truncated to 3 bytes":           whole[:3],
		"truncated to 30 bytes":          whole[:30],
		"truncated or damaged":           whole[:len(whole)-1],
		"it is truncated or damaged":     change(func(b []byte) { b[len(b)/2] ^= 4 }),
		"another kind of file":           []byte("PK\x03\x04 and what else is in an archive"),
		"format version 99, and this":    change(func(b []byte) { binary.LittleEndian.PutUint32(b[8:], 99) }),
		`"lions" is not in package envs`: resum(bytes.Replace(whole, []byte(`"Model":"tiger"`), []byte(`"Model":"lions"`), 1)),
		"want one of accuracy, discount": resum(bytes.Replace(whole, []byte(`"Key":"accuracy"`), []byte(`"Key":"accurate"`), 1)),
		"described otherwise":            resum(bytes.Replace(whole, []byte(`"Value":"0.85"`), []byte(`"Value":"0.86"`), 1)),
		"Epsilon is 0":                   resum(bytes.Replace(whole, []byte(`"Epsilon":1,`), []byte(`"Epsilon":0,`), 1)),
	} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := call(t, "eval", "--run", name, "--json")
		if code != exitError || stdout != "" || !strings.HasPrefix(stderr, "bcpace: "+name+": ") || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("exit code %d, stdout %q, stderr %q\nwant one that says %q", code, stdout, stderr, want)
		}
	}
}

// TestOwnModel expects every verb that reads a run to name the ways to use that of a
// user's own model.
func TestOwnModel(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.bcp")
	r, err := runs.Explore(t.Context(), gripper{envs.Tiger{}}, cpace.Solver{Epsilon: 1, MaxEpisodes: 2, CertificateEpisodes: -1})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.WriteFile(name, r); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"eval", "verify", "cover", "lipschitz", "export --samples " + name + ".csv"} {
		code, stdout, stderr := call(t, line(args+" --run "+name)...)
		for _, want := range []string{`"gripper" is not in package envs`, "runs.Read with runs.FixedModel", "runs.Verify", "eval.Rollouts", "frame.Samples", "frame.WriteCSV", "parquet.Write"} {
			if code != exitError || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("%s: exit code %d, stdout %q, stderr %q, want it to say %q", args, code, stdout, stderr, want)
			}
		}
	}
}

// gripper is Tiger by another name, as if a user had made it.
type gripper struct{ envs.Tiger }

// Spec implements bcpace.Model.
func (g gripper) Spec() bcpace.Spec {
	s := g.Tiger.Spec()
	s.Name = "gripper"
	return s
}

// TestEvalInterrupted expects the result of a part of the episodes that was fixed ahead, as those that have ended are the
// short ones, and nothing where that part has not ended.
func TestEvalInterrupted(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.bcp")
	succeed(t, line(smallTiger+" --out "+name)...)
	args := "eval --workers 1 --json --run " + name
	for ended, episodes := range map[int]int{0: 0, 1: 0, 30: 0, 31: 31, 70: 62, 130: 125} {
		var stdout, stderr bytes.Buffer
		code := run(endedAfter(ended, context.Canceled), line(args), &stdout, &stderr)
		said := fmt.Sprintf("bcpace: interrupted after %d of 1000 episodes\n", episodes)
		if episodes == 0 {
			said = "bcpace: interrupted before 31 of 1000 episodes had ended, the fewest whose mean says something\n"
		}
		if code != exitInterrupted || stderr.String() != said {
			t.Errorf("exit code %d, stderr %q, want %q", code, stderr.String(), said)
		}
		if episodes == 0 {
			if stdout.Len() > 0 {
				t.Errorf("no episode: stdout %q", stdout.String())
			}
			continue
		}
		got, want := decode[wantEvaluation](t, stdout.String()), decode[wantEvaluation](t, succeed(t, line(fmt.Sprint(args, " --episodes ", episodes))...))
		if got.Seconds, want.Seconds = nil, nil; *got.Episodes != episodes || !reflect.DeepEqual(got, want) {
			t.Errorf("%d episodes: %s, want mean %v", episodes, stdout.String(), *want.Mean)
		}
	}
}

// endedContext is a context that ends at a call of Err.
type endedContext struct {
	context.Context
	err  error
	left *atomic.Int64 // calls before that
}

func (c endedContext) Err() error {
	if c.left.Add(-1) < 0 {
		return c.err
	}
	return nil
}

// endedAfter returns a context that is asked in vain so many times, and then ends with
// err.
func endedAfter(n int, err error) context.Context {
	c := endedContext{context.Background(), err, new(atomic.Int64)}
	c.left.Store(int64(n))
	return c
}

// solveEnded solves until err ends it, as soon as there is something to keep, and
// returns what it prints on both outputs.
func solveEnded(t testing.TB, err error, args string) (r wantResult, stdout, stderr string) {
	t.Helper()
	for n := 50; ; n += n/40 + 1 {
		var out, errs bytes.Buffer
		want := exitOK
		if errors.Is(err, context.Canceled) {
			want = exitInterrupted
		}
		if code := run(endedAfter(n, err), line(args+" --json"), &out, &errs); code == want && out.Len() > 0 {
			if strings.Contains(errs.String(), "has no policy yet") { // it has ended in the set-up, which may be long
				n += n / 4
				continue
			}
			return decode[wantResult](t, out.String()), out.String(), errs.String()
		}
		if !strings.Contains(errs.String(), "before there was anything to keep") || out.Len() > 0 {
			t.Fatalf("%s: stdout %q, stderr %q", args, out.String(), errs.String())
		}
	}
}

// TestEvalTimeout: where nothing is solved before, the time is that of the episodes, and those that have ended are told.
func TestEvalTimeout(t *testing.T) {
	for _, args := range []string{"--env tiger --algorithm pomcp --budget 100", "--env lasertag-hidden --algorithm thompson"} {
		code, stdout, stderr := call(t, line("eval "+args+" --episodes 1000000 --horizon 2 --timeout 200ms")...)
		if code == 0 || !strings.Contains(stderr, "out of time") || !strings.Contains(stdout+stderr, "episodes") {
			t.Errorf("%s: %d, %s, %s", args, code, stdout, stderr)
		}
	}
}
