package eval_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pomdplite"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/data"
	"bayescpace/envs"
)

// chain is Chain with QMDP, POMDP-lite and the optimum.
func chain(discount float64) (eval.ReportedProblem, error) {
	m := envs.Chain{Discount: discount}
	q, err := dp.QMDPPolicy(context.Background(), m)
	if err != nil {
		return eval.ReportedProblem{}, err
	}
	lite, err := pomdplite.Solver{NoBonus: true, Unvalued: true}.Solve(context.Background(), m, bcpace.Control{})
	if err != nil {
		return eval.ReportedProblem{}, err
	}
	return eval.ReportedProblem{Model: m, Policies: []bcpace.Policy{q, lite.Policy, nil}}, nil
}

// reports are the paper's Table 2 for Chain, its Bayes-CPACE for the optimum.
var reports = []data.Reported{
	{Algorithm: "qmdp", Mean: 12.9, HalfWidth: 0.5}, {Algorithm: "pomdp-lite", Mean: 13.0, HalfWidth: 0.1},
	{Algorithm: "bayes-cpace", Mean: 14.3, HalfWidth: 0.1},
}

// TestChain: values of T = 9 and 10 from dynamic programming over sufficient
// statistics, which package eval does not use.
func TestChain(t *testing.T) {
	calls := 0
	g := eval.ReportGrid{Discounts: []float64{0.95, 0.97}, Horizons: []int{8, 9, 10, 11}, Progress: func(int) { calls++ }}
	found, err := eval.SearchReported(t.Context(), g, reports, chain)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 8 || calls != 8 {
		t.Fatalf("%d settings after %d calls of Progress, want 8 and 8", len(found), calls)
	}
	for i, s := range found {
		if s.Discount != g.Discounts[i/4] || s.Horizon != g.Horizons[i%4] {
			t.Errorf("setting %d is γ = %v, T = %d", i, s.Discount, s.Horizon)
		}
	}
	for i, want := range map[int][3]float64{2: {13.71, 13.28, 14.63}, 5: {13.25, 12.85, 14.31}} {
		sum := 0.0
		for k, w := range want {
			if math.Abs(found[i].Values[k]-w) > 0.005 {
				t.Errorf("γ = %v, T = %d: value %d is %v, want %v", found[i].Discount, found[i].Horizon, k, found[i].Values[k], w)
			}
			sum += math.Pow((found[i].Values[k]-reports[k].Mean)/reports[k].HalfWidth, 2)
		}
		if want := math.Sqrt(sum / 3); math.Abs(found[i].Deviation-want) > 1e-12 {
			t.Errorf("deviation %v, want %v", found[i].Deviation, want)
		}
	}
	near := eval.NearestReported(found, 2)
	if len(near) != 2 || near[0].Discount != 0.97 || near[0].Horizon != 9 || near[1].Discount != 0.95 || near[1].Horizon != 10 {
		t.Errorf("the nearest are %+v", near)
	}
	if n := len(eval.NearestReported(found, 100)); n != 8 {
		t.Errorf("%d nearest of 8, want all", n)
	}
	if n := len(eval.NearestReported(found, -1)); n != 0 {
		t.Errorf("%d nearest where -1 are asked for, want none", n)
	}
}

func TestBadInput(t *testing.T) {
	good := eval.ReportGrid{Discounts: []float64{0.9}, Horizons: []int{3}}
	// The reports with another first one, so that nothing else is wrong with them.
	with := func(mean, half float64) []data.Reported {
		return append([]data.Reported{{Algorithm: "qmdp", Mean: mean, HalfWidth: half}}, reports[1:]...)
	}
	for name, c := range map[string]struct {
		grid    eval.ReportGrid
		reports []data.Reported
	}{
		"no discount":    {eval.ReportGrid{Horizons: []int{3}}, reports},
		"no horizon":     {eval.ReportGrid{Discounts: []float64{0.9}}, reports},
		"horizon 0":      {eval.ReportGrid{Discounts: []float64{0.9}, Horizons: []int{0}}, reports},
		"no reports":     {good, nil},
		"two reports":    {good, reports[:2]},
		"no half width":  {good, with(1, 0)},
		"NaN":            {good, with(math.NaN(), 1)},
		"infinite":       {good, with(math.Inf(1), 1)},
		"infinite width": {good, with(1, math.Inf(1))},
		"discount above": {eval.ReportGrid{Discounts: []float64{1.5}, Horizons: []int{3}}, reports},
	} {
		var input *bcpace.InputError
		if _, err := eval.SearchReported(t.Context(), c.grid, c.reports, chain); !errors.As(err, &input) {
			t.Errorf("%s: error %v, want a *bcpace.InputError", name, err)
		}
	}
}

//test:race
func TestErrorsKeepWhatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := eval.ReportGrid{Discounts: []float64{0.9}, Horizons: []int{3, 30, 4}, Progress: func(int) { cancel() }}
	found, err := eval.SearchReported(ctx, g, reports, chain)
	if !errors.Is(err, context.Canceled) || len(found) != 1 {
		t.Errorf("%d settings, %v; want 1 and the context's error", len(found), err)
	}
	broken := errors.New("broken")
	g = eval.ReportGrid{Discounts: []float64{0.9, 0.95}, Horizons: []int{3}}
	found, err = eval.SearchReported(t.Context(), g, reports, func(discount float64) (eval.ReportedProblem, error) {
		if discount == 0.95 {
			return eval.ReportedProblem{}, broken
		}
		return chain(discount)
	})
	if !errors.Is(err, broken) || len(found) != 1 {
		t.Errorf("%d settings, %v; want 1 and the problem's error", len(found), err)
	}
}

func ExampleSearchReported() {
	reports := []data.Reported{{Algorithm: "bayes-cpace", Mean: 14.3, HalfWidth: 0.1}}
	grid := eval.ReportGrid{Discounts: []float64{0.95, 0.97}, Horizons: []int{9, 10}}
	found, err := eval.SearchReported(context.Background(), grid, reports, func(discount float64) (eval.ReportedProblem, error) {
		return eval.ReportedProblem{Model: envs.Chain{Discount: discount}, Policies: []bcpace.Policy{nil}}, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range eval.NearestReported(found, 2) {
		fmt.Printf("γ = %v, T = %d: optimum %.2f\n", s.Discount, s.Horizon, s.Values[0])
	}
	// Output:
	// γ = 0.97, T = 9: optimum 14.31
	// γ = 0.95, T = 10: optimum 14.63
}

func TestReports(t *testing.T) {
	got, err := eval.Reports("chain", "qmdp", "pomdp-lite", "bayes-cpace")
	if err != nil || len(got) != 3 {
		t.Fatalf("%v, %v", got, err)
	}
	for i, want := range reports {
		want.Environment = "chain"
		if got[i] != want {
			t.Errorf("%+v, want %+v", got[i], want)
		}
	}
	var input *bcpace.InputError
	if _, err := eval.Reports("light-dark-tiger continuous", "sarsop"); !errors.As(err, &input) {
		t.Errorf("error %v, want a *bcpace.InputError", err)
	}
}
