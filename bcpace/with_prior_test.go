package bcpace_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

// A chain whose slips are rare is worth more.
func ExampleWithPrior() {
	chain, err := bcpace.WithPrior(envs.Chain{}, bcpace.Belief{0.8, 0.1, 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := make(bcpace.Belief, 3)
	chain.Prior(b)
	_, finite := bcpace.AsFinite(chain)
	fmt.Println(b, finite)
	// Output: [0.8 0.1 0.1] true
}

// ownFinite is a model of a user's own, with the methods of a Finite alone.
type ownFinite struct{ bcpace.Finite }

// TestWithPrior compares exact values of models with another prior to those of the same
// models built with it, or from that belief.
func TestWithPrior(t *testing.T) {
	optimum := func(m bcpace.Model) float64 {
		t.Helper()
		x, err := eval.Optimal(t.Context(), m, eval.ExactOptions{Horizon: 6})
		if err != nil {
			t.Fatal(err)
		}
		return x.Value
	}
	prior := bcpace.Belief{0.7, 0.05, 0.25}
	for name, m := range map[string]bcpace.Model{"chain": envs.Chain{}, "wrapped": ownFinite{envs.Chain{}}} {
		other, err := bcpace.WithPrior(m, prior)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := optimum(other), optimum(envs.Chain{SlipPrior: prior}); got != want {
			t.Errorf("%s: value %v, want %v", name, got, want)
		}
	}
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		o := randmodel.Varied(rng)
		m := randmodel.New(rng, o)
		b := make(bcpace.Belief, len(m.Spec().Latents))
		b.SampleSimplex(rng)
		other, err := bcpace.WithPrior(m, b)
		if err != nil {
			t.Fatal(err)
		}
		steps := 3
		if h := m.Spec().Horizon; h > 0 {
			steps = min(steps, h)
		}
		x, err := eval.Optimal(t.Context(), other, eval.ExactOptions{Horizon: steps})
		if err != nil {
			t.Fatal(err)
		}
		y, err := eval.Optimal(t.Context(), m, eval.ExactOptions{Horizon: steps, Belief: b})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(x.Value-y.Value) > 1e-9 {
			t.Errorf("seed %d: value %v, want %v, that from this belief", seed, x.Value, y.Value)
		}
	}
}

// TestWithPriorUpgrades looks for what a model says of itself behind another prior.
func TestWithPriorUpgrades(t *testing.T) {
	given, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	listed, err := bcpace.Discretised(given, 5)
	if err != nil {
		t.Fatal(err)
	}
	prior := bcpace.Belief{0.9, 0.1}
	for _, m := range []bcpace.Model{given, listed} {
		other, err := bcpace.WithPrior(m, prior)
		if err != nil {
			t.Fatal(err)
		}
		b := make(bcpace.Belief, 2)
		if other.Prior(b); b[0] != 0.9 {
			t.Errorf("prior %v", b)
		}
		finer := bcpace.AbilitiesOf(other).FinerList
		if finer == nil || finer() == nil {
			t.Error("no finer list")
		} else if finer().Prior(b); b[0] != 0.9 {
			t.Errorf("prior of the finer list %v", b)
		}
		if (bcpace.AbilitiesOf(other).Behind == nil) != (bcpace.AbilitiesOf(m).Behind == nil) {
			t.Error("no longer a list of controls")
		}
		was, known, _ := solverkit.LipschitzOf(m)
		if is, also, _ := solverkit.LipschitzOf(other); is != was || known != also {
			t.Errorf("Lipschitz constants %v, want %v", is, was)
		}
	}
	rocks, err := envs.RockSample{Size: 4, Rocks: 2}.Model()
	if err != nil {
		t.Fatal(err)
	}
	var unsupported *bcpace.UnsupportedError
	if _, err := bcpace.WithPrior(rocks, bcpace.Belief{1, 0, 0, 0}); !errors.As(err, &unsupported) {
		t.Errorf("error %v, want that bounds would be lost", err)
	}
	for _, b := range []bcpace.Belief{{1}, {0.5, 0.6, 0}, {math.NaN(), 0.5, 0.5}} {
		var input *bcpace.InputError
		if _, err := bcpace.WithPrior(envs.Chain{}, b); !errors.As(err, &input) {
			t.Errorf("prior %v: error %v", b, err)
		}
	}
}
