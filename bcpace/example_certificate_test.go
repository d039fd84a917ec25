package bcpace_test

import (
	"context"
	"fmt"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

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

// Episodes in turn from two beliefs, at neither of which the model starts.
func ExampleStartPoint() {
	run, err := runs.Explore(context.Background(), envs.Tiger{}, cpace.Solver{Epsilon: 1, MaxEpisodes: 2, CertificateEpisodes: -1,
		Starts: []bcpace.StartPoint{{State: []float64{0}, Belief: bcpace.Belief{0.1, 0.9}}, {State: []float64{0}, Belief: bcpace.Belief{0.9, 0.1}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Samples.At(0).Belief)
	// Output: [0.1 0.9]
}

// The value of the policy is simulated, that of the optimum bounded by proof. Verify
// makes the certificate again from the run alone.
func ExampleCertificate() {
	run := explored()
	c := run.Certificate
	fmt.Printf("%.2f ≤ V* ≤ %.2f\n", c.Lower, c.Upper)
	_, err := runs.Verify(context.Background(), run)
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

// explored is an exploration of Light-Dark Tiger, a room of 5 × 5 cells.
var explored = sync.OnceValue(func() *runs.Run {
	dark := envs.LightDarkTiger{}
	run, err := runs.Explore(context.Background(), dark, envs.Tuned(dark))
	if err != nil {
		fmt.Println(err)
	}
	return run
})
