package estimated_test

import (
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/estimated"
)

// A ball rolls to the left or to the right, and nobody has written down how likely its places are.
func ExampleLikelihoods() {
	m, err := bcpace.FromFuncs(bcpace.Funcs{
		Spec: bcpace.Spec{Name: "ball", Axes: []bcpace.Axis{{Name: "x", Min: -50, Max: 50}},
			Actions: bcpace.Actions("wait"), Latents: []string{"left", "right"}, Discount: 0.9},
		Step: func(next, s []float64, latent, _ int, rng *rand.Rand) bcpace.Outcome {
			next[0] = s[0] + float64(2*latent-1) + rng.NormFloat64()
			return bcpace.Outcome{}
		},
		LogLikelihood: func([]float64, int, []float64, int) float64 { return 0 }, // which tells nothing
	})
	if err != nil {
		panic(err)
	}
	m, err = estimated.Likelihoods(m, estimated.Options{Draws: 10_000})
	if err != nil {
		panic(err)
	}
	b := bcpace.Uniform(2)
	if err := bcpace.NewBayes(m).Update(b, b, []float64{0}, 0, []float64{0.5}); err != nil {
		panic(err)
	}
	fmt.Printf("right with probability %.1f; %s\n", b[1], m.Spec().Estimated)
	// Output: right with probability 0.7; likelihoods estimated from 10000 draws
}
