package nb

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// slow is a solver that is not an Explorer: it reports its progress, waits for the end of its
// context if it is asked to, and finds the policy that looks first.
type slow struct{ wait func() }

func (slow) Name() string { return "slow" }

func (s slow) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	at := bcpace.Progress{Episodes: 3, Samples: 1200, Epsilon: 0.1, Gap: 0.5}
	c.Progress(at)
	x := &bcpace.Solution{Solver: s, Spec: m.Spec(), Policy: bcpace.RandomPolicy(m), Value: math.NaN(), Stop: stop.Certified, Trace: []bcpace.Progress{at},
		Certificate: bcpace.Certificate{Kind: bcpace.ExactCertificate, Lower: 1, Upper: 1.5, LowerBy: bcpace.ByProof, UpperBy: bcpace.ByProof, PolicyEarns: bcpace.NotKnown}}
	if s.wait != nil {
		s.wait()
		<-ctx.Done()
		x.Stop = stop.Interrupted
	}
	return x, nil
}

// TestSolve: explorers have the store, and their table is that of their run; other
// solvers have what all solutions have.
func TestSolve(t *testing.T) {
	t.Setenv("BAYESCPACE_STORE", t.TempDir())
	o := &output{screen: &recorder{}, live: true}
	options := cpace.Solver{Epsilon: 0.5, Seed: 1, MaxEpisodes: 30, Policy: runs.PolicyBest}
	first, err := solve(t.Context(), o, twoDoors{}, Named("mine", options))
	if err != nil {
		t.Fatal(err)
	}
	run, err := explore(t.Context(), o, twoDoors{}, options, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := render1(first, limits{}).plain, render1(run, limits{}).plain; got != want || first.Solver.Name() != "bayes-cpace" {
		t.Errorf("%s shows\n%s\nand its run\n%s", first.Solver.Name(), got, want)
	}
	x, err := solve(t.Context(), o, twoDoors{}, slow{})
	if err != nil {
		t.Fatal(err)
	}
	want := "slow on two doors (reward=10)\n" +
		"lower bound of the best policy       1\n" +
		"upper bound of every policy        1.5\n" +
		"stop                         certified\n" +
		"samples                          1,200\n" +
		"episodes                             3\n" +
		"ε                                  0.1"
	if got := render1(x, limits{}).plain; strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("it shows\n%s\nwant\n%s", got, want)
	}
	if _, ok := tabular((*bcpace.Solution)(nil)); ok {
		t.Error("no solution is no table")
	}
}

func TestSolveErrors(t *testing.T) {
	o := &output{screen: &recorder{}}
	var input *bcpace.InputError
	for what, f := range map[string]func() error{
		"no solver":   func() error { _, err := solve(t.Context(), o, twoDoors{}, nil); return err },
		"no model":    func() error { _, err := solve(t.Context(), o, nil, slow{}); return err },
		"no ε":        func() error { _, err := solve(t.Context(), o, twoDoors{}, cpace.Solver{}); return err },
		"a named nil": func() error { _, err := solve(t.Context(), o, twoDoors{}, Named("x", nil)); return err },
		"no policy": func() error {
			_, err := compare(t.Context(), o, twoDoors{}, eval.Options{}, []bcpace.Solver{AsSolver("x", nil)})
			return err
		},
		"a bad option": func() error {
			_, err := compare(t.Context(), o, twoDoors{}, eval.Options{Episodes: -1}, []bcpace.Solver{slow{}})
			return err
		},
	} {
		if err := f(); !errors.As(err, &input) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want an InputError on one line", what, err)
		}
	}
}

// TestCompareInterrupted: what is complete is kept, and the cell says what is not.
//
//test:race
func TestCompareInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var screen bytes.Buffer
	o := &output{screen: terminal{&screen}}
	play := eval.Options{Episodes: 5, Seed: 1}
	play.Progress = func(done int) {
		if done == 5 {
			cancel()
		}
	}
	scores, err := compare(ctx, o, twoDoors{}, play, []bcpace.Solver{slow{}, slow{}})
	if err != nil || len(scores) != 1 || scores[0].Episodes != 5 {
		t.Fatalf("%v, %v", scores, err)
	}
	if !strings.Contains(screen.String(), "interrupted: 1 of 2 solvers are left out") {
		t.Errorf("it says %q", screen.String())
	}

	ctx, cancel = context.WithCancel(t.Context())
	screen.Reset()
	if x, err := solve(ctx, o, twoDoors{}, slow{cancel}); err != nil || x.Stop != stop.Interrupted {
		t.Fatalf("%v, %v", x, err)
	}
	if want := "interrupted: this is the solution so far; execute the cell again to solve in full\n"; screen.String() != want {
		t.Errorf("it says %q, want %q", screen.String(), want)
	}
}

