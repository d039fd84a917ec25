package certified_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

func ExampleSolver() {
	run, err := runs.Explore(context.Background(), envs.Tiger{}, certified.Solver{Epsilon: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f to %.2f, %s\n", run.Certificate.Lower, run.Certificate.Upper, run.Certificate.UpperBy)
	// Output: 19.37 to 19.38, proved
}
