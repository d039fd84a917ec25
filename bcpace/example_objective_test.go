package bcpace_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/risk"
	"bayescpace/envs"
)

// A solution says what its certificate bounds.
func ExampleObjective() {
	short, err := bcpace.FiniteHorizon(envs.Tiger{}, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := risk.Solver{Share: 0.5, Epsilon: 0.1}.Solve(context.Background(), short, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s is from %.1f to %.1f\n", found.Objective.Bounds, found.Certificate.Lower, found.Certificate.Upper)
	// Output: the mean of the worst 0.5 of the returns is from -2.5 to -2.5
}
