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

// A move in the noisy Light-Dark Tiger may end in 25 places. Where places that are near share a
// node, the search sees as far as the light on the left, where the agent learns which goal to
// take, and back to the goals. Where each has its own, the budget is spent before.
func ExampleSolver() {
	m := envs.LightDarkTiger{Width: 5, Height: 3, Sigma: 0.1}
	spec := m.Spec()
	budget := bcpace.Budget{Simulations: 200}
	for _, s := range []adaops.Solver{{Budget: budget, NoPacking: true}, {Budget: budget, Delta: 0.5}} {
		found, err := s.Solve(context.Background(), m, bcpace.Control{})
		if err != nil {
			fmt.Println(err)
			return
		}
		planner := bcpace.PolicyAbilitiesOf(found.Policy)
		d, err := planner.Plan(context.Background(), []float64{2, 1, 0}, bcpace.Uniform(2), rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("with NoPacking %v, a tree of %d steps says %s\n", s.NoPacking, d.Depth, spec.ActionName(d.Action))
	}
	// Output:
	// with NoPacking true, a tree of 3 steps says left
	// with NoPacking false, a tree of 3 steps says left
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
