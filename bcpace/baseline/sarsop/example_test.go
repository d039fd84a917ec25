package sarsop_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace/baseline/sarsop"
)

func ExampleSolve() {
	r, err := sarsop.Solve(context.Background(), tiger(), sarsop.Options{Epsilon: 1e-3})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f by %s\n", r.Lower, r.Stop)
	fmt.Println(tiger().Actions[r.Policy.Act(0, []float64{.5, .5})])
	// Output:
	// 19.37 by gap
	// listen
}
