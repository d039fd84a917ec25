package bcpace_test

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

// TestAtStart averages over start states: by their probability where the model
// lists them, by draws where it does not.
func TestAtStart(t *testing.T) {
	first := func(s []float64, _ bcpace.Belief) float64 { return s[0] }
	if v, err := solverkit.MeanAtStart(envs.Chain{}, first); err != nil || v != 1 {
		t.Errorf("chain starts at %v (error %v), want 1", v, err)
	}
	if v, err := solverkit.MeanAtStart(coinStart{}, first); err != nil || v < 1.2 || v > 1.3 {
		t.Errorf("mean start of a model that draws 2 with probability ¼, else 1, is %v (error %v)", v, err)
	}
	if _, err := solverkit.MeanAtStart(envs.Chain{Length: 1}, first); err == nil {
		t.Error("a model that is not valid has a start")
	}
}

// coinStart is a chain that starts at state 2 with probability ¼, otherwise at
// 1, and does not list its starts.
type coinStart struct{ bcpace.Model }

func (coinStart) Spec() bcpace.Spec     { return envs.Chain{}.Spec() }
func (coinStart) Prior(b bcpace.Belief) { copy(b, bcpace.Uniform(len(b))) }
func (coinStart) Start(s []float64, _ int, rng *rand.Rand) {
	s[0] = 1
	if rng.Float64() < 0.25 {
		s[0] = 2
	}
}
