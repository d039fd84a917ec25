package envs_test

import (
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// What an agent earns in a trial that knows the transitions: in Double-loop 2 in each round of
// five steps; in the grids at most 1 in each way to the goal and out of it, 8+1 and 18+1 steps
// without a failure; in the maze what such an agent was measured to earn. The returns of optimal values are exact.
func TestToldOptima(t *testing.T) {
	for _, x := range []struct {
		m        interface{ Model() (*envs.Table, error) }
		least    float64 // total in so many steps
		most     float64
		steps    int
		infinite float64 // Σ γ^t r of a model that never fails; NaN if it does
	}{
		{envs.DoubleLoop{}, 400, 400, 1000, 2 * math.Pow(0.95, 4) / (1 - math.Pow(0.95, 5))},
		{envs.Goal{}, 80, 111, 1000, math.NaN()},
		{envs.Goal{Side: 10}, 80, 105, 2000, math.NaN()},
		{envs.Maze{}, 1200, 1500, 20000, math.NaN()},
	} {
		m, err := x.m.Model()
		if err != nil {
			t.Fatal(err)
		}
		e, err := eval.Optimal(t.Context(), m, eval.ExactOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !math.IsNaN(x.infinite) && math.Abs(e.Value-x.infinite) > 1e-6 {
			t.Errorf("%s: optimum %v, want %v", m.Spec().Name, e.Value, x.infinite)
		}
		p, err := dp.QMDPPolicy(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		r, err := eval.Rollouts(t.Context(), m, p, eval.Options{Episodes: 10, Horizon: x.steps, Seed: 1, Undiscounted: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Mean < x.least || r.Mean > x.most {
			t.Errorf("%s: an agent that knows all earns %v in %d steps, want %v to %v", m.Spec().Name, r.Mean, x.steps, x.least, x.most)
		}
	}
}

func TestTableParameters(t *testing.T) {
	for _, err := range []error{
		second(envs.Goal{Side: 7}.Model()), second(envs.Goal{Discount: 1}.Model()), second(envs.DoubleLoop{Discount: -1}.Model()),
		second(envs.Maze{Discount: 2}.Model()), envs.Bandit{Arms: [][]float64{}}.Validate(), envs.Bandit{Arms: [][]float64{{0.5}, {0.5}}}.Validate(),
		envs.Bandit{Arms: [][]float64{{0.5}, {0.5, 0.5}}}.Validate(), envs.Bandit{Arms: [][]float64{{math.NaN()}}}.Validate(),
	} {
		if _, ok := err.(*bcpace.InputError); !ok {
			t.Errorf("error %v, want an InputError", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
