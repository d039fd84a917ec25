package plannertest

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/envs"
)

// PlaysTheSame tests that a solver plays the same episodes with any number of workers where it
// learns transitions, and others with another seed.
func PlaysTheSame(t *testing.T, s bcpace.Solver) {
	t.Helper()
	m := Paths(t, bcpace.TransitionPrior{})
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

// EarnsInDoubleLoop tests that the mean total of trials of 1,000 steps in the double loop, under
// a flat prior, is at least so much.
func EarnsInDoubleLoop(t *testing.T, s bcpace.Solver, trials int, least float64) {
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

// IsToldTheLatent tests that a solver is at its best in random models of one latent, where there
// is nothing to learn: its action loses no more than so much of the range of values.
func IsToldTheLatent(t *testing.T, s bcpace.Solver, most float64) {
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

// Unknown is a finite model whose transitions an agent does not know.
type Unknown struct {
	bcpace.Finite
	Knows bcpace.TransitionPrior
}

// TransitionPrior implements bcpace.UnknownTransitions.
func (u Unknown) TransitionPrior() bcpace.TransitionPrior { return u.Knows }

// Paths returns a model of three states and two actions whose transitions are unknown, with a
// discount of 0.8: to stay where it pays most takes an action that first leads away from it.
func Paths(t testing.TB, knows bcpace.TransitionPrior) Unknown {
	t.Helper()
	m, err := bcpace.FromTables(bcpace.Tables{Name: "paths", Actions: []string{"a", "b"}, Discount: 0.8,
		P: [][][][]float64{{{{0.9, 0.1, 0}, {0.7, 0.1, 0.2}, {0, 0.3, 0.7}}, {{0.2, 0.8, 0}, {0.1, 0.1, 0.8}, {1, 0, 0}}}},
		R: [][][]float64{{{0.3, 0, 1}, {0, 0.1, 0.5}}}})
	if err != nil {
		t.Fatal(err)
	}
	return Unknown{m, knows}
}
