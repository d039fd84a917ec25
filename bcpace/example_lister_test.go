package bcpace_test

import (
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
