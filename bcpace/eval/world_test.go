package eval_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/family"
	"bayescpace/envs"
)

// byState is a policy that does not look at the belief.
func byState(actions int) bcpace.Policy {
	return bcpace.PolicyFunc(func(s []float64, _ bcpace.Belief, rng *rand.Rand) int {
		return (int(7*s[0]) + rng.IntN(2)) % actions
	})
}

// A world that is the model changes nothing.
func TestWorldIsTheModel(t *testing.T) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.Chain{}, envs.LightDarkTiger{Sigma: 0.1}} {
		o, p := eval.Options{Episodes: 50, Horizon: 20, Seed: 3}, qmdp(t, m)
		want, err := eval.Rollouts(t.Context(), m, p, o)
		if err != nil {
			t.Fatal(err)
		}
		o.World = m
		got, err := eval.Rollouts(t.Context(), m, p, o)
		if err != nil || !reflect.DeepEqual(got.Returns, want.Returns) || got.Truncation != want.Truncation {
			t.Errorf("%s: another result in its own world, %v", m.Spec().Name, err)
		}
	}
}

// A policy that does not look at the belief earns in a world what it earns there anyway,
// whatever it is made to believe.
func TestWorldMakesStatesAndRewards(t *testing.T) {
	m, world := envs.Chain{}, envs.Chain{Slips: []float64{0.1, 0.3, 0.6, 0.65, 0.7}}
	o := eval.Options{Episodes: 200, Horizon: 30, Seed: 8}
	want, err := eval.Rollouts(t.Context(), world, byState(2), o)
	if err != nil {
		t.Fatal(err)
	}
	o.World, o.Belief = world, bcpace.Belief{0.1, 0, 0.9}
	got, err := eval.Rollouts(t.Context(), m, byState(2), o)
	if err != nil || !reflect.DeepEqual(got.Returns, want.Returns) {
		t.Errorf("the mean is %v, want %v of the world, %v", got.Mean, want.Mean, err)
	}
	each, err := eval.RecordEachLatent(m, byState(2), o)
	if err != nil || len(each) != 5 {
		t.Fatalf("%d episodes, want one for each of the world's 5 latents, %v", len(each), err)
	}
	if b := each[4].Belief(0); each[4].Latents[0] != 4 || b.L1(o.Belief) != 0 {
		t.Errorf("latent %d, belief %v, want that of the options", each[4].Latents[0], b)
	}

	// The steps left are put into the states of both.
	short := hurried{envs.Chain{}, 5}
	p, err := dp.QMDPPolicy(t.Context(), short)
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Rollouts(t.Context(), short, p, eval.Options{Episodes: 20, World: hurried{world, 5}})
	if err != nil || r.Horizon != 5 || r.Steps != 100 {
		t.Errorf("a world with a horizon: %d steps of horizon %d, %v", r.Steps, r.Horizon, err)
	}
}

// hurried is a Chain with a horizon.
type hurried struct {
	envs.Chain
	steps int
}

func (m hurried) Spec() bcpace.Spec {
	spec := m.Chain.Spec()
	spec.Horizon = m.steps
	return spec
}

// described is a model under another description.
type described struct {
	envs.Chain
	change func(*bcpace.Spec)
}

func (m described) Spec() bcpace.Spec {
	spec := m.Chain.Spec()
	spec.Axes, spec.Actions = append([]bcpace.Axis(nil), spec.Axes...), append([]bcpace.Action(nil), spec.Actions...)
	m.change(&spec)
	return spec
}

func TestWorldMustFit(t *testing.T) {
	play := func(m, world bcpace.Model) error {
		_, err := eval.Rollouts(t.Context(), m, byState(2), eval.Options{Episodes: 200, World: world})
		return err
	}
	for want, change := range map[string]func(*bcpace.Spec){
		"Spec.Discount":             func(s *bcpace.Spec) { s.Discount = 0.9 },
		"Spec.Horizon is 7, want 0": func(s *bcpace.Spec) { s.Horizon = 7 },
		"the name of axis 0":        func(s *bcpace.Spec) { s.Axes[0].Name = "speed" },
		"Min, Max of axis":          func(s *bcpace.Spec) { s.Axes[0].Max = 8 },
		"Discrete, Period of axis":  func(s *bcpace.Spec) { s.Axes[0].Discrete = !s.Axes[0].Discrete },
		"the number of axes":        func(s *bcpace.Spec) { s.Axes = append(s.Axes, s.Axes[0]) },
		"the number of actions":     func(s *bcpace.Spec) { s.Actions = s.Actions[:1] },
		"the name of action 1":      func(s *bcpace.Spec) { s.Actions[1].Name = "wait" },
	} {
		input := (*bcpace.InputError)(nil)
		if err := play(envs.Chain{}, described{change: change}); !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
	if err := play(envs.Tiger{Accuracy: 1}, envs.Tiger{}); !errors.As(err, new(*bcpace.ImpossibleObservationError)) {
		t.Errorf("a world that does what cannot be: %v", err)
	}
}

// A current of unknown strength carries a boat; how many latents does its density need?
func ExampleOptions_world() {
	bell := func(x float64) float64 { return math.Exp(-x * x / 2) }
	sailing := func(latents int) bcpace.Model {
		current, _ := family.EqualStrata(bell, -2, 2, latents)
		m, err := bcpace.FromGaussian(bcpace.Gaussian{
			Spec: bcpace.Spec{Name: "sailing", Axes: []bcpace.Axis{{Name: "x", Unit: "m", Min: -3, Max: 3}},
				Actions: bcpace.Actions("left", "ahead", "right"), Latents: current.Names("%.3f"), Discount: 0.8, RewardMin: -3, RewardMax: 0},
			Prior: current.Weights, Starts: [][]float64{{0}},
			Mean: func(mean, s []float64, latent, action int) {
				mean[0] = s[0] + float64(action-1) + current.Values[latent]
			},
			Sigma:  []float64{0.3},
			Reward: func(_ []float64, _, _ int, next []float64) float64 { return -math.Abs(next[0]) },
		})
		if err != nil {
			panic(err)
		}
		return m
	}
	world := sailing(40)
	for _, n := range []int{1, 2, 5} {
		m := sailing(n)
		p, err := dp.QMDPPolicy(context.Background(), m)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := eval.Rollouts(context.Background(), m, p, eval.Options{Episodes: 1000, Seed: 1, World: world})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d: %.2f\n", n, r.Mean)
	}
	// Output:
	// 1: -5.18
	// 2: -4.97
	// 5: -4.74
}
