package pomcpow_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/online/pomcpow"
	"bayescpace/envs"
)

// The planner looks where it is before it stops.
func ExampleSolver_Planner() {
	m, err := envs.NewHidden("light-dark-1d", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := pomcpow.Solver{Budget: bcpace.Budget{Simulations: 2000, Depth: 15}}.Planner(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	steps, err := hidden.Episode(context.Background(), m, p, hidden.Options{Horizon: 40, Filter: hidden.Particles{Number: 500}}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	first, last := steps[0], steps[len(steps)-1]
	fmt.Printf("at first the variance is %.0f, and when it stops below 1: %v\n", first.Variance[0], last.Variance[0] < 1)
	// Output: at first the variance is 322, and when it stops below 1: true
}
