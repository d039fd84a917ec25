package lookahead_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/envs"
)

// The tiger was heard on the left twice. One decision says what to do, and what that is worth.
func ExampleSolver() {
	tiger := envs.Tiger{}
	found, err := lookahead.Solver{Budget: bcpace.Budget{Simulations: 2000}}.Solve(context.Background(), tiger, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	planner := bcpace.PolicyAbilitiesOf(found.Policy)
	d, err := planner.Plan(context.Background(), []float64{1}, bcpace.Belief{0.97, 0.03}, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := tiger.Spec()
	fmt.Printf("%s: V* is from %.1f to %.1f\n", spec.ActionName(d.Action), d.Lower, d.Upper)
	// Output: open right: V* is from 25.1 to 25.1
}
