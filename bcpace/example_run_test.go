package bcpace_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// explored is an exploration of Light-Dark Tiger, a room of 5 × 5 cells.
var explored = sync.OnceValue(func() *bcpace.Run {
	dark := envs.LightDarkTiger{}
	run, err := bcpace.Explore(context.Background(), dark, envs.Tuned(dark))
	if err != nil {
		fmt.Println(err)
	}
	return run
})

// The policy that was found goes to the light as long as it does not know, and then
// down, where the tiger is at the top.
func ExampleExplore() {
	dark := envs.LightDarkTiger{}
	run, err := bcpace.Explore(context.Background(), dark, envs.Tuned(dark))
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

// Settings for Light-Dark Tiger; see envs.Tuned for how they were found.
func ExampleOptions() {
	run, err := bcpace.Explore(context.Background(), envs.LightDarkTiger{}, bcpace.Options{
		Epsilon:    0.1,  // the error of a known query, in reward units
		LipQ:       0.25, // how fast values change with the state and the belief
		K:          3,    // neighbours averaged
		Batch:      20,   // episodes between two value iterations
		Bound:      bcpace.BoundQMDP,
		SeedOneHot: true, // who knows the latent has nothing to explore
		Seed:       1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("value %.5f, %s after %d samples\n", run.Value, run.Stop, run.Samples.Len())
	// Output: value 6.98337, converged after 132 samples
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

// A run is saved with the name and the parameters of its model, from which ReadRun
// makes the model again.
func ExampleModelFinder() {
	var file bytes.Buffer
	if _, err := explored().WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	var find bcpace.ModelFinder = envs.New
	run, err := bcpace.ReadRun(&file, find, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Spec.Name, run.Spec.Params[:2])
	// Output: light-dark-tiger [{width 5} {height 5}]
}

func ExampleRunInfo() {
	var file bytes.Buffer
	if _, err := explored().WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	info, err := bcpace.ReadRunInfo(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(info.Model, info.Stop, info.Episodes, "episodes")
	// Output: light-dark-tiger converged 400 episodes
}

// What an exploration reports while it continues.
func ExampleProgress() {
	dark := envs.LightDarkTiger{}
	show := func(p bcpace.Progress) {
		if p.Episodes%100 == 0 {
			fmt.Printf("%d episodes, %d samples, value %.2f; none new for %d of %d episodes\n", p.Episodes, p.Samples, p.Value, p.Quiet, p.Patience)
		}
	}
	if _, err := envs.Tuned(dark).Solve(context.Background(), dark, bcpace.Control{Progress: show}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 100 episodes, 63 samples, value 7.78; none new for 17 of 100 episodes
	// 200 episodes, 99 samples, value 7.50; none new for 19 of 100 episodes
	// 300 episodes, 132 samples, value 6.98; none new for 17 of 100 episodes
	// 400 episodes, 132 samples, value 6.98; none new for 117 of 100 episodes
}

// The first episode knows nothing, and the last one everything it meets.
func ExampleEpisode() {
	trace := explored().Trace
	for _, e := range []bcpace.Episode{trace[0], trace[len(trace)-1]} {
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

// Episodes in turn from two beliefs, at neither of which the model starts.
func ExampleStartPoint() {
	run, err := bcpace.Explore(context.Background(), envs.Tiger{}, bcpace.Options{Epsilon: 1, MaxEpisodes: 2, CertificateEpisodes: -1,
		Starts: []bcpace.StartPoint{{State: []float64{0}, Belief: bcpace.Belief{0.1, 0.9}}, {State: []float64{0}, Belief: bcpace.Belief{0.9, 0.1}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Samples.At(0).Belief)
	// Output: [0.1 0.9]
}

// An exploration that a limit has ended can be resumed.
func ExampleStopReason() {
	dark := envs.LightDarkTiger{}
	o := envs.Tuned(dark)
	o.MaxEpisodes, o.CertificateEpisodes = 40, -1
	run, err := bcpace.Explore(context.Background(), dark, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Stop, run.Stop.ByItself())
	o.MaxEpisodes = 0
	if run, err = bcpace.Resume(context.Background(), run, o); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Stop, run.Stop.ByItself())
	// Output:
	// episode budget false
	// converged true
}

// The value of the policy is simulated, that of the optimum bounded by proof. Verify
// makes the certificate again from the run alone.
func ExampleCertificate() {
	run := explored()
	c := run.Certificate
	fmt.Printf("%.2f ≤ V* ≤ %.2f\n", c.Lower, c.Upper)
	_, err := bcpace.Verify(context.Background(), run)
	fmt.Println(err)
	// Output:
	// 6.77 ≤ V* ≤ 8.57
	// <nil>
}

func ExampleCertificateKind() {
	c := explored().Certificate
	if c.Kind == bcpace.StatisticalCertificate {
		fmt.Printf("%d episodes, wrong with probability %v at most\n", c.Episodes, c.Delta)
	}
	// Output: 2000 episodes, wrong with probability 0.05 at most
}

func ExampleBasis() {
	c := explored().Certificate
	fmt.Println("lower bound:", c.LowerBy)
	fmt.Println("upper bound:", c.UpperBy)
	// Output:
	// lower bound: simulated
	// upper bound: proved
}

// What holds the bounds of a run apart is what to work on.
func ExampleGapParts() {
	p := bcpace.GapParts{Search: 0.2, Grid: 1.5, Simulation: 0.01}
	fmt.Println(p)
	// Output: grid 1.5, search 0.2, simulation 0.01
}
