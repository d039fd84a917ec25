package runs_test

import (
	"bytes"
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// What Resume may change is what Unlimited leaves out.
func ExampleExplorer() {
	var e runs.Explorer = cpace.Solver{Epsilon: 1, K: 20, MaxSamples: 100}
	fmt.Println(e.Unlimited().(cpace.Solver).MaxSamples, e.Unlimited().(cpace.Solver).K)
	// Output: 0 20
}

func ExamplePlan() {
	p, err := cpace.Solver{Epsilon: 1}.Plan(envs.Tiger{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Patience, "quiet episodes end the exploration, and", p.CertificateEpisodes, "are simulated, δ =", p.Delta)
	// Output: 100 quiet episodes end the exploration, and 2000 are simulated, δ = 0.05
}

func ExampleDetail() {
	run := explored()
	_, details := run.Solver.Describe(run)
	for _, d := range details[:2] {
		fmt.Println(d.Name, d.Value)
	}
	// Output:
	// k 3
	// L_Q 0.25
}

// The values of a run are those that it is asked for.
func ExampleValues() {
	run := explored()
	s, b := []float64{2, 2, 0}, bcpace.Uniform(2)
	q, known := run.Values().Query(s, b, 0)
	same, _ := run.Q(s, b, 0)
	fmt.Println(q == same, known)
	// Output: true true
}

// A run is made of values and of what its samples are asked of.
func ExampleSnapshotter() {
	run := explored()
	plan, err := run.Solver.Plan(run.Model())
	if err != nil {
		fmt.Println(err)
		return
	}
	twin := runs.New(run.Model(), run.Solver, plan, run.Values(), frozen{run})
	twin.Finish()
	fmt.Println(twin.Samples.Len() == run.Samples.Len())
	// Output: true
}

// What a set-up has found when its time is up still makes a policy and, where there are
// latent values with an error, an upper bound.
func ExampleSoFar() {
	ctx, cancel := context.WithCancel(context.Background())
	q, err := dp.SolveLatent(ctx, envs.Tiger{})
	if cancel(); err == nil {
		err = ctx.Err()
	}
	found, err := runs.Unfinished(ctx, err, envs.Tiger{}, cpace.Solver{}, runs.LatentSoFar(q))
	fmt.Println(found.InSetUp, found.Stop, found.Certificate.UpperBy, err)
	// Output: true interrupted proved <nil>
}

func ExampleInfo() {
	var file bytes.Buffer
	if _, err := explored().WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	info, err := runs.ReadInfo(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(info.Model, info.Stop, info.Episodes, "episodes")
	// Output: light-dark-tiger converged 400 episodes
}

// frozen is an exploration that has ended.
type frozen struct{ run *runs.Run }

// Snapshot implements runs.Snapshotter.
func (f frozen) Snapshot() (*runs.Samples, []byte) { return f.run.Samples, f.run.State() }
