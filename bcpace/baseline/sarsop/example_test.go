package sarsop_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/pomdpfile"
)

func ExampleSolve() {
	m, err := pomdpfile.ReadFile(context.Background(), "../../../data/tiger.pomdp")
	if err != nil {
		panic(err)
	}
	r, err := sarsop.Solve(context.Background(), m, sarsop.Options{Epsilon: 1e-3})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f by %s\n", r.Lower, r.Stop)
	b := make([]float64, m.NumHidden())
	m.StartBelief(b, 0)
	fmt.Println(m.Actions[r.Policy.Act(0, b)])
	// Output:
	// 19.37 by gap
	// listen
}
