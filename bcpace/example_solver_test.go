package bcpace_test

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// Whatever the solver, what it returns says how good the policy is, and why.
func ExampleSolver() {
	dark := envs.LightDarkTiger{}
	for _, s := range []bcpace.Solver{envs.Tuned(dark), certified.Solver{Epsilon: 0.01}} {
		found, err := s.Solve(context.Background(), dark, bcpace.Control{})
		if err != nil {
			fmt.Println(err)
			return
		}
		c := found.Certificate
		fmt.Printf("%s: V* in [%.2f, %.2f], the lower bound %s, %s\n", s.Name(), c.Lower, c.Upper, c.LowerBy, found.Stop)
	}
	// Output:
	// bayes-cpace: V* in [6.77, 8.57], the lower bound simulated, converged
	// certified: V* in [6.98, 6.98], the lower bound proved, certified
}

func ExampleSolution() {
	found, err := certified.Solver{Epsilon: 0.01}.Solve(context.Background(), envs.Tiger{}, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	end := found.Trace[len(found.Trace)-1]
	fmt.Printf("value %.2f after %d samples; at (0, uniform) the policy takes action %d\n", found.Value, end.Samples, found.Policy.Act([]float64{0}, bcpace.Uniform(2), nil))
	// Output: value 19.37 after 35 samples; at (0, uniform) the policy takes action 0
}

// The first checkpoint of an exploration is enough to continue from.
func ExampleControl() {
	dark := envs.LightDarkTiger{}
	var first bytes.Buffer
	c := bcpace.Control{Workers: 2, Checkpoint: func(_ bcpace.Progress, soFar io.WriterTo) {
		if first.Len() == 0 {
			_, _ = soFar.WriteTo(&first)
		}
	}}
	o := envs.Tuned(dark)
	whole, err := o.Explore(context.Background(), dark, c)
	if err != nil {
		fmt.Println(err)
		return
	}
	begun, err := runs.Read(&first, runs.FixedModel(dark), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(begun.Trace), "episodes")
	again, err := runs.Resume(context.Background(), begun, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(again.Trace), "episodes, the same value:", again.Value == whole.Value)
	// Output:
	// 20 episodes
	// 400 episodes, the same value: true
}

func ExampleStart() {
	starts, err := bcpace.StartsOf(envs.Tiger{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(starts)
	// Output: [{[0] [0.5 0.5] 1}]
}
