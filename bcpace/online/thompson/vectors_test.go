package thompson_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/online/thompson"
)

// guess acts as who sees x does in the model of plannertest.Guess.
func guess(_, x []float64, _ *rand.Rand) int {
	if x[0] > 0.5 {
		return 2
	}
	return 1
}

// TestVectors: with nothing known, each guess is right with probability ½, and Thompson sampling never looks: it earns 0 on average, to within
// five standard errors, missed with probability 6·10⁻⁷.
func TestVectors(t *testing.T) {
	m := plannertest.Guess(0.1)
	m.Rollout = guess
	{
		p, err := thompson.Solver{}.Policy(m)
		if err != nil {
			t.Fatal(err)
		}
		var means []float64
		for _, workers := range []int{1, 4} {
			r, err := hidden.Simulate(t.Context(), m, p, hidden.Options{Episodes: 1000, Workers: workers, Filter: hidden.Particles{Number: 100}})
			if err != nil {
				t.Fatal(err)
			}
			if means = append(means, r.Mean); r.Steps != 1000 || r.Mean > 5*r.StdErr || r.Mean < -5*r.StdErr {
				t.Errorf("mean %v ± %v in %d steps, want 0 in 1000", r.Mean, r.StdErr, r.Steps)
			}
		}
		if means[0] != means[1] {
			t.Errorf("means %v, want the same for any number of workers", means)
		}
	}
	if _, err := (thompson.Solver{}).Policy(plannertest.Guess(0.1)); !errors.As(err, new(*bcpace.UnsupportedError)) {
		t.Errorf("error %v, want an UnsupportedError without a controller", err)
	}
}

// The controller of an agent that sees x, for one who does not.
func ExampleSolver_Policy() {
	m := plannertest.Guess(0.1)
	m.Rollout = guess
	p, err := thompson.Solver{}.Policy(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := hidden.Simulate(context.Background(), m, p, hidden.Options{Episodes: 400})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f ± %.2f\n", r.Mean, r.StdErr)
	// Output: -0.08 ± 0.05
}
