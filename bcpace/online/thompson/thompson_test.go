package thompson_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/online/thompson"
	"bayescpace/envs"
)

// In Tiger the best action for any latent is to open the other door, so that Thompson sampling
// never listens: each step it opens the right one with probability ½, whenever it draws, as the
// tiger is placed anew. It earns −45/(1−γ) in expectation. Five standard errors are missed with
// probability 6·10⁻⁷.
func TestOpensADoorAtEveryStep(t *testing.T) {
	m := envs.Tiger{}
	for _, every := range []int{0, 1, 3} {
		found, err := thompson.Solver{Every: every}.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 500, Horizon: 100, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		want := -45 * (1 - math.Pow(0.95, 100)) / 0.05
		if math.Abs(r.Mean-want) > 5*r.StdErr {
			t.Errorf("every %d: mean %v ± %v, want %v", every, r.Mean, r.StdErr, want)
		}
	}
}

// One draw lasts for an episode, or for the steps asked for: actions change only where a draw
// may be.
func TestDrawsWhenAsked(t *testing.T) {
	m := envs.Tiger{}
	for _, every := range []int{0, 1, 4} {
		found, err := thompson.Solver{Every: every}.Solve(t.Context(), m, bcpace.Control{})
		if err != nil {
			t.Fatal(err)
		}
		changes := 0
		for episode := range 50 {
			x, err := eval.RecordEpisode(m, found.Policy, eval.Options{Horizon: 12, Seed: 1}, episode)
			if err != nil {
				t.Fatal(err)
			}
			for i := 1; i < x.Len(); i++ {
				if x.Actions[i] == x.Actions[i-1] {
					continue
				}
				if changes++; every == 0 || i%every != 0 {
					t.Fatalf("every %d: another door at step %d of episode %d", every, i, episode)
				}
			}
		}
		if every > 0 && changes == 0 {
			t.Errorf("every %d: no change", every)
		}
	}
}

// In Chain nothing rules a latent out. A latent that is drawn once and kept is worth the mean over φ' of what the best policy for φ' is worth, by
// exact evaluation. A policy that replaces it as its probability falls earns far more: what is asked for here is missed with probability 10⁻⁶ at most.
func TestChain(t *testing.T) {
	m := envs.Chain{}
	q, err := dp.SolveLatent(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	told := dp.LatentPolicy(q, len(m.Spec().Actions))
	prior := make(bcpace.Belief, len(m.Spec().Latents))
	m.Prior(prior)
	kept := 0.0
	for φ, p := range prior {
		e, err := eval.Evaluate(t.Context(), m, bcpace.PolicyFunc(func(s []float64, _ bcpace.Belief, rng *rand.Rand) int {
			return told.Act(s, bcpace.OneHot(len(prior), φ), rng)
		}), eval.ExactOptions{Horizon: 40})
		if err != nil {
			t.Fatal(err)
		}
		kept += p * e.Value
	}
	found, err := thompson.Solver{}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 5000, Horizon: 40, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	if r.Mean < kept+3.5 {
		t.Errorf("mean %v ± %v, want %v and more", r.Mean, r.StdErr, kept+3.5)
	}
}

// A number of steps that cannot be is an error.
func TestBadInput(t *testing.T) {
	if _, err := (thompson.Solver{Every: -1}).Solve(t.Context(), envs.Tiger{}, bcpace.Control{}); !errors.As(err, new(*bcpace.InputError)) {
		t.Errorf("%v, want an InputError", err)
	}
}
