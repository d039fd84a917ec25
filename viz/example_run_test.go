package viz_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
	"bayescpace/viz"
)

// explore returns a run, once.
func explore(m bcpace.Model, o cpace.Solver) func() *runs.Run {
	return sync.OnceValue(func() *runs.Run {
		o.CertificateEpisodes = -1
		run, err := runs.Explore(context.Background(), m, o)
		if err != nil {
			fmt.Println(err)
		}
		return run
	})
}

var (
	tigerRun = explore(envs.Tiger{}, cpace.Solver{Epsilon: 1, LipQ: 60, K: 20, Horizon: 95, MaxSamples: 100})
	chainRun = explore(envs.Chain{}, cpace.Solver{Epsilon: 1, LipQ: 2, K: 3, Horizon: 47, MaxSamples: 100})
	roomRun  = explore(envs.LightDarkTiger{}, envs.Tuned(envs.LightDarkTiger{}))
)

func ExampleQOverBelief() {
	show(viz.QOverBelief{Run: tigerRun(), Title: "Tiger after 100 samples"})
	// Output:
	// 640 × 390
	// Tiger after 100 samples. Optimistic value Q of tiger against the belief in tiger left, from 0 (certainly tiger right) to 1. listen: 181.3 at belief 0, 168.8 at 0.5, 186 at 1; known at 1% of beliefs; 58 samples here. open left: 175.5 at belief 0, 163.2 at 0.5, 88.88 at 1; known at 0% of beliefs; 22 samples here. open right: 88.53 at belief 0, 165.3 at 0.5, 185.4 at 1; known at 0% of beliefs; 20 samples here.
}

// How the certified algorithm brackets the value of Tiger.
func ExampleBounds() {
	run, err := runs.Explore(context.Background(), envs.Tiger{}, certified.Solver{Epsilon: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(viz.Bounds{Title: "Tiger", Runs: []viz.BoundsRun{{Run: run}}, References: []viz.Reference{{Label: "optimum", Value: 19.37}}})
	// Output:
	// 640 × 513
	// Tiger. Lower and upper bound of the value at the start, and the gap between them on a log scale, against samples. tiger: −17.42 to 46.07 after 3 samples, 19.3708 to 19.3802 after 35 samples. Gap 63.48, at the end 0.009344. Reference line optimum at 19.37.
}

func ExampleExploration() {
	show(viz.Exploration{Run: roomRun()})
	// Output:
	// 640 × 460
	// Light-dark-tiger: exploration. Samples grow from 6 after the first episode to 132 after episode 400. 30,980 escapes from the known set, the last in episode 300; 0 per episode in the last tenth.
}

func ExampleEscapes() {
	show(viz.Escapes{Title: "Escapes from the known set", Runs: []viz.EscapesRun{{Label: "room", Run: roomRun()}}})
	// Output:
	// 640 × 373
	// Escapes from the known set. Line plot of unknown queries so far against steps. room: from 141 at 141 to 30,980 at 40,440.
}

func ExampleBeliefSimplex() {
	show(viz.BeliefSimplex{Title: "Chain after 100 samples", Run: chainRun()})
	// Output:
	// 520 × 545
	// Chain after 100 samples. Triangle of the beliefs of chain over three latents, slip 0.2 in the left corner, slip 0.5 on top and slip 0.8 in the right corner, at state 1, filled by the action of the policy. A: taken on 66% of the area, 24 samples here. B: taken on 34% of the area, 23 samples here. If slip 0.2 is certain: B. If slip 0.5 is certain: A. If slip 0.8 is certain: A.
}

func ExampleKnownBeliefs() {
	show(viz.KnownBeliefs{Title: "Chain after 100 samples", Run: chainRun()})
	// Output:
	// 318 × 396
	// Chain after 100 samples. Triangle of the beliefs over three latents, slip 0.2 at the left, slip 0.5 on top and slip 0.8 at the right, at state 1, after 100 samples. Of the queries there, 19% are known.
}

func ExampleKnownRoom() {
	show(viz.KnownRoom{Title: "At even odds", Run: roomRun()})
	// Output:
	// 318 × 411
	// At even odds. Room of 5 by 5 cells from above at belief [0.5 0.5], after 132 samples. Of the queries there, 44% are known.
}

// Where the policy goes that was found, and what of it no sample covers.
func ExampleCoverage() {
	run := roomRun()
	holes, err := cover.MeasureHoles(context.Background(), run, cover.HoleOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(viz.Coverage{Title: "At the end", Run: run, Holes: holes})
	// Output:
	// 520 × 575
	// At the end. Room of 5 by 5 cells from above with the 132 samples of a run. 0 of 1,000 queries drawn have no sample within 0.2.
}

// What a planner searched before its first decision in Tiger.
func ExampleSearchTree() {
	found, err := lookahead.Solver{Budget: bcpace.Budget{Simulations: 100}}.Solve(context.Background(), envs.Tiger{}, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	planner := bcpace.PolicyAbilitiesOf(found.Policy)
	if _, err := planner.Plan(context.Background(), []float64{0}, bcpace.Uniform(2), rand.New(rand.NewPCG(1, 1))); err != nil {
		fmt.Println(err)
		return
	}
	nodes, err := planner.Nodes(5)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(viz.SearchTree{Spec: found.Spec, Nodes: nodes})
	// Output:
	// 654 × 187
	// Tiger: search tree. At the root, searched 45 times: listen [2.232, 33.91]. Then listen → left, 50%, searched 23 times: listen [3.27, 36.48]. Then listen → right, 50%, searched 21 times: listen [3.534, 37]. 5 nodes in all.
}

func ExampleEpisode() {
	m := envs.Tiger{}
	t, err := eval.RecordEpisode(m, bcpace.RandomPolicy(m), eval.Options{Horizon: 3, Seed: 1}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	e := viz.Episode{Model: m, Trajectory: t}
	show(e)
	fmt.Println(len(e.Steps()), "steps to play")
	// Output:
	// 640 × 310
	// An episode of tiger. Step 0 of 3; next open left; true: tiger right. Belief: tiger left 0.50, tiger right 0.50.
	// 4 steps to play
}
