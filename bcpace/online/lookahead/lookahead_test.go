package lookahead_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// TestReturns: with so many expansions a decision, the policy earns what an optimal one earns
// in the same episodes, within 2 %.
func TestReturns(t *testing.T) {
	for _, x := range []struct {
		m      bcpace.Model
		budget int
	}{{envs.Tiger{}, 100}, {envs.Chain{}, 30}, {envs.LightDarkTiger{}, 300}} {
		found, _ := plannertest.Solve(t, lookahead.Solver{Budget: bcpace.Budget{Simulations: x.budget}}, x.m)
		best, err := certified.Solver{Epsilon: 1e-3}.Solve(t.Context(), x.m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		var means []float64
		for _, p := range []bcpace.Policy{found.Policy, best.Policy} {
			r, err := eval.Rollouts(t.Context(), x.m, p, eval.Options{Episodes: 300, Horizon: 100, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			means = append(means, r.Mean)
		}
		if means[0] < 0.98*means[1] {
			t.Errorf("%s: mean return %v, want that of an optimal policy, %v, within 2 %%", x.m.Spec().Name, means[0], means[1])
		}
	}
}

// TestReuse: what a decision learned stays, so that the next one, without more expansions
// than one, has an interval no longer than what the last one had there, and the search of the
// whole episode is the same for any number of workers.
func TestReuse(t *testing.T) {
	m := envs.Tiger{}
	_, long := plannertest.Solve(t, lookahead.Solver{Budget: bcpace.Budget{Simulations: 300}}, m)
	_, fresh := plannertest.Solve(t, lookahead.Solver{Budget: bcpace.Budget{Simulations: 300}}, m)
	sim, rng := bcpace.NewSimulator(m), rand.New(rand.NewPCG(3, 3))
	if err := sim.Reset(rng); err != nil {
		t.Fatal(err)
	}
	long.Begin(sim.State, sim.Belief)
	shorter := 0
	for range 40 {
		a, err := long.Plan(t.Context(), sim.State, sim.Belief, rng)
		b, err2 := fresh.Plan(t.Context(), sim.State, sim.Belief, rng)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if a.Upper < b.Lower || b.Upper < a.Lower {
			t.Fatalf("intervals [%v, %v] and [%v, %v] of one value are apart", a.Lower, a.Upper, b.Lower, b.Upper)
		}
		if a.Upper-a.Lower < b.Upper-b.Lower {
			shorter++
		}
		reward, err := sim.Step(a.Action, rng)
		if err != nil {
			t.Fatal(err)
		}
		long.Observe(a.Action, reward, sim.State)
	}
	if shorter < 30 {
		t.Errorf("%d of 40 intervals are shorter where the search goes on, want 30", shorter)
	}
	var means []float64
	for _, workers := range []int{1, 3} {
		found, _ := plannertest.Solve(t, lookahead.Solver{Budget: bcpace.Budget{Simulations: 20}}, m)
		r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 30, Horizon: 30, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		means = append(means, r.Mean)
	}
	if means[0] != means[1] {
		t.Errorf("mean return %v with one worker, %v with three", means[0], means[1])
	}
}

// TestBoundsOfARun: with the bounds of a certified run, a decision at the start needs no
// search, and its interval is that of the run.
func TestBoundsOfARun(t *testing.T) {
	r, err := runs.Explore(t.Context(), envs.Chain{}, certified.Solver{Epsilon: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	bounds, err := lookahead.Of(r)
	if err != nil {
		t.Fatal(err)
	}
	_, p := plannertest.Solve(t, lookahead.Solver{Bounds: bounds, Epsilon: 0.02}, envs.Chain{})
	d, err := p.Plan(t.Context(), []float64{1}, bcpace.Uniform(3), rand.New(rand.NewPCG(1, 1)))
	if err != nil || d.Simulations > 1 || math.Abs(d.Lower-r.Certificate.Lower) > 1e-3 || math.Abs(d.Upper-r.Certificate.Upper) > 1e-3 {
		t.Errorf("%+v, %v: want the bounds of the run, %+v", d, err, r.Certificate)
	}
	explored, err := runs.Explore(t.Context(), envs.Chain{}, cpace.Solver{Epsilon: 5, MaxEpisodes: 10})
	if err != nil {
		t.Fatal(err)
	}
	_, err = lookahead.Of(explored)
	if unsupported := new(bcpace.UnsupportedError); !errors.As(err, &unsupported) {
		t.Errorf("a run of Bayes-CPACE: error %v, want an UnsupportedError", err)
	}
}

// TestSettled: a decision ends where its interval is short or one action is best.
func TestSettled(t *testing.T) {
	tiger := envs.Tiger{}
	_, p := plannertest.Solve(t, lookahead.Solver{Budget: bcpace.Budget{Simulations: 1e6}}, tiger)
	rng := rand.New(rand.NewPCG(1, 1))
	d, err := p.Plan(t.Context(), []float64{2}, bcpace.Belief{0.999, 0.001}, rng)
	if err != nil || d.Action != 2 || d.Simulations > 1000 {
		t.Errorf("%+v, %v: want to open the right door after a short search", d, err)
	}
	_, p = plannertest.Solve(t, lookahead.Solver{Budget: bcpace.Budget{Simulations: 1e6}, Epsilon: 40}, tiger)
	if d, err = p.Plan(t.Context(), []float64{0}, bcpace.Belief{0.5, 0.5}, rng); err != nil || d.Upper-d.Lower > 40.1 {
		t.Errorf("%+v, %v: want an interval of 40 at most", d, err)
	}
}

func TestErrors(t *testing.T) {
	plannertest.Refuses(t, envs.Tiger{}, []lookahead.Solver{{Epsilon: -1}, {Epsilon: math.NaN()}, {Budget: bcpace.Budget{Simulations: -1}}})
	plannertest.LacksSupport(t, lookahead.Solver{}, struct{ bcpace.Model }{envs.Tiger{}})
	ctx, cancel := context.WithCancel(t.Context())
	_, p := plannertest.Solve(t, lookahead.Solver{}, envs.Tiger{})
	cancel()
	if d, err := p.Plan(ctx, []float64{0}, bcpace.Belief{0.5, 0.5}, rand.New(rand.NewPCG(1, 1))); !errors.Is(err, context.Canceled) || d.Action < 0 || d.Lower > d.Upper {
		t.Errorf("%+v, error %v: want an action and the error of the context", d, err)
	}
}

// level are bounds of 7, of which the lower one is raised: at the start and beyond it.
type level struct{ start, beyond float64 }

func (l level) Lower(s []float64, _ bcpace.Belief) (float64, int) {
	if s[0] == 1 {
		return 7 + l.start, 0
	}
	return 7 + l.beyond, 0
}

func (level) Upper([]float64, bcpace.Belief) float64 { return 7 }

// TestCrossedBounds: bounds that cross by rounding are used, and others are an error that has the state and both numbers, wherever they are
// asked for.
func TestCrossedBounds(t *testing.T) {
	for _, x := range []struct {
		bounds  level
		crossed float64 // the lower one; 0 of bounds that hold
	}{{level{}, 0}, {level{1e-10, 1e-10}, 0}, {level{-5, 1e-10}, 0}, {level{1, 0}, 8}, {level{-5, 2}, 9}, {level{-5, math.NaN()}, math.NaN()}} {
		found, err := lookahead.Solver{Bounds: x.bounds, Budget: bcpace.Budget{Simulations: 20}}.Solve(t.Context(), envs.Chain{}, bcpace.Control{})
		if err == nil {
			p := bcpace.PolicyAbilitiesOf(found.Policy)
			_, err = p.Plan(t.Context(), []float64{1}, bcpace.Belief{1. / 3, 1. / 3, 1. / 3}, rand.New(rand.NewPCG(1, 1)))
		}
		if fault := new(bcpace.ConformanceError); x.crossed == 0 && err != nil || x.crossed != 0 && (!errors.As(err, &fault) || fault.State == nil || !strings.Contains(err.Error(), fmt.Sprintf("are %v and 7, want", x.crossed))) {
			t.Errorf("%+v: %v", x, err)
		}
	}
}
