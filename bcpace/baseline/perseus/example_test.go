package perseus_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/perseus"
	"bayescpace/envs"
)

func ExampleSolver() {
	found, err := perseus.Solver{Epsilon: 1e-3, Beliefs: 500}.Solve(context.Background(), envs.Chain{}, bcpace.Control{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.1f by %s\n", found.Value, found.Stop)
	// Output:
	// 48.1 by sample budget
}
