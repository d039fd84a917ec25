package adaops_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/online/adaops"
)

// A look, and then a guess.
func ExampleSolver_Planner() {
	m := plannertest.Guess(0.1)
	p, err := adaops.Solver{Budget: bcpace.Budget{Simulations: 30, Depth: 6}}.Planner(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := hidden.Simulate(context.Background(), m, p, hidden.Options{Episodes: 60, Filter: hidden.Particles{Number: 200}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f ± %.2f\n", r.Mean, r.StdErr)
	// Output:
	// 0.61 ± 0.07
}

// Readings of a dial are real numbers, so that each particle has a reading of its own. The beliefs after them are a cover, whose
// size lies between two numbers of package cover.
func ExampleSolver_PackVectors() {
	m, rng := hiddenDial(), rand.New(rand.NewPCG(1, 1))
	b, err := hidden.Particles{}.Begin(m, []float64{0}, rng)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, delta := range []float64{0.1, 0.4} {
		p, err := adaops.Solver{Delta: delta, Least: 30, Most: 30}.PackVectors(m, []float64{0}, b, 0, rand.New(rand.NewPCG(2, 2)))
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
		fmt.Printf("δ = %v: %d nodes for %d readings, i = %v, α = %v\n", delta, len(p.Centre), len(p.States), x.Separated, x.Independence)
	}
	// Output:
	// δ = 0.1: 15 nodes for 30 readings, i = 13, α = 15
	// δ = 0.4: 5 nodes for 30 readings, i = 3, α = 6
}
