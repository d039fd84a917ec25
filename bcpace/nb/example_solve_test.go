package nb_test

import (
	"fmt"
	"math/rand/v2"
	"os"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/nb"
	"bayescpace/envs"
)

// apart keeps the store of an example to itself; a notebook needs nothing of the kind.
func apart() (done func()) {
	dir := nb.Must(os.MkdirTemp("", "store-"))
	before := os.Getenv("BAYESCPACE_STORE")
	os.Setenv("BAYESCPACE_STORE", dir)
	return func() {
		os.Setenv("BAYESCPACE_STORE", before)
		os.RemoveAll(dir)
	}
}

func ExampleSolve() {
	defer apart()()
	nb.Show(nb.Solve(envs.Tiger{}, certified.Solver{Epsilon: 1e-3}))
	// Output:
	// Certified values of tiger (accuracy=0.85, discount=0.95, reset=true)
	// lower bound, attained by the policy  19.3713
	// upper bound of every policy          19.3723
	// stop                                 certified
	// samples                              35
	// episodes                             152
	// steps                                576
	// ε                                    0.001
}

func ExampleCompare() {
	defer apart()()
	tiger := envs.Tiger{}
	listen := bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 0 })
	nb.Show(nb.Compare(tiger, eval.Options{Episodes: 500, Horizon: 100, Seed: 1},
		nb.AsSolver("only listen", listen), nb.AsSolver("QMDP", nb.QMDP(tiger)), certified.Solver{Epsilon: 1e-3}))
	// Output:
	// policy       mean return  95% from      to  optimum over unlimited steps at least          at most          interval
	// only listen       -19.88    -39.31  -14.58                                                                  by the range of returns
	// QMDP               19.26     16.78   21.73
	// certified          19.26     16.78   21.73                                  19.37  proved    19.38  proved
}

func ExampleNamed() {
	defer apart()()
	for _, s := range nb.Compare(envs.Chain{}, eval.Options{Episodes: 1000, Horizon: 100, Seed: 1},
		nb.Named("to 0.1", certified.Solver{Epsilon: 0.1}), nb.Named("to 1", certified.Solver{Epsilon: 1})) {
		fmt.Printf("%s: %.2f, bounds %.2f to %.2f\n", s.Name, s.Mean, s.Certificate.Lower, s.Certificate.Upper)
	}
	// Output:
	// to 0.1: 48.49, bounds 48.06 to 48.15
	// to 1: 48.57, bounds 47.70 to 48.54
}

func ExampleOptimum() {
	fmt.Printf("%.4f without end, %.4f over 100 steps\n", nb.Optimum(envs.Tiger{}, 0), nb.Optimum(envs.Tiger{}, 100))
	// Output:
	// 19.3714 without end, 19.2474 over 100 steps
}

func ExampleValue() {
	room := envs.LightDarkTiger{}
	fmt.Printf("QMDP earns %.3f of %.3f\n", nb.Value(room, nb.QMDP(room), 0), nb.Optimum(room, 0))
	// Output:
	// QMDP earns 0.000 of 6.983
}

func ExampleOracle() {
	play := eval.Options{Episodes: 1000, Seed: 1}
	scores := nb.Compare(envs.Chain{}, play, qmdp.Solver{})
	for _, s := range append(scores, nb.Oracle(envs.Chain{}, play)) {
		fmt.Printf("%s: %.1f\n", s.Name, s.Mean)
	}
	// Output:
	// qmdp: 48.9
	// informed: 50.1
}
