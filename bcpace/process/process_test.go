package process_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/policysearch"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/estimated"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/online/pomcpow"
	"bayescpace/bcpace/process"
)

// interpreter is Python 3 itself, and not a script that looks for it.
var interpreter = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("python3", "-I", "-c", "import sys; print(sys.executable)").Output()
	return strings.TrimSpace(string(out)), err
})

// python returns the name of Python 3, without which the test is skipped.
func python(t testing.TB) string {
	t.Helper()
	path, err := interpreter()
	if err != nil {
		t.Skipf("there is no python3: %v", err)
	}
	return path
}

// begin starts a simulator for a test.
func begin(t testing.TB, p process.Program) *process.Model {
	t.Helper()
	m, err := process.Start(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func walk(t testing.TB, processes int) *process.Model {
	return begin(t, process.Program{Command: []string{python(t), "testdata/walk.py"}, Processes: processes})
}

// changedWalk begins the walk with texts in its program replaced, each by the one after it.
func changedWalk(t testing.TB, processes int, change ...string) *process.Model {
	t.Helper()
	text := strings.NewReplacer(change...).Replace(read(t, "testdata/walk.py"))
	return begin(t, process.Program{Command: []string{python(t), "-c", text}, Processes: processes})
}

// short makes the episodes of the walk short, for changedWalk.
var short = []string{`"discount": 0.9`, `"discount": 0.3`}

func TestExampleConforms(t *testing.T) {
	m := walk(t, 1)
	if spec := m.Spec(); spec.Name != "walk" || len(spec.Axes) != 1 || spec.Axes[0].Unit != "m" || len(spec.Latents) != 2 || len(spec.Actions) != 3 {
		t.Fatalf("it describes %+v", spec)
	}
	report, err := check.Examine(m, check.Options{Transitions: 10, Draws: 200, Episodes: 3, Steps: 20})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Notes) > 0 {
		t.Errorf("notes: %q", report.Notes)
	}
}

// Step and likelihoods are those of the same formulas in this program, bit for bit for what does not draw.
func TestAnswersAreThoseOfTheFormula(t *testing.T) {
	m := walk(t, 2)
	rng := rand.New(rand.NewPCG(1, 2))
	s, next := []float64{0}, []float64{0}
	for range 200 {
		action, latent := rng.IntN(3), rng.IntN(2)
		out := m.Step(next, s, latent, action, rng)
		if out.Reward != math.Cos(next[0]) && math.Abs(out.Reward-math.Cos(next[0])) > 1e-15 || out.Done != (math.Abs(next[0]) > 5) {
			t.Fatalf("%+v at %v", out, next)
		}
		drift := []float64{-0.3, 0.3}
		for φ := range 2 {
			z := (next[0] - s[0] - float64(action) + 1 - drift[φ]) / 0.2
			if got, want := m.LogLikelihood(s, action, next, φ), -z*z/2; math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Fatalf("log likelihood %v, want %v", got, want)
			}
		}
		copy(s, next)
		if out.Done {
			s[0] = 0
		}
	}
}

// The solvers that need no list take it, to the same result for any number of workers and processes.
//
//test:race
func TestSolversSameForAllWorkers(t *testing.T) {
	solvers := []bcpace.Solver{
		cpace.Solver{Epsilon: 1, LipQ: 20, MaxEpisodes: 4, Horizon: 10, Batch: 4, CertificateEpisodes: -1},
		policysearch.Solver{MaxSteps: 60, CertificateEpisodes: -1},
		pomcpow.Solver{Budget: bcpace.Budget{Simulations: 5, Depth: 3}},
	}
	numbers := []struct{ workers, processes int }{{1, 1}, {16, 3}}
	var models []bcpace.Model // each of which looks for hidden ends once
	for _, n := range numbers {
		models = append(models, changedWalk(t, n.processes, short...))
	}
	for _, s := range solvers {
		var want eval.Result
		for i, n := range numbers {
			m := models[i]
			found, err := s.Solve(t.Context(), m, bcpace.Control{Workers: n.workers})
			if err != nil {
				t.Fatalf("%s: %v", s.Name(), err)
			}
			got, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 4, Horizon: 5, Workers: n.workers})
			if err != nil {
				t.Fatalf("%s: %v", s.Name(), err)
			}
			if i == 0 {
				want = got
			} else if got.Mean != want.Mean {
				t.Errorf("%s: %v with %d workers and %d processes, %v with one", s.Name(), got.Mean, n.workers, n.processes, want.Mean)
			}
		}
	}
}

