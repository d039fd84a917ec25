package sarsop_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/pomdpfile"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// byStages are the solvers that search by stages.
var byStages = map[string]func(pointbased.Options) pomdp.Solver{
	"pbvi":    func(o pointbased.Options) pomdp.Solver { return pointbased.PBVI(o) },
	"perseus": func(o pointbased.Options) pomdp.Solver { return pointbased.Perseus(o) },
}

// each runs a test for each of them.
func each(t *testing.T, try func(t *testing.T, of func(pointbased.Options) pomdp.Solver)) {
	for name, of := range byStages {
		t.Run(name, func(t *testing.T) { try(t, of) })
	}
}

func solveStages(t testing.TB, ctx context.Context, m *pomdp.Model, s pomdp.Solver, c bcpace.Control) *pomdp.Solution {
	t.Helper()
	found, err := s.SolvePOMDP(ctx, m, c)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestStagesEarns: wherever a search is stopped, the policy earns the lower bound, exactly, by
// vectors that it attains, and the bounds hold the optimal value.
func TestStagesEarns(t *testing.T) {
	each(t, func(t *testing.T, of func(pointbased.Options) pomdp.Solver) {
		const tol = 1e-8
		for seed := range uint64(150) {
			rng := rand.New(rand.NewPCG(seed, 31))
			m := sarsop.Game(rng)
			o := pointbased.Options{Epsilon: 1e-3, Beliefs: 1 + rng.IntN(80), MaxStages: 1 + rng.IntN(60), Seed: seed, Unrevealed: rng.IntN(2) == 0}
			ctx, cancel := context.WithCancel(t.Context())
			c := bcpace.Control{Workers: 1}
			if rng.IntN(3) == 0 {
				most := 1 + rng.IntN(20)
				c.Progress = func(p bcpace.Progress) {
					if p.Episodes == most {
						cancel()
					}
				}
			}
			found := solveStages(t, ctx, m, of(o), c)
			cancel()
			lower, upper := found.Certificate.Lower, found.Certificate.Upper
			if _, high := sarsop.Outlook(found.Model, found.Policy, 300, tol); high < lower-2*tol || found.Value != lower {
				t.Errorf("seed %d: the policy earns at most %v, the lower bound is %v (stop: %s)", seed, high, lower, found.Stop)
			}
			if low, high := sarsop.Outlook(m, nil, 200, tol); lower > high+2*tol || upper < low-2*tol {
				t.Errorf("seed %d: the bounds are [%v, %v], the optimal value is in [%v, %v]", seed, lower, upper, low, high)
			}
			sarsop.CheckClosed(t, fmt.Sprintf("seed %d", seed), found.Model, found.Policy.(*pomdp.VectorPolicy), rng)
		}
	})
}

// TestSmallGap: with enough beliefs, the lower bound is the optimal value where few beliefs
// follow the start, or a discount makes far ones worth little.
func TestSmallGap(t *testing.T) {
	each(t, func(t *testing.T, of func(pointbased.Options) pomdp.Solver) {
		judged, near := 0, 0
		for seed := range uint64(100) {
			rng := rand.New(rand.NewPCG(seed, 32))
			m := sarsop.Game(rng)
			m.Discount = .5
			low, _ := sarsop.Outlook(m, nil, 400, 1e-8)
			found := solveStages(t, t.Context(), m, of(pointbased.Options{Epsilon: 1e-4, Beliefs: 200, Seed: seed}), bcpace.Control{Workers: 1})
			judged++
			if found.Value >= low-1e-2 {
				near++
			}
		}
		if near < judged*97/100 {
			t.Errorf("%d of %d lower bounds are near the optimal value", near, judged)
		}
	})
}

// TestFiles: the lower bounds on the files of package data are those of SARSOP, to 1 %.
func TestFiles(t *testing.T) {
	for _, name := range []string{"tiger.pomdp", "tiger.pomdpx", "chain.pomdp", "chain.pomdpx", "light-dark-tiger.pomdp", "light-dark-tiger.pomdpx"} {
		m, err := pomdpfile.ReadFile(t.Context(), filepath.Join("../../../data", name))
		if err != nil {
			t.Fatal(err)
		}
		want := solveStages(t, t.Context(), m, sarsop.Solver{Epsilon: 1e-3}, bcpace.Control{}).Certificate
		each(t, func(t *testing.T, of func(pointbased.Options) pomdp.Solver) {
			found := solveStages(t, t.Context(), m, of(pointbased.Options{Epsilon: 1e-3, Beliefs: 400}), bcpace.Control{})
			if c := found.Certificate; c.Lower < 0.99*want.Lower || c.Lower > want.Upper || c.Upper < want.Lower {
				t.Errorf("%s: [%v, %v], want a lower bound near that of [%v, %v]", name, c.Lower, c.Upper, want.Lower, want.Upper)
			}
		})
	}
}

// TestStagesWorkers: the result does not depend on the number of workers. The model is large enough
// that they share work.
func TestStagesWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	rng := rand.New(rand.NewPCG(1, 2))
	m := pomdptest.Random(rng, 2, 120, 0.9)
	for len(m.Actions) < 3 || len(m.Observations) < 3 {
		m = pomdptest.Random(rng, 2, 120, 0.9)
	}
	each(t, func(t *testing.T, of func(pointbased.Options) pomdp.Solver) {
		s := of(pointbased.Options{Beliefs: 40, MaxStages: 6, Seed: 3})
		first := solveStages(t, t.Context(), m, s, bcpace.Control{Workers: 1})
		for _, workers := range []int{2, 3, 0} {
			if again := solveStages(t, t.Context(), m, s, bcpace.Control{Workers: workers}); !reflect.DeepEqual(first, again) {
				t.Errorf("%d workers: %+v, with one %+v", workers, again.Certificate, first.Certificate)
			}
		}
	})
}

