package despot_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/online/despot"
	"bayescpace/envs"
)

// What is heard behind the doors of Tiger takes two values, so that scenarios share nodes.
func ExampleSolver_Planner() {
	m, err := hidden.FromModel(envs.Tiger{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := despot.Solver{Budget: bcpace.Budget{Simulations: 50, Depth: 10}}.Planner(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := hidden.Exact{}.Begin(m, []float64{0}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := p.Plan(context.Background(), []float64{0}, b, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Spec.ActionName(d.Action), d.Depth)
	// Output:
	// listen 8
}
