package solvertest

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/despot"
	"bayescpace/bcpace/online/pomcp"
	"bayescpace/bcpace/online/pomcpow"
	"bayescpace/bcpace/solvers"
	"bayescpace/envs"
)

// budget is the setting of a planner's budget.
func budget(b string) map[string]string { return map[string]string{"budget": b} }

// planners tries every planner of the registry with the settings that it has.
func planners(t *testing.T, settings map[string]string, m bcpace.Model, try func(t *testing.T, p bcpace.PolicyAbilities, own bcpace.Policy)) {
	for _, x := range solvers.List() {
		if !x.Plans() {
			continue
		}
		t.Run(x.Name, func(t *testing.T) {
			s, err := solvers.New(x.Name, m)
			for key, value := range settings {
				if _, has := x.Param(key); err == nil && (has || key == "budget") {
					s, err = solvers.Set(s, key, value)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			found, err := s.Solve(t.Context(), m, bcpace.Control{})
			if errors.As(err, new(*bcpace.ConformanceError)) && isBroken(m) {
				return // it shows in the set-up
			}
			if err != nil {
				t.Fatal(err)
			}
			p := bcpace.PolicyAbilitiesOf(found.Policy)
			if p.Plan == nil {
				t.Fatalf("%T does not plan", found.Policy)
			}
			try(t, p, found.Policy)
		})
	}
}

// A planner plays the same episodes, bit for bit, with any number of workers, and again; a
// model with a horizon is played to that. DESPOT has few scenarios here, with which it is as
// much faster; TestPlannersDeterminism has all.
func TestPlannersDeterminismOfFewScenarios(t *testing.T) {
	planSame(t, "3")
}

// planSame expects the same episodes of every planner with any number of workers. A planner
// with scenarios has as many as are given, or its own number where that is "".
func planSame(t *testing.T, scenarios string) {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.Chain{}} {
		settings := map[string]string{"budget": "40"}
		if scenarios != "" {
			settings["scenarios"] = scenarios
		}
		planners(t, settings, m, func(t *testing.T, _ bcpace.PolicyAbilities, p bcpace.Policy) {
			var first eval.Result
			for i, workers := range []int{1, 3, 8, 1} {
				r, err := eval.Rollouts(t.Context(), m, p, eval.Options{Episodes: 10, Horizon: 10, Seed: 5, Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				r.Elapsed = 0
				if r.Timed || r.Simulations == 0 || r.Simulations > 40*r.Steps {
					t.Errorf("%d simulations in %d steps, timed %v", r.Simulations, r.Steps, r.Timed)
				}
				if i == 0 {
					first = r
				} else if !reflect.DeepEqual(first, r) {
					t.Errorf("%d workers: %+v, want %+v", workers, r, first)
				}
			}
		})
	}
}

// Cut off in the middle of a decision, a planner returns soon, with an action; episodes that
// were whole stay, and no goroutine does. A decision of an hour ends within seconds on a busy
// machine, and within 10 ms on a quiet one: see BenchmarkCancel.
//
//test:race
func TestPlannersEnd(t *testing.T) {
	m, err := envs.RockSample{}.Model() // where no search is at its end soon
	if err != nil {
		t.Fatal(err)
	}
	starts, err := bcpace.StartsOf(m)
	if err != nil {
		t.Fatal(err)
	}
	s, b := starts[0].State, starts[0].Belief
	planners(t, budget("1h"), m, func(t *testing.T, p bcpace.PolicyAbilities, own bcpace.Policy) {
		before := runtime.NumGoroutine()
		spec := m.Spec()
		var ctx context.Context
		var d bcpace.Decision
		var err error
		for within := 20 * time.Millisecond; within < time.Minute && d.Simulations == 0; within *= 2 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(t.Context(), within)
			defer cancel()
			d, err = p.Plan(ctx, s, b, rand.New(rand.NewPCG(1, 1)))
		}
		if !errors.Is(err, context.DeadlineExceeded) || !spec.IsAction(d.Action) || d.Simulations == 0 || !d.Timed {
			t.Errorf("%+v, %v", d, err)
		}
		if d, err = p.Plan(ctx, s, b, rand.New(rand.NewPCG(1, 1))); err == nil || !spec.IsAction(d.Action) {
			t.Errorf("ended before: %+v, %v", d, err)
		}
		if a, err := p.Act(ctx, s, b, rand.New(rand.NewPCG(1, 1))); err == nil || !spec.IsAction(a) {
			t.Errorf("Act of a planner that has no time: %d, %v", a, err)
		}
		short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		r, err := eval.Rollouts(short, m, own, eval.Options{Episodes: 8, Horizon: 3, Workers: 4})
		if !errors.Is(err, context.DeadlineExceeded) || r.Episodes != 0 {
			t.Errorf("%d episodes, %v", r.Episodes, err)
		}
		for wait := 0; runtime.NumGoroutine() > before && wait < 1000; wait++ {
			time.Sleep(time.Millisecond)
		}
		if n := runtime.NumGoroutine(); n > before {
			t.Errorf("%d goroutines, %d before", n, before)
		}
	})
}

// A simulation that takes days ends with the context, and with the time of the budget, and
// leaves an action and a tree that can be shown. The decision has all the actions of a list.
//
//test:race
func TestPlannersLongSimulations(t *testing.T) {
	m := envs.Chain{} // whose episodes never end
	spec := m.Spec()
	starts, err := bcpace.StartsOf(m)
	if err != nil {
		t.Fatal(err)
	}
	s, b := starts[0].State, starts[0].Belief
	for _, limit := range []time.Duration{0, 20 * time.Millisecond} {
		long := bcpace.Budget{Simulations: 1000, Time: limit, Depth: 1 << 40}
		for _, x := range []bcpace.Solver{pomcp.Solver{Budget: long}, pomcp.Solver{Budget: long, Rollout: online.RandomRollout}, pomcpow.Solver{Budget: long}, despot.Solver{Budget: long}} {
			found, err := x.Solve(t.Context(), m, bcpace.Control{})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), max(20*time.Millisecond, 1000*limit))
			defer cancel()
			p := bcpace.PolicyAbilitiesOf(found.Policy)
			begin := time.Now()
			d, err := p.Plan(ctx, s, b, rand.New(rand.NewPCG(1, 1)))
			if took := time.Since(begin); took > 10*time.Second {
				t.Errorf("%s took %v", x.Name(), took)
			}
			if want := ctx.Err(); !errors.Is(err, want) || (want == nil) != (limit > 0) {
				t.Errorf("%s within %v: %v, want %v", x.Name(), limit, err, want)
			}
			if !spec.IsAction(d.Action) || len(d.Actions) != len(spec.Actions) || len(d.Q) != len(d.Actions) || len(d.Visits) != len(d.Actions) {
				t.Errorf("%s: %+v", x.Name(), d)
			}
			nodes, err := p.Nodes(10)
			if err != nil {
				t.Errorf("%s: %v", x.Name(), err)
			}
			for _, n := range nodes {
				if !(n.Prob > 0 && n.Prob <= 1) {
					t.Errorf("%s: a node has probability %v", x.Name(), n.Prob)
				}
			}
		}
	}
}

