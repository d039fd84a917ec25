package act_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/act"
	"bayescpace/bcpace/certified"
	"bayescpace/envs"
)

// Somebody else listens at the doors, and says what was heard.
func ExampleAgent() {
	ctx := context.Background()
	found, err := certified.Solver{Epsilon: 0.1}.Solve(ctx, envs.Tiger{}, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	agent, err := act.New(envs.Tiger{}, found.Policy, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	choice, err := agent.Begin(ctx, []float64{0})
	for range 3 {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: the tiger is left with probability %.2f\n", choice.Name, choice.Belief[0])
		choice, err = agent.Observe(ctx, choice.ID, -1, []float64{1}) // a growl from the left
	}
	// Output:
	// listen: the tiger is left with probability 0.50
	// listen: the tiger is left with probability 0.85
	// open right: the tiger is left with probability 0.97
}