func TestClosed(t *testing.T) {
	m := walk(t, 1)
	m.Close()
	m.Close()
	_, err := check.Examine(m, check.Options{})
	if err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("got %v", err)
	}
}

//test:race
func TestStartEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := process.Start(ctx, process.Program{Command: []string{python(t), "-c", "import time; time.sleep(600)"}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestBadProgram(t *testing.T) {
	for want, p := range map[string]process.Program{
		"Command is []":                {},
		`Command is [""]`:              {Command: []string{""}},
		"Processes is -1":              {Command: []string{"x"}, Processes: -1},
		"Timeout is -1s":               {Command: []string{"x"}, Timeout: -time.Second},
		"executable file not found in": {Command: []string{"no-such-program-here"}},
	} {
		if _, err := process.Start(t.Context(), p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want it to say %q", p, err, want)
		}
	}
}

// A simulator alone is refused by every solver with what to do, and taken with estimated likelihoods.
//
//test:race
func TestWithoutLikelihoods(t *testing.T) {
	m := changedWalk(t, 0, append(short, `"likelihood": True`, `"likelihood": False`)...)
	_, err := policysearch.Solver{}.Solve(t.Context(), m, bcpace.Control{})
	if !errors.Is(err, estimated.ErrNone) || !strings.Contains(err.Error(), "--likelihood-draws") {
		t.Errorf("got %v", err)
	}
	known := walk(t, 0)
	guessed, err := estimated.Likelihoods(m, estimated.Options{Draws: 400})
	if err != nil {
		t.Fatal(err)
	}
	// Where the true ratio is of e or so, 400 draws tell it to a half, with two deviations and more to spare.
	for _, x := range []float64{-0.1, 0, 0.1} {
		s, next := []float64{1}, []float64{1 + x}
		got := guessed.LogLikelihood(s, 1, next, 1) - guessed.LogLikelihood(s, 1, next, 0)
		want := known.LogLikelihood(s, 1, next, 1) - known.LogLikelihood(s, 1, next, 0)
		if math.Abs(got-want) > 0.6 {
			t.Errorf("log odds after a move of %v: %v, want %v or so", x, got, want)
		}
	}
	rough, err := estimated.Likelihoods(m, estimated.Options{Draws: 20})
	if err != nil {
		t.Fatal(err)
	}
	found, err := policysearch.Solver{MaxSteps: 15, CertificateEpisodes: -1}.Solve(t.Context(), rough, bcpace.Control{Workers: 16})
	if err != nil {
		t.Fatal(err)
	}
	if a := found.Certificate.Assumes; a != "likelihoods estimated from 20 draws" {
		t.Errorf("the certificate assumes %q", a)
	}
}

// BenchmarkStep is the time of one step, with so many goroutines that ask side by side.
func BenchmarkStep(b *testing.B) {
	for name, workers := range map[string]int{"alone": 1, "64": 64, "256": 256} {
		b.Run(name, func(b *testing.B) {
			m := begin(b, process.Program{Command: []string{python(b), "testdata/idle.py"}})
			var group sync.WaitGroup
			b.ResetTimer()
			for w := range workers {
				group.Go(func() {
					rng := rand.New(rand.NewPCG(1, uint64(w)))
					s, next := []float64{0, 0, 0, 0}, make([]float64, 4)
					for range b.N / workers {
						m.Step(next, s, 0, 1, rng)
						s, next = next, s
					}
				})
			}
			group.Wait()
		})
	}
}