// A decision has all the actions of a list, also where a search has nothing to compare, as with
// one latent.
func TestPlannersActions(t *testing.T) {
	m, err := bcpace.FromTables(bcpace.Tables{Discount: 0.9, P: [][][][]float64{{{{1}}, {{1}}}}, R: [][][]float64{{{0}, {1}}}})
	if err != nil {
		t.Fatal(err)
	}
	planners(t, budget("5"), m, func(t *testing.T, p bcpace.PolicyAbilities, _ bcpace.Policy) {
		d, err := p.Plan(t.Context(), []float64{0}, bcpace.Belief{1}, rand.New(rand.NewPCG(1, 1)))
		if err != nil || d.Action != 1 || !slices.Equal(d.Actions, []int{0, 1}) || len(d.Q) != 2 || len(d.Visits) != 2 {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

// What is no state or belief of the model is an error and no action, and an exact value is
// refused.
func TestPlannersInput(t *testing.T) {
	m := envs.Tiger{}
	planners(t, budget("5"), m, func(t *testing.T, p bcpace.PolicyAbilities, own bcpace.Policy) {
		rng := rand.New(rand.NewPCG(1, 1))
		for _, x := range []struct {
			s []float64
			b bcpace.Belief
		}{
			{nil, bcpace.Belief{0.5, 0.5}}, {[]float64{0, 0}, bcpace.Belief{0.5, 0.5}}, {[]float64{7}, bcpace.Belief{0.5, 0.5}},
			{[]float64{0}, nil}, {[]float64{0}, bcpace.Belief{0.5, 0.6}}, {[]float64{0}, bcpace.Belief{1}},
		} {
			if _, err := p.Plan(t.Context(), x.s, x.b, rng); !errors.As(err, new(*bcpace.InputError)) {
				t.Errorf("%v, %v: %v, want an InputError", x.s, x.b, err)
			}
			if a := own.Act(x.s, x.b, rng); a != -1 {
				t.Errorf("%v, %v: action %d", x.s, x.b, a)
			}
		}
		s, b := []float64{0}, bcpace.Belief{0.5, 0.5}
		var none context.Context
		if _, err := p.Plan(none, s, b, rng); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("without a context: %v, want an InputError", err)
		}
		if _, err := p.Plan(t.Context(), s, b, nil); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("without random numbers: %v, want an InputError", err)
		}
		if _, err := eval.Evaluate(t.Context(), m, own, eval.ExactOptions{}); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("exact evaluation: %v, want an InputError", err)
		}
	})
}

// broken is a Tiger that pays a reward out of its range, or panics.
type broken struct {
	envs.Tiger
	panics bool
}

func (m broken) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	out := m.Tiger.Step(next, s, latent, action, rng)
	if m.panics {
		panic("broken")
	}
	out.Reward = 1000
	return out
}

