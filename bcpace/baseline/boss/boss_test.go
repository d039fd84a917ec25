package boss

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/internal/tabular"
	"bayescpace/envs"
)

// agentOf returns the agent of s in a model of unknown transitions, with what it knows.
func agentOf(t *testing.T, s Solver, m bcpace.Model) *agent {
	t.Helper()
	know, err := tabular.New(t.Context(), m, s.Name())
	if err != nil {
		t.Fatal(err)
	}
	a := newAgent(s, know, m)
	a.Begin()
	return a
}

// act has the agent act at s, and learn what follows in an MDP where all is equally likely.
func act(t *testing.T, a *agent, s int, rng *rand.Rand) (action, next int) {
	t.Helper()
	action, err := a.Act(t.Context(), s, rng)
	if err != nil {
		t.Fatal(err)
	}
	next = rng.IntN(3)
	if err := a.know.(*tabular.Rows).Observe(s, action, next); err != nil {
		t.Fatal(err)
	}
	a.Learned(s, action, next)
	return action, next
}

// The values of the union are not below the optimal ones of any MDP in it, and are their own
// backups.
func TestUnion(t *testing.T) {
	for _, s := range []Solver{{Models: 4}, {Models: 4, Smarter: true, Variance: 0.001}} {
		rng := rand.New(rand.NewPCG(1, 1))
		a := agentOf(t, s, plannertest.Paths(t, bcpace.TransitionPrior{}))
		state := 0
		for range 50 {
			_, state = act(t, a, state, rng)
			for k := range a.models {
				if s.Smarter {
					break // not all rows of a model count
				}
				q := make([]float64, 6)
				if _, err := a.models[k].Solve(t.Context(), q, 1e-9); err != nil {
					t.Fatal(err)
				}
				for r, v := range q {
					if a.values.V[r/2] < v-precision {
						t.Fatalf("value %v of state %d, and %v in model %d", a.values.V[r/2], r/2, v, k)
					}
				}
			}
			for s, v := range a.values.V {
				if _, best := a.values.Best(s, a.backup); math.Abs(best-v) > precision {
					t.Fatalf("value %v of state %d, backup %v", v, s, best)
				}
			}
		}
	}
}

// BOSS draws when a state and action has been seen B times, then and at no other time.
func TestDrawsWhenKnown(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	a := agentOf(t, Solver{Known: 3}, plannertest.Paths(t, bcpace.TransitionPrior{}))
	var count [3][2]int
	state, due := 0, true
	for range 200 {
		before := append([]float64(nil), a.models[0].Weight...)
		action, next := act(t, a, state, rng)
		same := len(before) == len(a.models[0].Weight)
		for i := range before {
			same = same && before[i] == a.models[0].Weight[i]
		}
		if same == due {
			t.Fatalf("draws: %v, want %v", !same, due)
		}
		count[state][action]++
		due = count[state][action] == 3
		state = next
	}
}

// SBOSS has as many rows of a state and action as its variance asks for. Under a flat prior of
// three states it is (1/3)·(2/3)/2 = 1/9, and after one observation (2/3)·(1/3)/3 = 2/27.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	a := agentOf(t, Solver{Smarter: true, Variance: 0.01, Models: 20}, plannertest.Paths(t, bcpace.TransitionPrior{}))
	for i, want := range []int32{12, 8} {
		if err := a.draw(t.Context(), rng); err != nil {
			t.Fatal(err)
		}
		if a.use[0] != want || a.use[1] != 12 {
			t.Errorf("%d observations: %d rows, want %d, and of the other action %d", i, a.use[0], want, a.use[1])
		}
		if err := a.know.(*tabular.Rows).Observe(0, 0, 1); err != nil {
			t.Fatal(err)
		}
		// The means go from 1/3 each to 2/3 and 1/6 twice, of a standard deviation of 1/3: by
		// 1 + ½ + ½ of it.
		if moved := a.moved(0); i == 0 && math.Abs(moved-2) > 1e-12 {
			t.Errorf("the means have moved by %v, want 2", moved)
		}
	}
}

// What cannot be used is an error that says what would be right.
func TestBadInput(t *testing.T) {
	plannertest.Refuses(t, envs.Chain{}, []Solver{{Models: -1}, {Models: 1e6}, {Known: -1}, {Known: 3, Smarter: true}, {Variance: -1, Smarter: true},
		{Variance: math.NaN(), Smarter: true}, {Variance: 0.1}, {Change: math.Inf(1), Smarter: true}, {Change: -1, Smarter: true}, {Change: 1}, {Sweeps: -1}})
	plannertest.LacksSupport(t, Solver{}, envs.LightDarkTiger{Sigma: 0.1}, plannertest.Dual(t))
}
