package eval_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

// always takes one action.
func always(action int) bcpace.Policy {
	return bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return action })
}

// candidates are QMDP and the blind policies.
func candidates(t testing.TB, m bcpace.Model) []eval.Candidate {
	t.Helper()
	q, err := dp.QMDPPolicy(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	actions := m.Spec().Actions
	list := []eval.Candidate{{"QMDP", q}}
	for a, x := range actions {
		list = append(list, eval.Candidate{Name: "always " + x.Name, Policy: always(a)})
	}
	return list
}

// The informed policy earns what the latent values say, and no policy earns more.
func TestOracleOnRandomModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 8))
	for range 30 {
		m := randmodel.New(rng, randmodel.Varied(rng))
		o := eval.Options{Episodes: 200, Seed: rng.Uint64()}
		r, err := eval.Oracle(t.Context(), m, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		inner := bcpace.KeepHorizon(m)
		q, err := dp.SolveLatent(t.Context(), inner)
		if err != nil {
			t.Fatal(err)
		}
		want, err := solverkit.MeanAtStart(inner, func(s []float64, b bcpace.Belief) float64 {
			v := 0.0
			for φ, p := range b {
				best := math.Inf(-1)
				for a := range m.Spec().Actions {
					best = max(best, q.Q(s, φ, a))
				}
				v += p * best
			}
			return v
		})
		if err != nil {
			t.Fatal(err)
		}
		if d := math.Abs(r.Mean - want); !(d <= 5*r.StdErr+r.Truncation+1e-9) {
			t.Errorf("%s: mean %v ± %v, want %v", m.Spec().Name, r.Mean, r.StdErr, want)
		}
		for _, c := range candidates(t, m) {
			x, err := eval.Rollouts(t.Context(), m, c.Policy, o)
			if err != nil {
				t.Fatal(err)
			}
			d, err := eval.Difference(x, r)
			if err != nil || d.Mean > 5*d.StdErr+2*r.Truncation+1e-9 {
				t.Errorf("%s: %s earns %v ± %v more than the informed policy, %v", m.Spec().Name, c.Name, d.Mean, d.StdErr, err)
			}
		}
	}
}

// The latents of a world are those that the informed policy sees.
func TestOracleOfAWorld(t *testing.T) {
	world := envs.Chain{Slips: []float64{0.1, 0.7}}
	want, err := eval.Oracle(t.Context(), world, nil, eval.Options{Episodes: 100, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	got, err := eval.Oracle(t.Context(), envs.Chain{}, nil, eval.Options{Episodes: 100, Seed: 2, World: world, Belief: bcpace.Belief{0, 0, 1}})
	if err != nil || !reflect.DeepEqual(got.Returns, want.Returns) {
		t.Errorf("mean %v, want %v, %v", got.Mean, want.Mean, err)
	}
	if _, err := eval.Oracle(t.Context(), nil, nil, eval.Options{}); err == nil {
		t.Error("no error without a model")
	}
}

// The policy that Best chooses is worth as much as any candidate, but for what the pairs
// of episodes leave open, and its result has no part in the choice.
func TestBestOnRandomModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 9))
	bias, noisy := 0.0, 0.0
	for range 60 {
		model := randmodel.Varied(rng)
		model.Horizon = 1 + rng.IntN(4)
		m := randmodel.New(rng, model)
		o := eval.Options{Episodes: 200, Seed: rng.Uint64()}
		list := candidates(t, m)
		c, err := eval.Best(t.Context(), m, o, list...)
		if err != nil {
			t.Fatal(err)
		}
		again, err := eval.Rollouts(t.Context(), m, c.Policy, o)
		if err != nil || !reflect.DeepEqual(again.Returns, c.Result.Returns) {
			t.Fatalf("%s: the result is not that of Rollouts: %v", m.Spec().Name, err)
		}
		exact := func(p bcpace.Policy) eval.Exact {
			e, err := eval.Evaluate(t.Context(), m, p, eval.ExactOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		var chosen eval.Exact
		for i, x := range list {
			if x.Name == c.Name {
				chosen = exact(x.Policy)
				if c.Result.StdErr > 1e-9 {
					if reflect.DeepEqual(c.Result.Returns, c.Tried[i].Returns) {
						t.Errorf("%s: the episodes that chose have valued", m.Spec().Name)
					}
					bias += (c.Result.Mean - chosen.Value) / c.Result.StdErr
					noisy++
				}
				if c.Tried[i].Mean < c.Tried[0].Mean {
					t.Errorf("%s: %s has the mean %v, and QMDP %v", m.Spec().Name, c.Name, c.Tried[i].Mean, c.Tried[0].Mean)
				}
			}
		}
		if other := exact(list[0].Policy); chosen.Value < other.Value-5*c.Lead[0].StdErr-1e-9 {
			t.Errorf("%s: %s is worth %v, and QMDP %v", m.Spec().Name, c.Name, chosen.Value, other.Value)
		}
	}
	if math.Abs(bias) > 5*math.Sqrt(noisy) {
		t.Errorf("%v results are %.2f standard errors above the exact values on average", noisy, bias/noisy)
	}
}

func TestBest(t *testing.T) {
	m := envs.Tiger{}
	calls := 0
	c, err := eval.Best(t.Context(), m, eval.Options{Episodes: 10, Progress: func(done int) {
		if calls++; done != calls {
			t.Errorf("call %d says %d", calls, done)
		}
	}}, eval.Candidate{"first", always(0)}, eval.Candidate{"second", always(0)}, eval.Candidate{"open", always(1)})
	if err != nil || c.Name != "first" || calls != 40 {
		t.Errorf("%s after %d episodes, want the first of the equal ones after 40, %v", c.Name, calls, err)
	}
	if c.Lead[1].Mean != 0 || !(c.Lead[2].Mean > 0) || c.Tried[2].Name != "open" {
		t.Errorf("leads %+v", c.Lead)
	}
	for _, f := range []func() error{
		func() error { _, err := eval.Best(t.Context(), m, eval.Options{}); return err },
		func() error {
			_, err := eval.Best(t.Context(), m, eval.Options{}, eval.Candidate{Name: "none"})
			return err
		},
		func() error {
			_, err := eval.Best(t.Context(), m, eval.Options{Episodes: -1}, eval.Candidate{"x", always(0)})
			return err
		},
	} {
		if err := f(); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("error %v, want an *InputError", err)
		}
	}
}

func ExampleOracle() {
	tiger, o := envs.Tiger{}, eval.Options{Episodes: 2000, Horizon: 50, Seed: 1}
	told, err := eval.Oracle(context.Background(), tiger, nil, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("told where the tiger is at every step: %.2f\n", told.Mean)
	// Output: told where the tiger is at every step: 184.61
}

func ExampleBest() {
	chain := envs.Chain{}
	qmdp, err := dp.QMDPPolicy(context.Background(), chain)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := eval.Best(context.Background(), chain, eval.Options{Episodes: 500, Seed: 1},
		eval.Candidate{"QMDP", qmdp}, eval.Candidate{"random", bcpace.RandomPolicy(envs.Chain{})})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, which earns %.1f; %.1f more than %s\n", c.Name, c.Result.Mean, c.Lead[1].Mean, c.Tried[1].Name)
	// Output: QMDP, which earns 50.7; 22.3 more than random
}
