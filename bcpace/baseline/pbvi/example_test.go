package pbvi_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pbvi"
	"bayescpace/envs"
)

func ExampleSolver() {
	found, err := pbvi.Solver{Epsilon: 1e-3}.Solve(context.Background(), envs.Tiger{}, bcpace.Control{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f by %s\n", found.Value, found.Stop)
	// Output:
	// 19.37 by converged
}
