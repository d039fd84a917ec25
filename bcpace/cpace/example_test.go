package cpace_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// A policy of one's own is simulated beside those that the solver finds, and returned if it
// earns most. This one looks for the tiger where it is light.
func ExampleSolver_controller() {
	const up, down, left, right = 0, 1, 2, 3
	look := bcpace.PolicyFunc(func(s []float64, b bcpace.Belief, _ *rand.Rand) int {
		x, sure := s[0], max(b[0], b[1]) == 1
		switch {
		case !sure:
			return left
		case x < 4:
			return right
		case b[0] == 1: // the tiger is at the top
			return down
		}
		return up
	})
	o := cpace.Solver{Epsilon: 1, MaxSamples: 20, Controller: look}
	found, err := o.Solve(context.Background(), envs.LightDarkTiger{}, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range runs.Of(found).Choice.Tried {
		fmt.Printf("%-12s %6.2f\n", x.Name, x.Mean)
	}
	fmt.Printf("%s earns at least %.2f\n", runs.Of(found).Choice.Name(), found.Certificate.Lower)
	// Output:
	// greedy       -41.41
	// qmdp           0.00
	// controller     6.98
	// always up      0.00
	// always down    0.00
	// always left    0.00
	// always right   0.00
	// controller earns at least 6.77
}

// Settings for Light-Dark Tiger; see envs.Tuned for how they were found.
func ExampleSolver() {
	run, err := runs.Explore(context.Background(), envs.LightDarkTiger{}, cpace.Solver{
		Epsilon:    0.1,  // the error of a known query, in reward units
		LipQ:       0.25, // how fast values change with the state and the belief
		K:          3,    // neighbours averaged
		Batch:      20,   // episodes between two value iterations
		Bound:      cpace.BoundQMDP,
		SeedOneHot: true, // who knows the latent has nothing to explore
		Seed:       1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("value %.5f, %s after %d samples\n", run.Value, run.Stop, run.Samples.Len())
	// Output: value 6.98337, converged after 132 samples
}

// The values of an exploration start from the bound. The best case opens the door
// without the tiger, and QMDP opens one of the two.
func ExampleBound() {
	for _, bound := range []cpace.Bound{cpace.BoundBestCase, cpace.BoundQMDP} {
		run, err := runs.Explore(context.Background(), envs.Tiger{}, cpace.Solver{Epsilon: 1, Bound: bound, MaxEpisodes: 1, CertificateEpisodes: -1})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %.0f\n", bound, run.Upper([]float64{0}, bcpace.Uniform(2), 1))
	}
	// Output:
	// best-case: 200
	// qmdp: 145
}
