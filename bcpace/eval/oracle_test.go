package eval_test

import (
	"context"
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

// candidate is a policy with a name.
type candidate struct {
	Name   string
	Policy bcpace.Policy
}

// candidates are QMDP and the blind policies.
func candidates(t testing.TB, m bcpace.Model) []candidate {
	t.Helper()
	q, err := dp.QMDPPolicy(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	actions := m.Spec().Actions
	list := []candidate{{"QMDP", q}}
	for a, x := range actions {
		list = append(list, candidate{Name: "always " + x.Name, Policy: always(a)})
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
