package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/problem"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"

	"pgregory.net/rapid"
)

// killedRole is what a process of TestKilled does.
var killedRole = func(string) {}

// TestMain keeps the results of Examples out of the user's store.
func TestMain(m *testing.M) {
	if how := os.Getenv("SWEEP_TEST_KILLED"); how != "" {
		killedRole(how)
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "sweep")
	if err != nil {
		panic(err)
	}
	os.Setenv("BAYESCPACE_STORE", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func ExampleSpec_Run() {
	s := Spec{
		Base: Trial{Env: "tiger", Algorithm: "certified", Eval: &Eval{Exact: true, Horizon: 100}},
		Grid: []Axis{{Key: "set.accuracy", Values: []any{0.75, 0.85, 0.95}}},
	}
	results, err := s.Run(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range results.Rows {
		fmt.Printf("accuracy %s: %.3f in [%.3f, %.3f], %s\n", row.At("set.accuracy"), row.Exact, row.Lower, row.Upper, row.Certificate)
	}
	// Output:
	// accuracy 0.75: -0.502 in [-0.496, -0.495], exact
	// accuracy 0.85: 19.243 in [19.371, 19.372], exact
	// accuracy 0.95: 42.875 in [43.150, 43.151], exact
}

// run runs a sweep with results in a folder.
func run(t *testing.T, s Spec, folder string) *Results {
	t.Helper()
	r, err := Run(t.Context(), s, Options{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// outcomes are what must not depend on who computes them.
func outcomes(r *Results) string {
	var b bytes.Buffer
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "%d %s %s %q\n", row.Number, row.Key, canonical(row.TrialOutcome), row.Fault)
	}
	return b.String()
}

// TestTrialIsTheSolver compares the outcome of trials with solvers and evaluations called by hand.
func TestTrialIsTheSolver(t *testing.T) {
	m := envs.Chain{}
	s := Spec{Base: Trial{Env: "chain", Seed: 3, Algorithm: "certified", Params: Values{"epsilon": 0.5}, Eval: &Eval{Episodes: 50, Horizon: 20, Exact: true}}}
	row := run(t, s, t.TempDir()).Rows[0]
	want, err := certified.Solver{Epsilon: 0.5, Seed: 3}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	played, err := eval.Rollouts(t.Context(), m, want.Policy, eval.Options{Episodes: 50, Horizon: 20, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	exact, err := eval.Evaluate(t.Context(), m, want.Policy, eval.ExactOptions{Horizon: 20})
	if err != nil {
		t.Fatal(err)
	}
	if row.Lower != want.Certificate.Lower || row.Upper != want.Certificate.Upper || row.Return != played.Mean ||
		row.ReturnLo != played.CI95[0] || row.ReturnBy != string(played.CI95By) || row.Exact != exact.Value || row.Samples != float64(runs.Of(want).Samples.Len()) || row.Certificate != "exact" {
		t.Errorf("row %s, want %v, %v, %v", canonical(row.TrialOutcome), want.Certificate, played.Mean, exact.Value)
	}
}

// TestHorizonBesideEpsilon: the tuned horizon is for the tuned ε, and goes with it, as on the
// command line; one that is given stays, though it be the tuned one.
func TestHorizonBesideEpsilon(t *testing.T) {
	tuned := envs.Tuned(envs.Chain{})
	for horizon, params := range map[int]Values{
		tuned.Horizon: {"epsilon": "2", "horizon": strconv.Itoa(tuned.Horizon)},
		7:             {"epsilon": "2", "horizon": "7"},
		0:             {"epsilon": "2"},
	} {
		s, err := Trial{Algorithm: "bayes-cpace", Params: params}.solver(problem.Problem{Model: envs.Chain{}})
		if o, ok := s.(cpace.Solver); err != nil || !ok || o.Horizon != horizon || o.Epsilon != 2 {
			t.Errorf("%v: %+v, %v, want the horizon %d", params, s, err, horizon)
		}
	}
	s, err := Trial{Algorithm: "bayes-cpace", Params: Values{"epsilon": "1"}}.solver(problem.Problem{Model: envs.Chain{}})
	if o, ok := s.(cpace.Solver); err != nil || !ok || o.Horizon != tuned.Horizon {
		t.Errorf("with the tuned ε: %+v, %v, want the horizon %d", s, err, tuned.Horizon)
	}
}

// TestModelFile: the content of a file counts, not its name; and a POMDP without a BAMDP has a
// solver too.
func TestModelFile(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("../../data/tiger.pomdp")
	if err != nil {
		t.Fatal(err)
	}
	a, b := filepath.Join(dir, "a.pomdp"), filepath.Join(dir, "b.POMDP")
	for _, name := range []string{a, b} {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	spec := func(file string) Spec {
		return Spec{Base: Trial{Model: file, Eval: &Eval{Episodes: 20, Horizon: 20}}, List: []Setting{{"algorithm": "sarsop"}, {"algorithm": "certified"}, {"algorithm": "pomcp", "params.budget": 20}}}
	}
	first := run(t, spec(a), dir)
	for _, row := range first.Rows {
		if row.Fault != "" || math.IsNaN(row.Return) || row.Algorithm() != "pomcp" && (row.Lower > 19.372 || row.Upper < 19.371) {
			t.Errorf("row %+v", row)
		}
	}
	if second := run(t, spec(b), dir); outcomes(first) != outcomes(second) || !second.Rows[0].Cached {
		t.Errorf("another name of the file:\n%s\n%s", outcomes(first), outcomes(second))
	}
	if err := os.WriteFile(b, bytes.Replace(text, []byte("0.95"), []byte("0.9"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if third := run(t, spec(b), dir); third.Rows[0].Cached || third.Rows[0].Key == first.Rows[0].Key {
		t.Errorf("another content of the file has the same result")
	}
}

// TestModelFileWithoutBAMDP: an algorithm for BAMDPs says what the file lacks, with a seed of its
// own or without, and a planner plays it.
func TestModelFileWithoutBAMDP(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "walk.pomdp") // its hidden part is seen as it moves
	text := "discount: 0.9\nvalues: reward\nstates: 2\nactions: 1\nobservations: 2\nT: 0\n0.5 0.5\n0.5 0.5\nO: 0\n0.8 0.2\n0.2 0.8\nR: 0 : 0 : * : * 1\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range []string{"bayes-cpace", "certified", "beb"} {
		_, err := Run(t.Context(), Spec{Base: Trial{Model: file, Algorithm: algorithm}}, Options{Folder: dir})
		if err == nil || !strings.Contains(err.Error(), algorithm+" needs a Bayes-adaptive MDP: ") {
			t.Errorf("%s: error %v", algorithm, err)
		}
	}
	// The only action earns 1 in half of the steps: (1 − 0.9¹⁵)·0.5/0.1 on average.
	r := run(t, Spec{Base: Trial{Model: file, Algorithm: "pomcp", Params: Values{"budget": "10"}, Eval: &Eval{Episodes: 200, Horizon: 15}}}, dir)
	if row := r.Rows[0]; !(math.Abs(row.Return-3.971) < 5*(row.ReturnHi-row.ReturnLo)/4) { // 5 standard errors
		t.Errorf("pomcp earns %v [%v, %v], want 3.971", row.Return, row.ReturnLo, row.ReturnHi)
	}
}

// Algorithm is that of the row's trial.
func (r *TrialRow) Algorithm() string { return r.Trial.Algorithm }

// TestCoverTrial compares a cover with the numbers of the largest set of beliefs.
func TestCoverTrial(t *testing.T) {
	s := Spec{Base: Trial{Env: "tiger", Cover: &Cover{Epsilon: 0.1, Depth: 6}}, Grid: []Axis{{Key: "cover.epsilon", Values: []any{3, 0.1, 1e-9}}}}
	r := run(t, s, t.TempDir())
	last := 0.0
	for _, row := range r.Rows {
		if row.CoverLower > row.CoverUpper || row.CoverUpper > row.Points || row.CoverLower < last || row.Independence > row.CoverUpper {
			t.Errorf("row %s", canonical(row.TrialOutcome))
		}
		last = row.CoverLower
	}
	if row := r.Rows[0]; row.CoverUpper != 1 || row.Points < 2 {
		t.Errorf("an ε beyond the largest distance leaves %v of %v points", row.CoverUpper, row.Points)
	}
}

// TestResults: the same rows for any number of workers, from what is kept, and after a sweep that
// was interrupted at any moment.
//
//test:race
func TestResults(t *testing.T) {
	one, err := Run(t.Context(), tigers(), Options{Workers: 1, Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	want, folder := outcomes(one), t.TempDir()
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(t.Context())
		done := 0
		r, err := Run(ctx, tigers(), Options{Folder: folder, Workers: 3, Progress: func(p SweepProgress) {
			if done = max(done, p.Done); p.Done >= 2*(stops+1) {
				cancel()
			}
		}})
		cancel()
		if r == nil || stops > 10 {
			t.Fatalf("no results of a sweep that was interrupted %d times: %v", stops, err)
		}
		computed := 0
		for _, row := range r.Rows {
			if row.Computed() {
				computed++
			}
		}
		if computed < done {
			t.Fatalf("%d rows of %d done", computed, done)
		}
		if err == nil {
			if outcomes(r) != want {
				t.Errorf("interrupted %d times:\n%s\nwant\n%s", stops, outcomes(r), want)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	kept, err := Kept(t.Context(), tigers(), folder)
	if err != nil || outcomes(kept) != want || !kept.Rows[11].Cached {
		t.Errorf("kept: error %v, %s", err, outcomes(kept))
	}
	// A larger sweep computes what is new alone.
	more := tigers()
	more.Seeds = 3
	var last SweepProgress
	if _, err := Run(t.Context(), more, Options{Folder: folder, Progress: func(p SweepProgress) { last = p }}); err != nil || last.Cached != 12 || last.Done != 18 {
		t.Errorf("a larger sweep: error %v, progress %+v", err, last)
	}
}

// TestTwice computes trials that are the same once.
func TestTwice(t *testing.T) {
	s := Spec{Base: Trial{Env: "tiger", Algorithm: "qmdp"}, Grid: []Axis{{Key: "set.accuracy", Values: []any{0.85, "0.85"}}}}
	x, err := newRunner(t.Context(), s, Options{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.run(t.Context()); err != nil || len(x.tasks) != 1 || x.results.Rows[0].Key != x.results.Rows[1].Key || !x.results.Rows[1].Computed() {
		t.Errorf("%d tasks, error %v", len(x.tasks), err)
	}
}

// TestFaults: a trial that fails is a row, and is computed again by the next sweep.
func TestFaults(t *testing.T) {
	folder := t.TempDir()
	s := Spec{Base: Trial{Env: "light-dark-tiger", Algorithm: "qmdp", Eval: &Eval{Exact: true}}, Grid: []Axis{{Key: "set.sigma", Values: []any{0, 0.1}}}}
	for range 2 {
		var last SweepProgress
		r, err := Run(t.Context(), s, Options{Folder: folder, Progress: func(p SweepProgress) { last = p }})
		if err != nil {
			t.Fatal(err)
		}
		if bad := r.Failed(); len(bad) != 1 || bad[0].Number != 1 || !strings.Contains(bad[0].Fault, "numbered states") || bad[0].Computed() || !r.Rows[0].Computed() {
			t.Errorf("failed rows %+v", bad)
		}
		if kept, err := Kept(t.Context(), s, folder); err != nil || len(kept.Failed()) != 1 {
			t.Errorf("kept %v, error %v", kept, err)
		}
		if r.Rows[0].Cached != (last.Cached == 1) {
			t.Errorf("%d cached", last.Cached)
		}
	}
}

// TestWrongTrial is refused before anything is computed.
func TestWrongTrial(t *testing.T) {
	for key, want := range map[string]string{"set.accuracy": "trial 1", "set.nothing": "trial 0", "params.control-points": "params.control-points"} {
		s := Spec{Base: Trial{Env: "tiger", Algorithm: "qmdp"}, Grid: []Axis{{Key: key, Values: []any{0.5, "x"}}}}
		r, err := Run(t.Context(), s, Options{Folder: t.TempDir()})
		if r != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", key, err, want)
		}
	}
}

// TestTimeout marks what depends on the machine.
func TestTimeout(t *testing.T) {
	s := Spec{Base: Trial{Env: "rocksample", Algorithm: "sarsop", Params: Values{"epsilon": 1e-9}, Timeout: Duration(50 * time.Millisecond)}}
	if row := run(t, s, t.TempDir()).Rows[0]; !row.Timed || row.Fault != "" {
		t.Errorf("row %+v", row)
	}
}

// TestKeepRun keeps a run that can be read, and the next time too.
func TestKeepRun(t *testing.T) {
	s := Spec{Base: Trial{Env: "chain", Samples: 2, Set: Values{"slip": "uniform:0.1:0.9"}, Algorithm: "certified", KeepRun: true}}
	folder := t.TempDir()
	for range 2 {
		x := run(t, s, folder)
		r, err := x.OpenRun(t.Context(), x.Rows[0])
		if err != nil || r.Certificate.Upper != x.Rows[0].Upper {
			t.Fatalf("run %v, error %v", r, err)
		}
		if _, err := runs.Verify(t.Context(), r); err != nil {
			t.Error(err)
		}
	}
	s.Base.KeepRun = false
	x := run(t, s, t.TempDir())
	if _, err := x.OpenRun(t.Context(), x.Rows[0]); err == nil {
		t.Error("no error of a run that is not kept")
	}
}

// TestOutcomeJSON keeps every bit of an outcome.
func TestOutcomeJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := nothing()
		o.ReturnBy = rapid.String().Draw(t, "return_by")
		o.Certificate, o.Stop, o.Timed = rapid.String().Draw(t, "certificate"), rapid.String().Draw(t, "stop"), rapid.Bool().Draw(t, "timed")
		for _, m := range measures {
			if rapid.Bool().Draw(t, m.name+" is there") {
				*m.at(&o) = rapid.Float64().Draw(t, m.name)
			}
		}
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		var again TrialOutcome
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, m := range measures {
			if a, b := m.of(o), m.of(again); math.Float64bits(a) != math.Float64bits(b) && !(math.IsNaN(a) && math.IsNaN(b)) {
				t.Fatalf("%s was %v, is %v", m.name, a, b)
			}
		}
		if back, err := json.Marshal(again); err != nil || !bytes.Equal(back, text) {
			t.Fatalf("%s became %s", text, back)
		}
	})
}

// TestLedger: what a full disk or a crash has cut, or a bit that has changed, is as if it were
// not there; all else is.
func TestLedger(t *testing.T) {
	l := ledger{folder: t.TempDir(), version: ThisVersion()}
	var whole []byte
	for i := range 20 {
		e := entry{Key: fmt.Sprint("key ", i), Outcome: canonical(TrialOutcome{Value: float64(i)}), Tries: i}
		if i%3 == 0 {
			e.Outcome, e.Fault = nil, "line one\nline two"
		}
		if err := l.put(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(l.file.Name())
	if err != nil {
		t.Fatal(err)
	}
	count := func() (n int) {
		l.seen = make(map[string]int64)
		if err := l.find(func(entry) { n++ }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(); n != 20 {
		t.Fatalf("%d entries, want 20", n)
	}
	for cut := 0; cut < len(whole); cut += 7 {
		if err := os.WriteFile(l.file.Name(), whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		if n, want := count(), bytes.Count(whole[:cut], []byte("\n")); n != want {
			t.Fatalf("cut at %d: %d entries, want %d", cut, n, want)
		}
		damaged := slices.Clone(whole)
		damaged[cut] ^= 1
		if err := os.WriteFile(l.file.Name(), damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if n := count(); n != 19 && !(n == 18 && whole[cut] == '\n') {
			t.Fatalf("bit at %d: %d entries, want 19", cut, n)
		}
	}
}

// FuzzEntry reads lines of any kind.
func FuzzEntry(f *testing.F) {
	f.Fuzz(func(t *testing.T, line []byte) {
		if e, ok := parseEntry(line); ok && (e.Key == "" || (e.Outcome == nil) == (e.Fault == "")) {
			t.Fatalf("entry %+v", e)
		}
		var o TrialOutcome
		_ = o.UnmarshalJSON(line)
	})
}

// computing is a local that does with a task what its key says.
func computing(t *testing.T) *local {
	return &local{folder: t.TempDir(), compute: func(ctx context.Context, x task, _ *taskPart) ([]byte, error) {
		switch x.key {
		case "panic":
			var nothing []int
			return nil, fmt.Errorf("never %d", nothing[len(x.key)])
		case "fail":
			return nil, errors.New("it cannot")
		case "slow", "slow too":
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return canonical(x.key), nil
	}}
}

// tasks returns tasks with those keys.
func tasks(keys ...string) []task {
	return column(keys, func(key *string) task { return task{key: *key} })
}

// TestAttempts: each way to fail is a fault that says what has failed.
//
//test:race
func TestAttempts(t *testing.T) {
	l := computing(t)
	l.workers, l.limit = 2, time.Second
	got := make(map[string]entry)
	answered := func(e entry, kept bool) {
		if got[e.Key].Key != "" || kept {
			t.Errorf("task %s is answered twice, or has a part", e.Key)
		}
		got[e.Key] = e
	}
	if err := l.do(t.Context(), tasks("one", "panic", "fail", "slow", "two"), answered, func([]string, int) {}); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"one": "", "panic": "it panicked at run_test.go", "fail": "it cannot", "slow": "did not end within 1s", "two": ""} {
		e := got[key]
		if (e.Fault == "") != (want == "") || !strings.Contains(e.Fault, want) || (want == "") != (e.Outcome != nil) || e.Tries != 1 {
			t.Errorf("task %s: %+v, want a fault with %q", key, e, want)
		}
	}
	if string(got["two"].Outcome) != `"two"` {
		t.Errorf("outcome %q", got["two"].Outcome)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.do(ctx, tasks("slow"), func(e entry, _ bool) { t.Errorf("answer %+v", e) }, func([]string, int) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestLoad: the status has the tasks that are being computed, and no others.
//
//test:race
func TestLoad(t *testing.T) {
	l := computing(t)
	l.workers = 3
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := 0
	err := l.do(ctx, tasks("one", "slow", "slow too"), func(entry, bool) { done++ }, func(running []string, workers int) {
		if slices.Sort(running); done == 1 && slices.Equal(running, []string{"slow", "slow too"}) && workers == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestFollow reads a ledger while it grows, byte by byte and in two files, and expects each result once
// its line is whole, as who reads all of it anew.
func TestFollow(t *testing.T) {
	s := Spec{Base: Trial{Env: "tiger", Algorithm: "qmdp", Eval: &Eval{Exact: true, Horizon: 3}}, Seeds: 6}
	from, to := t.TempDir(), t.TempDir()
	run(t, s, from)
	files, err := filepath.Glob(filepath.Join(from, "results-*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	r, again, err := Follow(t.Context(), s, to)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{filepath.Join(to, filepath.Base(files[0])), filepath.Join(to, filepath.Base(files[0])+"2")}
	half := bytes.Index(text[len(text)/3:], []byte("\n")) + len(text)/3 + 1
	for i, part := range [][]byte{text[:half], text[half:]} {
		f, err := os.Create(names[i])
		if err != nil {
			t.Fatal(err)
		}
		for len(part) > 0 {
			n := min(len(part), 50)
			if _, err := f.Write(part[:n]); err != nil {
				t.Fatal(err)
			}
			part = part[n:]
			if err := again(); err != nil {
				t.Fatal(err)
			}
			want, err := Kept(t.Context(), s, to)
			if err != nil {
				t.Fatal(err)
			}
			if outcomes(r) != outcomes(want) {
				t.Fatalf("with %d bytes left: \n%s\nwant\n%s", len(part), outcomes(r), outcomes(want))
			}
		}
		f.Close()
	}
	for _, row := range r.Rows {
		if !row.Computed() {
			t.Errorf("trial %d has no result", row.Number)
		}
	}
}

// TestBlobs keeps data by its hash.
func TestBlobs(t *testing.T) {
	l := &local{folder: t.TempDir()}
	id, err := l.put([]byte("data"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := l.get(id); err != nil || string(got) != "data" {
		t.Errorf("%q, error %v", got, err)
	}
	for _, bad := range []string{"", "../x", strings.Repeat("0", 64), id + "/"} {
		if _, err := l.get(bad); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("get(%q): error %v", bad, err)
		}
	}
	if err := os.WriteFile(filepath.Join(l.folder, id), []byte("date"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := l.get(id); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("damaged: error %v", err)
	}
}

// TestBy averages over seeds and sorts curves and grids.
func TestBy(t *testing.T) {
	r := &Results{Keys: []string{"params.k", "set.accuracy", "seed"}}
	for i, k := range []string{"20", "5"} {
		for j, accuracy := range []string{"0.9", "0.7"} {
			for seed := range 4 {
				o := nothing()
				o.Exact = float64(100*i + 10*j + seed)
				r.Rows = append(r.Rows, TrialRow{Trial: Trial{Params: Values{"k": k}, Set: Values{"accuracy": accuracy}, Seed: uint64(seed)}, TrialOutcome: o, done: true})
			}
		}
	}
	r.Rows[0].done, r.Rows[0].Fault, r.Rows[0].Exact = false, "no", math.NaN()
	g, err := r.By("exact", "params.k")
	if err != nil || len(g) != 2 || g[0].Values[0] != "20" || g[0].Rows != 7 || g[0].Failed != 1 || g[1].Mean != 106.5 || !(g[1].Lo < 106.5 && g[1].Hi > 106.5) {
		t.Errorf("groups %+v, error %v", g, err)
	}
	c, err := r.Curves("exact", "params.k", "set.accuracy")
	if err != nil || len(c) != 2 || c[0].Label != "accuracy = 0.9" || fmt.Sprint(c[0].X) != "[5 20]" || c[0].Y[0].Mean != 101.5 || c[0].Y[1].Mean != 2 || fmt.Sprint(c[0].Means()) != "[101.5 2]" {
		t.Errorf("curves %+v, error %v", c, err)
	}
	x, err := r.Grid("exact", "params.k", "set.accuracy")
	if err != nil || fmt.Sprint(x.Columns, x.Rows, x.Mean) != "[5 20] [0.7 0.9] [111.5 11.5 101.5 2]" {
		t.Errorf("grid %+v, error %v", x, err)
	}
	if some := r.Where("params.k", "5"); len(some.Rows) != 8 || some.Rows[0].At("params.k") != "5" {
		t.Errorf("where k is 5: %+v", some.Rows)
	}
	for _, bad := range [][2]string{{"exactly", "params.k"}, {"exact", "params.l"}} {
		if _, err := r.By(bad[0], bad[1]); err == nil {
			t.Errorf("no error of %v", bad)
		}
	}
}

// TestWriteJSON writes what Columns has.
func TestWriteJSON(t *testing.T) {
	var b bytes.Buffer
	if err := run(t, tigers(), t.TempDir()).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var x struct {
		Name string
		Keys []string
		Rows []map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &x); err != nil || x.Name != "tigers" || len(x.Rows) != 12 || x.Rows[4]["set.accuracy"] != 0.7 || x.Rows[4]["exact"] == nil || x.Rows[4]["return"] != nil {
		t.Errorf("%s: %v", b.Bytes(), err)
	}
}
