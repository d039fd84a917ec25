package pointbased_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/envs"
)

func ExamplePBVI() {
	found, err := pointbased.PBVI{Epsilon: 1e-3}.Solve(context.Background(), envs.Tiger{}, bcpace.Control{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f by %s\n", found.Value, found.Stop)
	// Output:
	// 19.37 by converged
}

func ExamplePerseus() {
	found, err := pointbased.Perseus{Epsilon: 1e-3, Beliefs: 500}.Solve(context.Background(), envs.Chain{}, bcpace.Control{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.1f by %s\n", found.Value, found.Stop)
	// Output:
	// 48.1 by sample budget
}
