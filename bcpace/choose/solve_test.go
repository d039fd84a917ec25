package choose_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/choose"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// model returns an environment.
func model(t testing.TB, name string) bcpace.Model {
	t.Helper()
	m, err := envs.New(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestNeverBehind: the policy chosen is behind no other that was compared by more than five standard
// errors, in fresh episodes and in the comparison, its bounds hold, and who has searched says what was earned.
func TestNeverBehind(t *testing.T) {
	for name, m := range map[string]bcpace.Model{"dual-control": model(t, "dual-control"), "cart-pole": model(t, "cart-pole"), "unlisted": unlisted{envs.Chain{}}} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 600*time.Millisecond)
			defer cancel()
			x, err := choose.Solve(ctx, m, bcpace.Control{}, choose.Options{})
			if err != nil {
				t.Fatal(err)
			}
			o := eval.Options{Episodes: 300, Seed: 9}
			own, err := eval.Rollouts(t.Context(), m, x.Policy, o)
			if err != nil {
				t.Fatal(err)
			}
			chosen, luck := 0, 0.0 // of the one chosen, in the comparison
			for _, other := range x.Tried {
				t.Log(other.Name, other.Earned())
				if other.Chosen {
					chosen++
					luck = other.StdErr
				}
			}
			for _, other := range x.Tried {
				if other.Episodes == 0 { // there was no time to compare it
					continue
				}
				r, err := eval.Rollouts(t.Context(), m, other.Solution.Policy, o)
				if err != nil {
					t.Fatal(err)
				}
				if d, err := eval.Difference(r, own); err != nil || d.Mean > 5*(d.StdErr+luck+other.StdErr) {
					t.Errorf("%s earns %v more than %s, %v", other.Name, d, x.Solver.Name(), err)
				}
			}
			if c := x.Certificate; chosen != 1 || !(c.Lower <= own.Mean+5*own.StdErr) || !(own.Mean-5*own.StdErr <= c.Upper) {
				t.Errorf("%d chosen; [%v, %v] of a policy that earns %v ± %v", chosen, c.Lower, c.Upper, own.Mean, own.StdErr)
			}
		})
	}
}

// TestProved: where the bounds of the first solver come together, no other is tried.
func TestProved(t *testing.T) {
	x, err := choose.Solve(t.Context(), envs.Tiger{}, bcpace.Control{}, choose.Options{})
	if err != nil || len(x.Tried) != 1 || x.Stop != stop.Certified || !x.Tried[0].Chosen || x.Next != "" {
		t.Errorf("%+v, %v", x, err)
	}
}

// TestOutOfTime: time that is up at once leaves a policy that acts.
func TestOutOfTime(t *testing.T) {
	for _, m := range []bcpace.Model{model(t, "cart-pole"), model(t, "pendulum"), unlisted{envs.Tiger{}}} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
		<-ctx.Done()
		x, err := choose.Solve(ctx, m, bcpace.Control{}, choose.Options{})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := eval.Rollouts(t.Context(), m, x.Policy, eval.Options{Episodes: 2}); err != nil {
			t.Error(err)
		}
	}
}

// TestInterrupted: an interrupt ends what is tried, and keeps the best so far.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var phases []string
	x, err := choose.Solve(ctx, model(t, "cart-pole"), bcpace.Control{Progress: func(p bcpace.Progress) {
		if phases = append(phases, p.Phase); len(phases) == 5 {
			cancel()
		}
	}}, choose.Options{})
	if err != nil || x.Stop != stop.Interrupted || len(x.Tried) != 1 || slices.Contains(phases, "") {
		t.Errorf("%+v, %v, phases %q", x, err, phases)
	}
}

// TestActsEarly: where states are real numbers, there is a policy that was searched for before the set-up of
// certified begins.
func TestActsEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	x, err := choose.Solve(ctx, randmodel.SmallGoal(2, 0.2), bcpace.Control{Progress: func(p bcpace.Progress) {
		if strings.HasPrefix(p.Phase, "trying certified") {
			cancel()
		}
	}}, choose.Options{})
	if err != nil || x.Solver.Name() != "policy-search" || x.InSetUp || !(x.Value > 1) {
		t.Errorf("%+v, %v", x, err)
	}
}

// broken is a model that panics after some steps.
type broken struct{ envs.Tiger }

func (broken) Step(next, s []float64, φ, a int, rng *rand.Rand) bcpace.Outcome {
	panic("broken")
}

// TestErrors: a model that breaks its contract and one that cannot be used are errors that say so.
func TestErrors(t *testing.T) {
	if x, err := choose.Solve(t.Context(), unlisted{broken{}}, bcpace.Control{}, choose.Options{}); !errors.As(err, new(*bcpace.ConformanceError)) {
		t.Errorf("%v, %v, want a ConformanceError", x, err)
	}
	for _, m := range []bcpace.Model{nil, envs.Tiger{Accuracy: -1}} {
		if _, err := choose.Solve(t.Context(), m, bcpace.Control{}, choose.Options{}); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%v, want an InputError", err)
		}
	}
}

// Several solvers are tried on a model, unless the bounds of the first one say that no other can earn
// more.
func ExampleSolve() {
	x, err := choose.Solve(context.Background(), envs.Tiger{}, bcpace.Control{}, choose.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s earns %.2f of at most %.2f\n", x.Solver.Name(), math.Floor(100*x.Certificate.Lower)/100, math.Ceil(100*x.Certificate.Upper)/100)
	fmt.Println(len(x.Tried), "tried")
	// Output:
	// certified earns 19.37 of at most 19.38
	// 1 tried
}
