package adaops_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/online/adaops"
	"bayescpace/envs"
)

// The tiger was heard on the left twice. One decision says what to do, and what that is worth.
func ExampleSolver() {
	tiger := envs.Tiger{}
	found, err := adaops.Solver{Budget: bcpace.Budget{Simulations: 1000}, Delta: 0.01}.Solve(context.Background(), tiger, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	planner, _ := bcpace.AsPlanner(found.Policy)
	d, err := planner.Plan(context.Background(), []float64{1}, bcpace.Belief{0.97, 0.03}, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := tiger.Spec()
	fmt.Printf("%s: V* is from %.1f to %.1f\n", spec.ActionName(d.Action), d.Lower, d.Upper)
	// Output: open right: V* is from 25.1 to 25.3
}

// A step in Light-Dark Tiger ends in one of 49 places. The nodes of the tree that stand for them
// are a cover, whose size lies between two numbers of package cover.
func ExampleSolver_Pack() {
	m := envs.LightDarkTiger{Sigma: 0.1, Nodes: 7}
	for _, delta := range []float64{0.01, 0.1, 0.5} {
		p, err := adaops.Solver{Delta: delta}.Pack(m, []float64{2, 2, 0}, bcpace.Uniform(2), 0, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		points, err := cover.FromRows(p.Points)
		if err != nil {
			fmt.Println(err)
			return
		}
		x, err := cover.Number(context.Background(), points, delta, cover.Options{Exact: true})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("δ = %v: %d nodes for %d, i = %v, α = %v\n", delta, len(p.Means), len(p.States), x.Separated, x.Independence)
	}
	// Output:
	// δ = 0.01: 49 nodes for 49, i = 49, α = 49
	// δ = 0.1: 15 nodes for 49, i = 9, α = 15
	// δ = 0.5: 2 nodes for 49, i = 1, α = 2
}