// TestSeeds: another seed makes other beliefs.
func TestSeeds(t *testing.T) {
	each(t, func(t *testing.T, of func(pointbased.Options) pomdp.Solver) {
		differ := 0
		for seed := range uint64(20) {
			m := pomdptest.Random(rand.New(rand.NewPCG(seed, 36)), 2, 40, 0.9)
			policy := func(seed uint64) pomdp.Policy {
				return solveStages(t, t.Context(), m, of(pointbased.Options{Beliefs: 10, MaxStages: 20, Seed: seed}), bcpace.Control{}).Policy
			}
			if !reflect.DeepEqual(policy(1), policy(2)) {
				differ++
			}
		}
		if differ < 5 {
			t.Errorf("seeds 1 and 2 find different policies in %d of 20 models, want 5", differ)
		}
	})
}

// TestProgress: the lower bound never falls, and the trace ends where the search does.
func TestProgress(t *testing.T) {
	each(t, func(t *testing.T, of func(pointbased.Options) pomdp.Solver) {
		for seed := range uint64(10) {
			m := pomdptest.Random(rand.New(rand.NewPCG(seed, 33)), 2, 5, .9)
			last := bcpace.Progress{Gap: math.Inf(1)}
			found := solveStages(t, t.Context(), m, of(pointbased.Options{Epsilon: 1e-3, Beliefs: 50, Seed: seed}), bcpace.Control{Progress: func(p bcpace.Progress) {
				if p.Phase != "" {
					return
				}
				if p.Gap > last.Gap || p.Episodes != last.Episodes+1 || p.Samples < last.Samples {
					t.Errorf("%+v follows %+v", p, last)
				}
				last = p
			}})
			if end := found.Trace[len(found.Trace)-1]; end.Episodes > 0 && end != last || end.Gap != found.Certificate.Upper-found.Certificate.Lower {
				t.Errorf("the trace ends with %+v, the search with %+v: %+v", end, last, found.Certificate)
			}
		}
	})
}

