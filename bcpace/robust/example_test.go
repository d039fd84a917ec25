package robust_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/robust"
	"bayescpace/envs"
)

// What can be promised whatever the slip probability is, and what is promised within a distance of the prior.
func ExampleSolver() {
	for _, set := range []robust.PriorSet{{}, {Kind: robust.L1, Radius: 0.5}} {
		found, err := robust.Solver{Set: set, Epsilon: 0.2}.Solve(context.Background(), envs.Chain{}, bcpace.Control{})
		if err != nil {
			fmt.Println(err)
			return
		}
		c, worst := found.Certificate, robust.Of(found)
		fmt.Printf("%s: from %.1f to %.1f, nominal %.1f, worst prior %.2f\n", set, c.Lower, c.Upper, worst.Nominal, worst.Prior)
	}
	// Output:
	// all: from 25.1 to 25.1, nominal 25.1, worst prior [0.00 1.00 0.00]
	// l1=0.5: from 39.5 to 39.6, nominal 39.2, worst prior [0.25 0.58 0.16]
}

func ExamplePriorSet_Worst() {
	b, least := robust.PriorSet{Kind: robust.L1, Radius: 0.2}.Worst(bcpace.Belief{0.5, 0.3, 0.2}, []float64{10, 5, 0})
	fmt.Printf("%.1f %.1f\n", b, least)
	// Output: [0.4 0.3 0.3] 5.5
}

func ExampleParseSet() {
	set, err := robust.ParseSet("kl=0.1")
	fmt.Println(set, err)
	_, err = robust.ParseSet("l2=0.1")
	fmt.Println(err)
	// Output:
	// kl=0.1 <nil>
	// set of priors: the set is "l2=0.1", want all, or box=R, l1=R or kl=R with a radius R above 0
}
