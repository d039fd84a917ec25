package risk_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/risk"
	"bayescpace/envs"
)

// Ten steps behind the doors: what do the worst tenth of the episodes earn, if that is what counts, and the worst half, and all?
func ExampleSolver() {
	tiger, err := bcpace.FiniteHorizon(envs.Tiger{}, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, share := range []float64{0.1, 0.5, 1} {
		found, err := risk.Solver{Share: share, Epsilon: 0.2}.Solve(context.Background(), tiger, bcpace.Control{})
		if err != nil {
			fmt.Println(err)
			return
		}
		c := found.Certificate
		fmt.Printf("%v: from %.1f to %.1f\n", share, c.Lower, c.Upper)
	}
	// Output:
	// 0.1: from -3.9 to -3.7
	// 0.5: from 1.9 to 2.1
	// 1: from 6.7 to 6.7
}

// How likely is it to lose something in ten steps, if that is all that counts?
func ExampleChance() {
	tiger, err := bcpace.FiniteHorizon(envs.Tiger{}, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := risk.Chance{Level: 0, Epsilon: 0.001}.Solve(context.Background(), tiger, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("a loss has a probability from %.3f to %.3f\n", found.Certificate.Lower, found.Certificate.Upper)
	// Output: a loss has a probability from 0.017 to 0.017
}