// TestStagesStops: each limit ends a search and is named.
func TestStagesStops(t *testing.T) {
	tiger := pomdptest.Tiger()
	sure := *tiger // the state is known, so that the initial bounds meet
	sure.Start, sure.Sense = []pomdp.Entry{{At: 0, Value: 1}}, []*pomdp.Matrix{pomdptest.Matrix([]float64{1, 0}, []float64{0, 1}), tiger.Sense[1], tiger.Sense[2]}
	each(t, func(t *testing.T, of func(pointbased.Options) pomdp.Solver) {
		for want, c := range map[stop.Reason]struct {
			m *pomdp.Model
			o pointbased.Options
		}{
			stop.Episodes:  {tiger, pointbased.Options{MaxStages: 3}},
			stop.Samples:   {tiger, pointbased.Options{Epsilon: 1, Beliefs: 5}},
			stop.Converged: {tiger, pointbased.Options{Epsilon: 1e-3}},
			stop.Certified: {&sure, pointbased.Options{Epsilon: 100}},
		} {
			if found := solveStages(t, t.Context(), c.m, of(c.o), bcpace.Control{}); found.Stop != want {
				t.Errorf("%+v: stop %q, want %q", c.o, found.Stop, want)
			}
		}
	})
}

// TestStagesInterrupted: what is known when the context ends is returned, however soon.
//
//test:race
func TestStagesInterrupted(t *testing.T) {
	each(t, func(t *testing.T, of func(pointbased.Options) pomdp.Solver) {
		ctx, cancel := context.WithCancel(t.Context())
		found := solveStages(t, ctx, pomdptest.Tiger(), of(pointbased.Options{}), bcpace.Control{Progress: func(p bcpace.Progress) {
			if p.Episodes == 5 {
				cancel()
			}
		}})
		if found.Stop != stop.Interrupted || found.Trace[len(found.Trace)-1].Episodes != 5 {
			t.Errorf("stop %q after %+v", found.Stop, found.Trace)
		}
		if found = solveStages(t, ctx, pomdptest.Tiger(), of(pointbased.Options{}), bcpace.Control{}); found.Stop != stop.Interrupted {
			t.Errorf("stop %q at once", found.Stop)
		}
		if c := found.Certificate; !(c.Lower <= 19.3714 && c.Upper >= 19.3713) || found.Policy.Act(0, []float64{.5, .5}) < 0 {
			t.Errorf("%+v at once", c)
		}
	})
}

// TestStagesHorizon: a number of steps without a discount is solved too.
func TestStagesHorizon(t *testing.T) {
	m := pomdptest.Tiger()
	m.Discount, m.Horizon = 1, 4
	each(t, func(t *testing.T, of func(pointbased.Options) pomdp.Solver) {
		found := solveStages(t, t.Context(), m, of(pointbased.Options{Epsilon: 1e-6}), bcpace.Control{})
		if want := 2.42125; math.Abs(found.Value-want) > 1e-6 { // by exact rational arithmetic over beliefs
			t.Errorf("the value of 4 steps is %v, want %v", found.Value, want)
		}
	})
}

//test:race
func TestStagesErrors(t *testing.T) {
	each(t, func(t *testing.T, of func(pointbased.Options) pomdp.Solver) {
		for what, c := range map[string]struct {
			m *pomdp.Model
			o pointbased.Options
			c bcpace.Control
		}{
			"Epsilon":   {m: pomdptest.Tiger(), o: pointbased.Options{Epsilon: math.NaN()}},
			"Beliefs":   {m: pomdptest.Tiger(), o: pointbased.Options{Beliefs: -1}},
			"MaxStages": {m: pomdptest.Tiger(), o: pointbased.Options{MaxStages: -1}},
			"Workers":   {m: pomdptest.Tiger(), c: bcpace.Control{Workers: -1}},
			"the POMDP": {},
		} {
			input := (*bcpace.InputError)(nil)
			if _, err := of(c.o).SolvePOMDP(t.Context(), c.m, c.c); !errors.As(err, &input) || input.What != what {
				t.Errorf("%s: error %v", what, err)
			}
		}
		m := pomdptest.Tiger()
		m.Discount = 1
		if _, err := of(pointbased.Options{}).SolvePOMDP(t.Context(), m, bcpace.Control{}); !errors.As(err, new(*bcpace.UnsupportedError)) {
			t.Errorf("γ = 1 without a horizon: error %v", err)
		}
		noise := envs.LightDarkTiger{Sigma: 0.1}
		if _, err := of(pointbased.Options{}).Solve(t.Context(), noise, bcpace.Control{}); !errors.As(err, new(*bcpace.UnsupportedError)) {
			t.Errorf("real positions: error %v", err)
		}
	})
}
