package cover_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// always is a policy of one action.
type always int

func (a always) Act([]float64, bcpace.Belief, *rand.Rand) int { return int(a) }

// TestHolesSteps: where A never slips, Chain is in state t+1 after t steps. The steps
// drawn must have the probabilities (1−γ)γ^t: by the inequality of Dvoretzky, Kiefer,
// Wolfowitz and Massart, the distance of 20,000 draws from that distribution exceeds
// 0.0191 with probability 10⁻⁶.
func TestHolesSteps(t *testing.T) {
	m := envs.Chain{Length: 1000, Slips: []float64{0}, Discount: 0.9}
	r, err := runs.Explore(t.Context(), m, cpace.Solver{Epsilon: 1, MaxSamples: 1, CertificateEpisodes: -1})
	if err != nil {
		t.Fatal(err)
	}
	const draws, far = 20_000, 0.0191
	h, err := cover.MeasureHoles(t.Context(), r, cover.HoleOptions{Draws: draws, Radius: 1e-3, Policy: always(0), Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	after := make([]int, 1001) // draws by step; the one sample is at the start
	after[0] = draws - h.Uncovered
	for _, s := range h.Missed {
		after[int(s)-1]++
	}
	seen := 0
	for step, n := range after {
		seen += n
		if got, want := float64(seen)/draws, 1-math.Pow(m.Discount, float64(step+1)); math.Abs(got-want) > far {
			t.Fatalf("%v of the draws are at steps up to %d, want %v", got, step, want)
		}
	}
	if got := math.Pow(1-h.LargestShare, draws); math.Abs(got-0.05) > 1e-9 {
		t.Errorf("no draw falls into %v with probability %v, want 0.05", h.LargestShare, got)
	}
}

// TestHolesSeedRadius: after t growls that were k more on one side than on the other,
// the belief is 2/(1+odds^|k|) from the nearest one-hot one. The seeds reach from
// ε/(L_Q(1+γ)) = 0.065, between the distances of |k| = 2 and 1, 0.0604 and 0.3. The
// share of the draws is that of a walk over k, within 0.0191 by Hoeffding's
// inequality but with probability 10⁻⁶.
func TestHolesSeedRadius(t *testing.T) {
	m := envs.Tiger{Ends: true, Discount: 0.9}
	o := cpace.Solver{Epsilon: 1, LipQ: 1 / (0.065 * 1.9), SeedOneHot: true, MaxSamples: 5, CertificateEpisodes: -1}
	r, err := runs.Explore(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 20_000
	h, err := cover.MeasureHoles(t.Context(), r, cover.HoleOptions{Draws: draws, Policy: always(0)})
	if err != nil {
		t.Fatal(err)
	}
	const steps = 400 // γ^400 < 10⁻¹⁸
	walk := make([]float64, 2*steps+3)
	walk[steps+1] = 1
	want, weight := 0.0, 1-m.Discount
	for range steps {
		next := make([]float64, len(walk))
		for k := 1; k < len(walk)-1; k++ {
			if d := k - steps - 1; d >= 2 || d <= -2 {
				want += weight * walk[k]
			}
			next[k+1] += 0.85 * walk[k] // growls on the tiger's side
			next[k-1] += 0.15 * walk[k]
		}
		walk, weight = next, weight*m.Discount
	}
	if h.Share != float64(h.Uncovered)/draws || h.Uncovered == 0 {
		t.Errorf("a share of %v, %d of %d are uncovered", h.Share, h.Uncovered, draws)
	}
	if got := float64(h.Seeded) / draws; math.Abs(got-want) > 0.0191 {
		t.Errorf("%v of the draws are seeded, want %v", got, want)
	}
}

func TestHolesOfBadPolicy(t *testing.T) {
	r, err := runs.Explore(t.Context(), envs.Tiger{}, cpace.Solver{Epsilon: 1, MaxSamples: 1, CertificateEpisodes: -1})
	if err != nil {
		t.Fatal(err)
	}
	input := (*bcpace.InputError)(nil)
	for _, a := range []always{-1, 3} {
		if _, err := cover.MeasureHoles(t.Context(), r, cover.HoleOptions{Policy: a}); !errors.As(err, &input) || input.What != "action" {
			t.Errorf("action %d: %v", a, err)
		}
	}
}
