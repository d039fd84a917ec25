package solvers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/solvers"
	"bayescpace/envs"
)

// TestPlanners: each planner of the list plays, with its defaults and with any of its parameters, and says what is wrong with another.
func TestPlanners(t *testing.T) {
	m, err := envs.NewHidden("light-dark-1d", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range solvers.ListPlanners() {
		t.Run(x.Name, func(t *testing.T) {
			given := [][]bcpace.Param{nil}
			for _, p := range x.Params {
				if p.Doc == "" {
					t.Errorf("parameter %s has no doc", p.Key)
				}
				value := map[string]string{"state-alpha": "0.3", "action-alpha": "0.3", "budget": "5", "random-default": "true"}[p.Key]
				if value == "" {
					value = "40"
				}
				given = append(given, []bcpace.Param{{Key: p.Key, Value: value}})
				if _, err := solvers.NewPlanner(x.Name, []bcpace.Param{{Key: p.Key, Value: "-1"}}, m); !errors.As(err, new(*bcpace.InputError)) {
					t.Errorf("--%s -1: error %v, want an InputError", p.Key, err)
				}
				if _, err := solvers.NewPlanner(x.Name, []bcpace.Param{{Key: p.Key, Value: "much"}}, m); !errors.As(err, new(*bcpace.InputError)) || !strings.Contains(err.Error(), "much") {
					t.Errorf("--%s much: error %v, want an InputError", p.Key, err)
				}
			}
			for _, params := range given {
				if budget := (bcpace.Param{Key: "budget", Value: "4"}); x.Name != "thompson" && (params == nil || params[0].Key != "budget") {
					params = append(params, budget)
				}
				p, err := solvers.NewPlanner(x.Name, params, m)
				if err != nil {
					t.Fatal(err)
				}
				if r, err := hidden.Simulate(t.Context(), m, p, hidden.Options{Episodes: 2, Horizon: 4}); err != nil || r.Episodes != 2 {
					t.Errorf("%v: %d episodes, %v", params, r.Episodes, err)
				}
			}
			if _, err := solvers.NewPlanner(x.Name, []bcpace.Param{{Key: "speed", Value: "1"}}, m); !errors.As(err, new(*bcpace.InputError)) {
				t.Errorf("error %v, want an InputError for an unknown parameter", err)
			}
		})
	}
	if _, err := solvers.NewPlanner("qmdp", nil, m); !errors.As(err, new(*bcpace.InputError)) {
		t.Errorf("error %v, want an InputError for an unknown planner", err)
	}
}

func ExampleNewPlanner() {
	m := plannertest.Guess(0.1)
	p, err := solvers.NewPlanner("pomcpow", []bcpace.Param{{Key: "budget", Value: "400"}}, m)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := hidden.Simulate(context.Background(), m, p, hidden.Options{Episodes: 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("one of %s: %.2f ± %.2f\n", strings.Join(solvers.PlannerNames(), ", "), r.Mean, r.StdErr)
	// Output:
	// one of pomcpow, pomcp, pft, sparse-pft, adaops, despot, thompson: 0.58 ± 0.08
}
