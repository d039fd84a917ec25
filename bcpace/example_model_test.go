package bcpace_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/envs"
)

// Coin is tossed again and again. It falls on heads with probability 0.3 or 0.7. A
// right guess pays 1.
type Coin struct{}

func (Coin) Spec() bcpace.Spec {
	return bcpace.Spec{
		Name:    "coin",
		Axes:    []bcpace.Axis{{Name: "fallen on", Max: 1, Labels: []string{"tails", "heads"}}},
		Actions: bcpace.Actions("tails", "heads"), // the guess
		Latents: []string{"few heads", "many heads"},
		// Rewards lie in [0, 1].
		Discount: 0.9, RewardMax: 1,
	}
}

func (Coin) heads(latent int) float64 { return 0.3 + 0.4*float64(latent) }

func (Coin) Prior(b bcpace.Belief) { b[0], b[1] = 0.5, 0.5 }

func (Coin) Start(s []float64, _ int, _ *rand.Rand) { s[0] = 0 }

func (c Coin) Step(next, _ []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	next[0] = 0
	if rng.Float64() < c.heads(latent) {
		next[0] = 1
	}
	if next[0] == float64(action) {
		return bcpace.Outcome{Reward: 1}
	}
	return bcpace.Outcome{}
}

func (c Coin) LogLikelihood(_ []float64, _ int, next []float64, latent int) float64 {
	if next[0] == 1 {
		return math.Log(c.heads(latent))
	}
	return math.Log(1 - c.heads(latent))
}

// A model of one's own is a type with five methods. Package check tries whether they
// agree with each other.
func ExampleModel() {
	var coin bcpace.Model = Coin{}
	fmt.Println(check.Model(coin, check.Options{}))

	belief := bcpace.Belief{0.5, 0.5}
	err := bcpace.NewBayes(coin).Update(belief, belief, []float64{0}, 0, []float64{1})
	fmt.Printf("after heads: %.2f %v\n", belief, err)
	// Output:
	// <nil>
	// after heads: [0.30 0.70] <nil>
}

// RockSample bounds its values by tours of the rocks that look good and of those that are good.
func ExampleValueBounds() {
	m, err := envs.RockSample{Size: 7, Rocks: 8}.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	start, prior := []float64{0, 3, 0}, bcpace.Uniform(256)
	own, spec := m.(bcpace.ValueBounds), m.Spec()
	lower, action := own.Lower(start, prior)
	fmt.Printf("the value is from %.2f, by going %s, to %.2f\n", lower, spec.ActionName(action), own.Upper(start, prior))
	// Output: the value is from 18.72, by going south, to 27.70
}
