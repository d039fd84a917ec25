package bcpace_test

import (
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/metric"
	"bayescpace/envs"
)

func ExampleBelief() {
	b := bcpace.Belief{0.75, 0.25}
	latent, distance := b.NearestOneHot()
	fmt.Println("likeliest latent:", latent, "at distance", distance)
	fmt.Println(bcpace.Belief{0.5, 0.6}.Validate())
	// Output:
	// likeliest latent: 0 at distance 0.5
	// belief: the sum of [0.5 0.6] is 1.1, want 1
}

// Two growls from the left, and one from the right.
func ExampleBayes() {
	tiger := envs.Tiger{Accuracy: 0.85}
	bayes, belief, state := bcpace.NewBayes(tiger), bcpace.Uniform(2), []float64{0}
	for _, growl := range []float64{1, 1, 2} {
		next := []float64{growl}
		if err := bayes.Update(belief, belief, state, 0, next); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.3f\n", belief)
		state = next
	}
	// Output:
	// [0.850 0.150]
	// [0.970 0.030]
	// [0.850 0.150]
}

// The distance of two points is that of their coordinates, entry by entry.
func ExampleMetric() {
	m := metric.New(envs.Chain{}.Spec(), 0.5) // a step of the chain counts 0.5
	s1, b1 := []float64{1}, bcpace.Uniform(3)
	s2, b2 := []float64{3}, bcpace.OneHot(3, 0)
	x := make([]float64, m.Dim())
	m.Embed(x, s2, b2)
	fmt.Printf("%.3f, coordinates %v\n", m.Distance(s1, b1, s2, b2), x)
	// Output: 2.333, coordinates [1.5 1 0 0]
}
