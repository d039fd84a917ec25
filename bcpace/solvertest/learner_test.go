package solvertest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/beb"
	"bayescpace/bcpace/baseline/boss"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/online/thompson"
	"bayescpace/envs"
)

// In the double loop learners earn about what Guez, Silver and Dayan (2012) report: 386 of beb with β
// chosen for it, where it earns 390; 371.5 of SBOSS, where BOSS and SBOSS earn 367 and 382 with standard
// deviations of 7 and 4. Thompson sampling earns 377 with one of 11.
func TestLearnersInDoubleLoop(t *testing.T) {
	for _, x := range []struct {
		s      bcpace.Solver
		trials int
		least  float64
	}{
		{beb.Solver{}, 1, 386}, {boss.Solver{}, 20, 355}, {boss.Solver{Smarter: true}, 20, 375},
		{thompson.Solver{}, 20, 362},
	} {
		t.Run(fmt.Sprintf("%+v", x.s), func(t *testing.T) { earnsInDoubleLoop(t, x.s, x.trials, x.least) })
	}
}

//test:race
func TestLearnersPlayTheSame(t *testing.T) {
	for _, s := range []bcpace.Solver{beb.Solver{}, boss.Solver{Known: 2}, boss.Solver{Smarter: true}, thompson.Solver{}} {
		t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) { playsTheSame(t, s) })
	}
}

func TestLearnersToldTheLatent(t *testing.T) {
	for _, x := range []struct {
		s    bcpace.Solver
		most float64
	}{{beb.Solver{NoBonus: true}, 1e-3}, {boss.Solver{}, 1e-3}, {boss.Solver{Smarter: true}, 1e-3}, {thompson.Solver{}, 1e-6}} {
		t.Run(fmt.Sprintf("%+v", x.s), func(t *testing.T) { isToldTheLatent(t, x.s, x.most) })
	}
}

// playsTheSame tests that a solver plays the same episodes with any number of workers where it
// learns transitions, and others with another seed.
func playsTheSame(t *testing.T, s bcpace.Solver) {
	t.Helper()
	m := plannertest.Paths(t, bcpace.TransitionPrior{})
	found, err := s.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	play := func(workers int, seed uint64) float64 {
		r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 6, Horizon: 60, Seed: seed, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		return r.MeanTotal + r.Mean
	}
	want := play(1, 1)
	for _, workers := range []int{1, 2, 5} {
		if got := play(workers, 1); got != want {
			t.Errorf("%d workers: %v, want %v", workers, got, want)
		}
	}
	if play(1, 2) == want {
		t.Errorf("%v with another seed too", want)
	}
}

// earnsInDoubleLoop tests that the mean total of trials of 1,000 steps in the double loop, under
// a flat prior, is at least so much.
func earnsInDoubleLoop(t *testing.T, s bcpace.Solver, trials int, least float64) {
	t.Helper()
	m, err := envs.DoubleLoop{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: trials, Horizon: 1000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !(r.MeanTotal >= least) {
		t.Errorf("%+v earns %v, want %v or more", s, r.MeanTotal, least)
	}
}

// isToldTheLatent tests that a solver is at its best in random models of one latent, where there
// is nothing to learn: its action loses no more than so much of the range of values.
func isToldTheLatent(t *testing.T, s bcpace.Solver, most float64) {
	t.Helper()
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 9))
		m := randmodel.New(rng, randmodel.Options{States: 5, Latents: 1, Actions: 3, Discount: 0.7})
		found, err := s.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		spec := m.Spec()
		state, b := make([]float64, len(spec.Axes)), bcpace.Belief{1}
		for number := range m.NumStates() {
			m.StateAt(state, number)
			best, err := eval.Optimal(t.Context(), m, eval.ExactOptions{State: state, Belief: b, Tolerance: 1e-6})
			if err != nil {
				continue // the end
			}
			a := found.Policy.Act(state, b, rng)
			if loss := best.Value - best.Q[a]; !(loss <= most*(spec.VMax()-spec.VMin())+2*best.Error) {
				t.Errorf("model %d: action %d at state %v loses %v of %v", seed, a, state, loss, best.Value)
			}
		}
	}
}
