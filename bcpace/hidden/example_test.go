package hidden_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// drift is a target that drifts on a line, of which a noisy reading is seen. Shooting at the mean of the belief
// pays 1 where the target is within 1 of it.
func drift() *hidden.Model {
	line := bcpace.Axis{Min: -100, Max: 100}
	reading, target := line, line
	reading.Name, target.Name = "reading", "target"
	g := &hidden.Gaussian{Mean: []float64{0}, Deviation: []float64{5}, Of: []int{0},
		MoveNoise:    func(σ, _, _ []float64, _ int) { σ[0] = 0.5 },
		Observe:      func(mean, _ []float64, _ int, x []float64) { mean[0] = x[0] },
		ObserveNoise: func(σ, _ []float64, _ int, _ []float64) { σ[0] = 2 },
	}
	return &hidden.Model{
		Spec: hidden.Spec{Spec: bcpace.Spec{Name: "drift", Axes: []bcpace.Axis{reading}, Actions: bcpace.Actions("wait"), Discount: 0.9, RewardMax: 1},
			Hidden: []bcpace.Axis{target}},
		Prior: func(x []float64, rng *rand.Rand) { x[0] = 5 * rng.NormFloat64() },
		Step: func(next, nextX, _, x []float64, _ int, rng *rand.Rand) bcpace.Outcome {
			nextX[0] = x[0] + 0.5*rng.NormFloat64()
			next[0] = nextX[0] + 2*rng.NormFloat64()
			return bcpace.Outcome{}
		},
		LogDensity: func(_, _ []float64, _ int, next, x []float64) float64 {
			z := (next[0] - x[0]) / 2
			return -z * z / 2
		},
		Gaussian: g,
	}
}

// A target drifts, and its belief narrows with each reading. The normal belief is exact here.
func ExampleModel() {
	steps, err := hidden.Episode(context.Background(), drift(), hidden.RandomPolicy(drift()), hidden.Options{Horizon: 11}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, k := range []int{0, 1, 10} {
		fmt.Printf("after %2d readings: deviation %.2f\n", k, math.Sqrt(steps[k].Variance[0]))
	}
	// Output:
	// after  0 readings: deviation 5.00
	// after  1 readings: deviation 1.86
	// after 10 readings: deviation 0.95
}

// Particles say by their effective number how many of them count.
func ExampleParticles() {
	m, rng := drift(), rand.New(rand.NewPCG(1, 1))
	b, err := hidden.Particles{Number: 5000, Threshold: 0.1}.Begin(m, []float64{0}, rng)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := b.Update([]float64{0}, 0, []float64{3}, rng); err != nil {
		fmt.Println(err)
		return
	}
	mean, variance := make([]float64, 1), make([]float64, 1)
	b.Moments(mean, variance)
	fmt.Printf("mean %.1f, deviation %.1f; fewer than half count: %v\n", mean[0], math.Sqrt(variance[0]), b.(*hidden.ParticleBelief).EffectiveSize() < 2500)
	// Output: mean 2.6, deviation 1.9; fewer than half count: true
}
