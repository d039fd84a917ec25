package policysearch_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/policysearch"
	"bayescpace/envs"
)

// A policy that keeps a pole of unknown length upright is found by simulation alone. It could earn 20
// at most, if it never fell.
func Example() {
	m, err := envs.CartPole{}.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := policysearch.Solver{MaxSteps: 100_000}.Solve(context.Background(), m, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("it earns %.1f\n", found.Value)
	// Output:
	// it earns 19.9
}
