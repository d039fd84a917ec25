package bcpace_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// What one may hear at the doors of Tiger, how likely it is, and the belief after it.
func ExampleLister() {
	tiger, belief := envs.Tiger{}, bcpace.Belief{0.8, 0.2}
	list := bcpace.NewLister(tiger)
	if err := list.List([]float64{0}, tiger.Spec().ActionIndex("listen")); err != nil {
		fmt.Println(err)
		return
	}
	next := make(bcpace.Belief, 2)
	for i := range list.Successors.Len() {
		p := list.Update(next, belief, i)
		state, _, _ := list.Successors.Row(i)
		fmt.Printf("%v with probability %.2f, then %.3f\n", state, p, next)
	}
	// Output:
	// [1] with probability 0.71, then [0.958 0.042]
	// [2] with probability 0.29, then [0.414 0.586]
}

// The expected rewards of Tiger's start at even odds. With its last observation left
// out, all states of Tiger are one.
func ExampleTransitions() {
	tiger := envs.Tiger{}
	all, err := bcpace.ListTransitions(context.Background(), tiger)
	if err != nil {
		fmt.Println(err)
		return
	}
	one := all.Aggregate()
	fmt.Println(all.States, "states, aggregated", one.States)
	for a, action := range tiger.Spec().Actions {
		row := one.StateIndex([]float64{0})*one.Actions + a
		fmt.Printf("%s: %.0f\n", action.Name, one.Expected(row, bcpace.Uniform(2)))
	}
	// Output:
	// 3 states, aggregated 1
	// listen: -1
	// open left: -45
	// open right: -45
}