// TestCompare: every policy plays the same episodes, and bounds stand where a solver
// claims them.
func TestCompare(t *testing.T) {
	t.Setenv("BAYESCPACE_STORE", t.TempDir())
	o := &output{screen: &recorder{}}
	tiger := envs.Tiger{}
	sharp := certified.Solver{Epsilon: 1e-3}
	solvers := []bcpace.Solver{AsSolver("QMDP", QMDP(tiger)), Named("sharp", sharp), Named("again", sharp)}
	scores, err := compare(t.Context(), o, tiger, eval.Options{Episodes: 50, Horizon: 20, Seed: 3}, solvers)
	if err != nil {
		t.Fatal(err)
	}
	table := Scores(scores)
	if len(table.Header) != 8 || len(table.Rows) != 3 {
		t.Fatalf("%v", table)
	}
	if q, s, a := table.Rows[0], table.Rows[1], table.Rows[2]; q[0] != "QMDP" || q[4] != nil || q[6] != nil || s[0] != "sharp" || s[5] != "proved" || s[7] != "proved" || a[0] != "again" || s[1] != a[1] {
		t.Errorf("rows %v", table.Rows)
	}
	if x := scores[1].Certificate; !(x.Lower <= Optimum(tiger, 0) && Optimum(tiger, 0) <= x.Upper) {
		t.Errorf("the bounds %+v do not hold the optimum", x)
	}
	if alone := Scores(scores[:1]); len(alone.Header) != 4 || len(alone.Rows[0]) != 4 {
		t.Errorf("without bounds there are columns for them: %v", alone)
	}
}

// short is Tiger for three steps.
type short struct{ envs.Tiger }

func (m short) Spec() bcpace.Spec {
	s := m.Tiger.Spec()
	s.Horizon = 3
	return s
}

// TestBoundsOfAnotherProblem: episodes of another problem than the one that was solved
// have no bounds beside them, and those of a cut one say that the bounds are not.
func TestBoundsOfAnotherProblem(t *testing.T) {
	t.Setenv("BAYESCPACE_STORE", t.TempDir())
	o := &output{screen: &recorder{}}
	solvers := []bcpace.Solver{certified.Solver{Epsilon: 1}}
	for _, c := range []struct {
		m    bcpace.Model
		play eval.Options
		want string // the header of the bounds, "" for none
	}{
		{envs.Tiger{}, eval.Options{}, "optimum over unlimited steps at least"},
		{envs.Tiger{}, eval.Options{Horizon: 20}, "optimum over unlimited steps at least"},
		{envs.Tiger{}, eval.Options{Belief: bcpace.Belief{0.9, 0.1}}, ""},
		{envs.Tiger{}, eval.Options{Horizon: 20, Undiscounted: true}, ""},
		{short{}, eval.Options{}, "optimum at least"},
		{short{}, eval.Options{Horizon: 3}, "optimum at least"},
		{short{}, eval.Options{Horizon: 2}, ""},
		{short{}, eval.Options{Belief: bcpace.Belief{0.9, 0.1}}, ""},
	} {
		c.play.Episodes = 3
		scores, err := compare(t.Context(), o, c.m, c.play, solvers)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if h := Scores(scores).Header; len(h) > 5 {
			got = h[4]
		}
		if got != c.want {
			t.Errorf("%s, %+v: the bounds are headed %q, want %q", c.m.Spec().Name, c.play, got, c.want)
		}
	}
}

// TestQMDPWithHorizon: QMDP reads the steps left, as its solver does.
func TestQMDPWithHorizon(t *testing.T) {
	m := short{}
	if got, best := Value(m, QMDP(m), 0), Optimum(m, 3); !(got <= best+1e-9 && got > -20) {
		t.Errorf("QMDP earns %v over three steps, the best policy %v", got, best)
	}
}

// TestExactValues: no policy exceeds the optimum, and on Tiger QMDP attains it.
func TestExactValues(t *testing.T) {
	tiger := envs.Tiger{}
	listen := bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 0 })
	best, qmdp, blind := Optimum(tiger, 0), Value(tiger, QMDP(tiger), 0), Value(tiger, listen, 0)
	if math.Abs(best-19.371368) > 1e-5 || math.Abs(qmdp-best) > 1e-5 || math.Abs(blind+20) > 1e-5 {
		t.Errorf("optimum %v, QMDP %v, only listening %v", best, qmdp, blind)
	}
}
