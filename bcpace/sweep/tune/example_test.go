package tune_test

import (
	"context"
	"fmt"
	"os"

	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/tune"
)

// Six settings of Algorithm 1 on a short Tiger: the best third by four seeds of 40 episodes gets eight seeds of 100.
func ExampleSpec() {
	folder, err := os.MkdirTemp("", "tune")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	s := tune.Tuning{
		Sweep: sweep.Spec{
			Base: sweep.Trial{Env: "tiger", Set: sweep.Values{"discount": 0.5}, Algorithm: "bayes-cpace",
				Params: sweep.Values{"epsilon": 1, "certificate-episodes": -1}, Eval: &sweep.Eval{Exact: true, Horizon: 10}},
			Grid:  []sweep.Axis{{Key: "params.k", Values: []any{1, 5, 20}}, {Key: "params.lipschitz", Values: []any{10, 60}}},
			Seeds: 8,
		},
		Budget: sweep.Axis{Key: "params.max-episodes", Values: []any{40, 100}},
		Eta:    3,
	}
	s.Folder = folder
	r, err := s.Run(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, at := range r.Rungs {
		fmt.Printf("rung %d: %d settings, %d seeds, %s episodes\n", i+1, at.Settings, at.Seeds, at.Budget)
	}
	best := r.Settings[r.Best]
	fmt.Printf("%q has %q with the mean %.3f, for %v of %v episodes\n", r.Keys, best.Values, best.Mean, r.Cost, r.WholeCost)
	// Output:
	// rung 1: 6 settings, 4 seeds, 40 episodes
	// rung 2: 2 settings, 8 seeds, 100 episodes
	// ["params.k" "params.lipschitz"] has ["20" "10"] with the mean -1.998, for 2560 of 4800 episodes
}
