// Package plannertest has what tests of planners share.
package plannertest

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/envs"
)

// Solve returns the solution of a solver of m, and what its policy can do, which plans.
func Solve(t testing.TB, s bcpace.Solver, m bcpace.Model) (*bcpace.Solution, bcpace.PolicyAbilities) {
	t.Helper()
	found, err := s.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	p := bcpace.PolicyAbilitiesOf(found.Policy)
	if p.Plan == nil {
		t.Fatalf("the policy of %s is a %T, want a planner", s.Name(), found.Policy)
	}
	return found, p
}

// Decide returns the decision of the planner of a solver of m.
func Decide(t testing.TB, s bcpace.Solver, m bcpace.Model, at bcpace.StartPoint, rng *rand.Rand) bcpace.Decision {
	t.Helper()
	_, p := Solve(t, s, m)
	d, err := p.Plan(t.Context(), at.State, at.Belief, rng)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Random returns a random model of four states and three latents, which move as the seed says,
// and its first start.
func Random(t *testing.T, rng *rand.Rand, seed uint64, actions int, discount float64) (bcpace.Finite, bcpace.StartPoint) {
	t.Helper()
	m := randmodel.New(rng, randmodel.Options{States: 4, Latents: 3, Actions: actions, Branch: 2, Discount: discount,
		Kind: bcpace.LatentKind(seed % 3), Lists: seed/3%2 == 1, Drifts: seed/6%2 == 1})
	starts, err := bcpace.StartsOf(m)
	if err != nil {
		t.Fatal(err)
	}
	return m, bcpace.StartPoint{State: starts[0].State, Belief: starts[0].Belief}
}

// Dual returns the dual control with gains of either sign, whose action has a Box.
func Dual(t testing.TB) bcpace.Model {
	t.Helper()
	m, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Refuses tests that each of the solvers, whose parameters cannot be used, has an InputError.
func Refuses[S bcpace.Solver](t *testing.T, m bcpace.Model, solvers []S) {
	t.Helper()
	for _, s := range solvers {
		if _, err := s.Solve(t.Context(), m, bcpace.Control{}); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%+v: error %v, want an InputError", s, err)
		}
	}
}

// LacksSupport tests that a solver has an UnsupportedError for each of the models.
func LacksSupport(t *testing.T, s bcpace.Solver, models ...bcpace.Model) {
	t.Helper()
	for _, m := range models {
		if _, err := s.Solve(t.Context(), m, bcpace.Control{}); !errors.As(err, new(*bcpace.UnsupportedError)) {
			t.Errorf("%s: error %v, want an UnsupportedError", m.Spec().Name, err)
		}
	}
}

// Speed measures simulations per second, in decisions of 1,000 simulations. begin begins a
// decision of which nothing is known.
func Speed(b *testing.B, begin func(), simulate func() error) {
	b.Helper()
	const simulations = 1000
	b.ReportAllocs()
	for b.Loop() {
		begin()
		for range simulations {
			if err := simulate(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N)*simulations/b.Elapsed().Seconds(), "simulations/s")
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

// Guess returns a problem with a value that is known: x is uniform in [0, 1] and static. To look shows whether x is above ½, wrongly
// with probability error; to guess ends the episode, and pays 1 if it is right and −1 if not. A look costs 0.05, so that
// one and then a guess is worth 0.9·(1 − 2·error) − 0.05, with a discount of 0.9, if a second look pays nothing.
func Guess(wrong float64) *hidden.Model {
	return &hidden.Model{
		Spec: hidden.Spec{
			Spec:   bcpace.Spec{Name: "guess", Axes: []bcpace.Axis{{Name: "seen", Labels: []string{"nothing", "low", "high"}, Max: 2}}, Actions: bcpace.Actions("look", "low", "high"), Discount: 0.9, RewardMin: -1, RewardMax: 1},
			Hidden: []bcpace.Axis{{Name: "x", Max: 1}},
		},
		Prior: func(x []float64, rng *rand.Rand) { x[0] = rng.Float64() },
		Step: func(next, nextX, _, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
			nextX[0], next[0] = x[0], 0
			high := x[0] > 0.5
			if action > 0 {
				if high == (action == 2) {
					return bcpace.Outcome{Reward: 1, Done: true}
				}
				return bcpace.Outcome{Reward: -1, Done: true}
			}
			if next[0] = 1; high != (rng.Float64() < wrong) {
				next[0] = 2
			}
			return bcpace.Outcome{Reward: -0.05}
		},
		LogDensity: func(_, x []float64, action int, next, _ []float64) float64 {
			if action > 0 || next[0] == 0 {
				return math.Inf(-1)
			}
			if (x[0] > 0.5) == (next[0] == 2) {
				return math.Log(1 - wrong)
			}
			return math.Log(wrong)
		},
	}
}

// Begin returns the default belief of m in state s.
func Begin(t testing.TB, m *hidden.Model, s []float64) hidden.Belief {
	t.Helper()
	b, err := hidden.DefaultFilter(m).Begin(m, s, rand.New(rand.NewPCG(7, 7)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
