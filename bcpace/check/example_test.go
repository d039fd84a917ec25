package check_test

import (
	"fmt"

	"bayescpace/bcpace/check"
	"bayescpace/envs"
)

// What was tried on Tiger, without the test of goroutines.
func ExampleExamine() {
	report, err := check.Examine(envs.Tiger{}, check.Options{Draws: 100, Skip: []string{check.Goroutines}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report)
	// Output:
	// No fault found in model "tiger" at 6 states; a sound model is refused with probability 1e-06 at most.
	//   repeats      1650 steps taken twice with equal random numbers
	//   latents      18 states and actions whose latent moves were listed
	//   numbering    3 numbers of states
	//   starts       200 starts drawn
	//   lists        9 states and actions whose successors were listed
	//   draws        18000 steps compared with LogLikelihood and, where there are, lists
	//   calibration  4500 steps under one of two latents, and the belief after them
	//   scales       139 steps from two states that differ on an axis of Scale +Inf
	//   smooth       nothing to try
	//   goroutines   skipped
	//   ends         12000 steps under two latents, and whether they ended the episode
	//   rewards      18 steps whose rewards were compared between two latents
}
