package runs_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// explored is an exploration of Light-Dark Tiger, a room of 5 × 5 cells.
var explored = sync.OnceValue(func() *runs.Run {
	dark := envs.LightDarkTiger{}
	run, err := runs.Explore(context.Background(), dark, envs.Tuned(dark))
	if err != nil {
		fmt.Println(err)
	}
	return run
})

// The policy that was found goes to the light as long as it does not know, and then
// down, where the tiger is at the top.
func ExampleExplore() {
	dark := envs.LightDarkTiger{}
	run, err := runs.Explore(context.Background(), dark, envs.Tuned(dark))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range []bcpace.Belief{{0.5, 0.5}, {1, 0}} {
		_, action := run.At([]float64{2, 2, 0}, b)
		fmt.Println(b, run.Spec.Actions[action].Name)
	}
	// Output:
	// [0.5 0.5] left
	// [1 0] down
}

// The agent stands in the middle of the dark room, and walks left to the light.
func ExampleRun() {
	run := explored()
	s, b := []float64{2, 2, 0}, bcpace.Uniform(2)
	for a, action := range run.Spec.Actions {
		q, known := run.Q(s, b, a)
		fmt.Printf("%s: %.3f, known %t\n", action.Name, q, known)
	}
	_, best := run.At(s, b)
	fmt.Println("the policy goes", run.Spec.Actions[best].Name)
	// Output:
	// up: 6.787, known true
	// down: 6.787, known true
	// left: 6.983, known true
	// right: 6.545, known true
	// the policy goes left
}

// A run is saved with the name and the parameters of its model, from which Read
// makes the model again.
func ExampleModelFinder() {
	var file bytes.Buffer
	if _, err := explored().WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	var find runs.ModelFinder = envs.New
	run, err := runs.Read(&file, find, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Spec.Name, run.Spec.Params[:2])
	// Output: light-dark-tiger [{width 5} {height 5}]
}

// The first episode knows nothing, and the last one everything it meets.
func ExampleEpisode() {
	trace := explored().Trace
	for _, e := range []runs.Episode{trace[0], trace[len(trace)-1]} {
		fmt.Printf("%d steps, %d of them unknown, return %.3f\n", e.Steps, e.Escapes, e.Return)
	}
	// Output:
	// 141 steps, 141 of them unknown, return 0.000
	// 8 steps, 0 of them unknown, return 6.983
}

func ExampleSample() {
	run := explored()
	x := run.Samples.At(0)
	fmt.Printf("episode %d, step %d: from %v at belief %v\n", x.Episode, x.Time, x.State, x.Belief)
	fmt.Printf("action %q leads to %v and pays %v\n", run.Spec.Actions[x.Action].Name, x.Next, x.Reward)
	// Output:
	// episode 0, step 0: from [2 2 0] at belief [0.5 0.5]
	// action "right" leads to [3 2 0] and pays 0
}

func ExampleSamples() {
	run := explored()
	for a, n := range run.Samples.Actions() {
		fmt.Println(run.Spec.Actions[a].Name, n)
	}
	// Output:
	// up 36
	// down 36
	// left 18
	// right 42
}

// What holds the bounds of a run apart is what to work on.
func ExampleGapParts() {
	p := runs.GapParts{Search: 0.2, Grid: 1.5, Simulation: 0.01}
	fmt.Println(p)
	// Output: grid 1.5, search 0.2, simulation 0.01
}
