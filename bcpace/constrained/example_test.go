package constrained_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/constrained"
	"bayescpace/envs"
)

// How much can be earned behind the doors, if the tiger may be met in a tenth of a discounted episode at most?
func ExampleSolver() {
	bites := constrained.Cost{Name: "bites", Most: 1, Of: func(x constrained.Step) float64 {
		if x.Action == x.Latent+1 {
			return 1
		}
		return 0
	}}
	found, err := constrained.Solver{Cost: bites, Limit: 0.1, Epsilon: 0.1}.Solve(context.Background(), envs.Tiger{}, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := found.Certificate
	fmt.Printf("from %.1f to %.1f at a cost of %.2f; a bite is worth %.0f\n", c.Lower, c.Upper, constrained.Of(found).Cost, constrained.Of(found).Multiplier)
	// Output: from 18.1 to 18.1 at a cost of 0.10; a bite is worth 23
}
