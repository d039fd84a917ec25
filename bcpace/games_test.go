package bcpace_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/envs"
)

// Games of random models conform.
func TestGamesConform(t *testing.T) {
	for seed := range uint64(10) {
		m := randmodel.New(rand.New(rand.NewPCG(seed, 1)), randmodel.Options{States: 4, Latents: 3, InformativeStart: seed%2 == 0})
		for _, make := range []func(bcpace.Finite) (bcpace.Finite, error){bcpace.OneShot, bcpace.Repeated} {
			g, err := make(m)
			var unsupported *bcpace.UnsupportedError
			if errors.As(err, &unsupported) { // a repeated game whose start tells something
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			if err := check.Model(g, check.Options{Episodes: 20, Transitions: 60, Draws: 1500}); err != nil {
				t.Errorf("seed %d, %s: %v", seed, g.Spec().Params, err)
			}
		}
	}
}

// In Tiger that ends, a game that is played again with the tiger behind the same door is worth
// far more than one that is played with another tiger: what was learned pays again.
func TestGamesOfTiger(t *testing.T) {
	tiger := envs.Tiger{Ends: true}
	value := func(m bcpace.Finite, err error) float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		e, err := eval.Optimal(t.Context(), m, eval.ExactOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return e.Value
	}
	once, repeated, oneShot := value(tiger, nil), value(bcpace.Repeated(tiger)), value(bcpace.OneShot(tiger))
	if told := 10 / (1 - math.Pow(0.95, 2)); !(once < repeated && repeated < oneShot && oneShot < told) {
		t.Errorf("values: once %v, repeated %v, one-shot %v, told %v", once, repeated, oneShot, told)
	}
}

func TestGamesRefuse(t *testing.T) {
	var unsupported *bcpace.UnsupportedError
	short, err := bcpace.FiniteHorizon(envs.Chain{}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []bcpace.Finite{envs.Tiger{}, envs.LightDarkTiger{Sigma: 0.1}, short} {
		if _, err := bcpace.OneShot(m); !errors.As(err, &unsupported) {
			t.Errorf("%s: error %v, want an UnsupportedError", m.Spec().Name, err)
		}
	}
	if _, err := bcpace.Repeated(nil); err == nil {
		t.Error("no error without a model")
	}
}

// Tiger whose game begins again behind the same doors.
func ExampleOneShot() {
	m, err := bcpace.OneShot(envs.Tiger{Ends: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.NumStates(), "states, the latent is", bcpace.KindOf(m))
	// Output: 6 states, the latent is static
}

// Tiger whose game begins again with a tiger behind one of both doors.
func ExampleRepeated() {
	m, err := bcpace.Repeated(envs.Tiger{Ends: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.NumStates(), "states, the latent is", bcpace.KindOf(m))
	// Output: 6 states, the latent is redrawn
}
