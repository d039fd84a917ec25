package sarsop_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/pomdpfile"
)

func ExampleSolver_SolvePOMDP() {
	m, err := pomdpfile.ReadFile(context.Background(), "../../../data/tiger.pomdp")
	if err != nil {
		panic(err)
	}
	found, err := sarsop.Solver{Epsilon: 1e-3, Unrevealed: true}.SolvePOMDP(context.Background(), m, bcpace.Control{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f, %s\n", found.Value, found.Stop)
	b := make([]float64, m.NumHidden())
	m.StartBelief(b, 0)
	fmt.Println(m.Actions[found.Policy.Act(0, b)])
	// Output:
	// 19.37, certified
	// listen
}
