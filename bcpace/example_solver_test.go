package bcpace_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
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

// A policy of one's own is simulated beside those that the solver finds, and returned if it
// earns most. This one looks for the tiger where it is light.
func ExampleOptions_controller() {
	const up, down, left, right = 0, 1, 2, 3
	look := bcpace.PolicyFunc(func(s []float64, b bcpace.Belief, _ *rand.Rand) int {
		x, sure := s[0], max(b[0], b[1]) == 1
		switch {
		case !sure:
			return left
		case x < 4:
			return right
		case b[0] == 1: // the tiger is at the top
			return down
		}
		return up
	})
	o := bcpace.Options{Epsilon: 1, MaxSamples: 20, Controller: look}
	found, err := o.Solve(context.Background(), envs.LightDarkTiger{}, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range bcpace.RunOf(found).Choice.Tried {
		fmt.Printf("%-12s %6.2f\n", x.Name, x.Mean)
	}
	fmt.Printf("%s earns at least %.2f\n", bcpace.RunOf(found).Choice.Name(), found.Certificate.Lower)
	// Output:
	// greedy       -41.41
	// qmdp           0.00
	// controller     6.98
	// always up      0.00
	// always down    0.00
	// always left    0.00
	// always right   0.00
	// controller earns at least 6.77
}

func ExampleSolution() {
	found, err := certified.Solver{Epsilon: 0.01}.Solve(context.Background(), envs.Tiger{}, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	end := found.Trace[len(found.Trace)-1]
	fmt.Printf("value %.2f after %d samples; at (0, uniform) the policy takes action %d\n", found.Value, end.Samples, found.Policy.Act([]float64{0}, bcpace.Uniform(2), nil))
	// Output: value 19.37 after 37 samples; at (0, uniform) the policy takes action 0
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
	begun, err := bcpace.ReadRun(&first, bcpace.FixedModel(dark), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(begun.Trace), "episodes")
	again, err := bcpace.Resume(context.Background(), begun, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(again.Trace), "episodes, the same value:", again.Value == whole.Value)
	// Output:
	// 20 episodes
	// 400 episodes, the same value: true
}

// What Resume may change is what Unlimited leaves out.
func ExampleExplorer() {
	var e bcpace.Explorer = bcpace.Options{Epsilon: 1, K: 20, MaxSamples: 100}
	fmt.Println(e.Unlimited().(bcpace.Options).MaxSamples, e.Unlimited().(bcpace.Options).K)
	// Output: 0 20
}

func ExamplePlan() {
	p, err := bcpace.Options{Epsilon: 1}.Plan(envs.Tiger{})
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

func ExampleStart() {
	starts, err := bcpace.StartsOf(envs.Tiger{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(starts)
	// Output: [{[0] [0.5 0.5] 1}]
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

// frozen is an exploration that has ended.
type frozen struct{ run *bcpace.Run }

// Snapshot implements bcpace.Snapshotter.
func (f frozen) Snapshot() (*bcpace.Samples, []byte) { return f.run.Samples, f.run.State() }

// A run is made of values and of what its samples are asked of.
func ExampleSnapshotter() {
	run := explored()
	plan, err := run.Solver.Plan(run.Model())
	if err != nil {
		fmt.Println(err)
		return
	}
	twin := bcpace.NewRun(run.Model(), run.Solver, plan, run.Values(), frozen{run})
	twin.Finish()
	fmt.Println(twin.Samples.Len() == run.Samples.Len())
	// Output: true
}

// What a set-up has found when its time is up still makes a policy and, where there are
// latent values with an error, an upper bound.
func ExampleSoFar() {
	ctx, cancel := context.WithCancel(context.Background())
	q, err := bcpace.SolveLatent(ctx, envs.Tiger{})
	if cancel(); err == nil {
		err = ctx.Err()
	}
	found, err := bcpace.Unfinished(ctx, err, envs.Tiger{}, bcpace.Options{}, bcpace.LatentSoFar(q))
	fmt.Println(found.InSetUp, found.Stop, found.Certificate.UpperBy, err)
	// Output: true interrupted proved <nil>
}
