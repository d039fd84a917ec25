package vectors_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/online/pft"
	"bayescpace/bcpace/online/pomcpow"
)

// planners are those of both packages, with so many simulations.
func planners(t *testing.T, m *hidden.Model, simulations int) map[string]hidden.Planner {
	budget := bcpace.Budget{Simulations: simulations, Depth: 15}
	all := map[string]hidden.Planner{}
	for name, of := range map[string]func(*hidden.Model) (hidden.Planner, error){
		"POMCPOW":    pomcpow.Solver{Budget: budget}.Planner,
		"PFT-DPW":    pft.Solver{Budget: budget, Particles: 20}.Planner,
		"Sparse-PFT": pft.Solver{Budget: budget, Particles: 20, Width: 6}.Planner,
	} {
		p, err := of(m)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = p
	}
	return all
}

// TestPlannersGoToTheLight: planners earn what needs a look at the light first: an agent that stops without one earns −8.8, and
// they some 3 with a standard error of .5. So a correct program fails with probability below 10⁻⁶.
func TestPlannersGoToTheLight(t *testing.T) {
	m := lightDark()
	for name, p := range planners(t, m, 1000) {
		episodes := 60
		if name != "POMCPOW" { // what it earns varies, that of others hardly
			episodes = 15
		}
		r, err := hidden.Simulate(t.Context(), m, p, hidden.Options{Episodes: episodes, Horizon: 40, Filter: hidden.Particles{Number: 300}})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s earns %.2f ± %.2f", name, r.Mean, r.StdErr)
		if r.Mean < 0 {
			t.Errorf("%s earns %.2f ± %.2f, want more than 0", name, r.Mean, r.StdErr)
		}
	}
}

// TestPlannersAgain: a decision by simulations is the same again, and in whatever order forks make it.
//
//test:race
func TestPlannersAgain(t *testing.T) {
	m := lightDark()
	for name, p := range planners(t, m, 200) {
		var all [2]eval.Result
		for i, workers := range []int{1, 3} {
			var err error
			if all[i], err = hidden.Simulate(t.Context(), m, p, hidden.Options{Episodes: 6, Horizon: 10, Workers: workers, Filter: hidden.Particles{Number: 100}}); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(all[0].Returns, all[1].Returns) {
			t.Errorf("%s returns %v with one worker, %v with three", name, all[0].Returns, all[1].Returns)
		}
	}
}

// TestPlannersEnd: a context that has ended ends a decision with its error, and parameters that cannot be used are refused.
//
//test:race
func TestPlannersEnd(t *testing.T) {
	m := lightDark()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, p := range planners(t, m, 1<<30) {
		if _, err := hidden.Simulate(ended, m, p, hidden.Options{Episodes: 1}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that the context has ended", name, err)
		}
	}
	input := new(bcpace.InputError)
	for _, o := range []pomcpow.Solver{{StateK: -1}, {ActionAlpha: 1}, {Exploration: math.NaN()}, {Budget: bcpace.Budget{Simulations: -1}}} {
		if _, err := o.Planner(m); !errors.As(err, &input) {
			t.Errorf("%+v: %v, want an InputError", o, err)
		}
	}
	for _, o := range []pft.Solver{{Particles: -1}, {Width: 1, StateK: 2}, {StateAlpha: 2}} {
		if _, err := o.Planner(m); !errors.As(err, &input) {
			t.Errorf("%+v: %v, want an InputError", o, err)
		}
	}
	m.LogDensity = nil
	if _, err := (pft.Solver{}).Planner(m); !errors.As(err, new(*bcpace.UnsupportedError)) {
		t.Errorf("without a density: %v, want an UnsupportedError", err)
	}
}

// TestPOMCPOWValue: a hidden vector that comes to a node with what was seen is not weighted by that again. Else one look would be
// believed too much, and be worth 0.58 in the place of 0.35. The mean of six decisions is off by the largest of noisy values too.
func TestPOMCPOWValue(t *testing.T) {
	const wrong = 0.3
	want := guessValue(wrong, 9)
	for name, s := range map[string]pomcpow.Solver{"POMCP": {NoWidening: true}, "POMCPOW": {}} {
		s.Budget = bcpace.Budget{Simulations: 40_000, Depth: 10}
		m := plannertest.Guess(wrong)
		b := plannertest.Begin(t, m, []float64{0})
		sum, decisions := 0.0, 6
		for seed := range decisions {
			d, err := planner(t, s.Planner, m).Plan(t.Context(), []float64{0}, b, rand.New(rand.NewPCG(uint64(seed), 1)))
			if err != nil {
				t.Fatal(err)
			}
			sum += d.Q[0] / float64(decisions)
		}
		if math.Abs(sum-want) > 0.04 {
			t.Errorf("%s: a look is worth %v, want %v", name, sum, want)
		}
	}
}

// TestSparsePFTValue: with many particles and next beliefs, the value of Sparse-PFT at the start is near that of the problem, by exact dynamic
// programming. The seeds are fixed.
func TestSparsePFTValue(t *testing.T) {
	for _, wrong := range []float64{0.1, 0.2, 0.3} {
		want := guessValue(wrong, 5)
		if v := valueOf(t, wrong); math.Abs(v-want) > 0.06 {
			t.Errorf("a look that errs with probability %v is worth %v, want %v", wrong, v, want)
		}
	}
}

// valueOf returns the mean over decisions of what a look is worth to Sparse-PFT.
func valueOf(t *testing.T, wrong float64) (sum float64) {
	t.Helper()
	m := plannertest.Guess(wrong)
	b := plannertest.Begin(t, m, []float64{0})
	const decisions = 8
	for seed := range uint64(decisions) {
		d, err := planner(t, pft.Solver{Particles: 200, Width: 12, Budget: bcpace.Budget{Simulations: 3000, Depth: 6}}.Planner, m).Plan(t.Context(), []float64{0}, b, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		sum += d.Q[0] / decisions
	}
	return sum
}
