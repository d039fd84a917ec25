package thompson

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/internal/tabular"
	"bayescpace/envs"
)

// Unknown transitions are drawn anew after the steps asked for; and otherwise when a row has
// twice as many observations as then, or after 1/(1−γ) = 5 steps.
func TestDrawsTransitions(t *testing.T) {
	for _, every := range []int{0, 1, 3} {
		m := plannertest.Paths(t, bcpace.TransitionPrior{})
		know, err := tabular.New(t.Context(), m, "thompson")
		if err != nil {
			t.Fatal(err)
		}
		x := newAgent(Solver{Every: every}, know, m)
		x.Begin()
		rng := rand.New(rand.NewPCG(1, 1))
		var seen, then [3][2]int
		state, due, age, early := 0, true, 0, 0
		for range 300 {
			before := append([]float64(nil), x.model.Weight...)
			a, err := x.Act(t.Context(), state, rng)
			if err != nil {
				t.Fatal(err)
			}
			same := len(before) == len(x.model.Weight)
			for i := range before {
				same = same && before[i] == x.model.Weight[i]
			}
			if same == due {
				t.Fatalf("every %d: draws: %v, want %v", every, !same, due)
			}
			if due {
				if age < 5 {
					early++
				}
				then, age = seen, 0
			}
			next := rng.IntN(3)
			if err := know.(*tabular.Rows).Observe(state, a, next); err != nil {
				t.Fatal(err)
			}
			x.Learned(state, a, next)
			seen[state][a]++
			age++
			if due = age == every; every == 0 {
				due = age == 5 || seen[state][a] >= 2*max(1, then[state][a])
			}
			state = next
		}
		if every == 0 && (early < 3 || early > 150) {
			t.Errorf("%d draws before 5 steps", early)
		}
	}
}

// A bad number of sweeps is an error, whether or not it has something to learn.
func TestBadSweeps(t *testing.T) {
	plannertest.Refuses(t, envs.Tiger{}, []Solver{{Sweeps: -1}})
	plannertest.Refuses(t, plannertest.Paths(t, bcpace.TransitionPrior{}), []Solver{{Sweeps: -1}, {Every: -1}})
}