func (m broken) Successors(z *bcpace.Successors, s []float64, action int) {
	m.Tiger.Successors(z, s, action)
	if m.panics {
		panic("broken")
	}
	_, _, reward := z.Row(0)
	reward[0] = 1000
}

func isBroken(m bcpace.Model) bool {
	_, is := m.(broken)
	return is
}

// A model that breaks its contract in a simulation is an error that says so.
func TestPlannersFault(t *testing.T) {
	for _, panics := range []bool{false, true} {
		planners(t, budget("50"), broken{panics: panics}, func(t *testing.T, p bcpace.PolicyAbilities, _ bcpace.Policy) {
			d, err := p.Plan(t.Context(), []float64{0}, bcpace.Belief{0.5, 0.5}, rand.New(rand.NewPCG(1, 1)))
			if !errors.As(err, new(*bcpace.ConformanceError)) {
				t.Errorf("panics %v: %+v, %v, want a ConformanceError", panics, d, err)
			}
			if d.Action != -1 {
				t.Errorf("panics %v: action %d beside %v", panics, d.Action, err)
			}
		})
	}
}

// BenchmarkCancel measures how long after the end of its context a decision returns.
func BenchmarkCancel(b *testing.B) {
	s, err := solvers.New("pomcp", envs.Tiger{})
	if err == nil {
		s, err = solvers.Set(s, "budget", "1h")
	}
	if err != nil {
		b.Fatal(err)
	}
	found, err := s.Solve(b.Context(), envs.Tiger{}, bcpace.Control{})
	if err != nil {
		b.Fatal(err)
	}
	p := bcpace.PolicyAbilitiesOf(found.Policy)
	late := time.Duration(0)
	for b.Loop() {
		ctx, cancel := context.WithTimeout(b.Context(), 5*time.Millisecond)
		end, _ := ctx.Deadline()
		_, _ = p.Plan(ctx, []float64{0}, bcpace.Belief{0.5, 0.5}, rand.New(rand.NewPCG(1, 1)))
		late = max(late, time.Since(end))
		cancel()
	}
	b.ReportMetric(float64(late.Microseconds())/1000, "ms-late-at-most")
}
