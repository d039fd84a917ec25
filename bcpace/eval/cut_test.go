package eval_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/policysearch"
	"bayescpace/bcpace/eval"
)

// waiting is a queue of 1 or 30 steps, each with probability ½, each of which pays −1: what an episode returns goes with
// its length. After each step, count is called.
func waiting(t *testing.T, count func()) bcpace.Model {
	t.Helper()
	m, err := bcpace.FromFuncs(bcpace.Funcs{
		Spec: bcpace.Spec{Name: "queue", Axes: []bcpace.Axis{{Name: "before me", Max: 30, Discrete: true}}, Actions: bcpace.Actions("wait", "wait too"),
			Latents: []string{"one clerk"}, Discount: 0.99, RewardMin: -1, RewardMax: 0},
		Step: func(next, s []float64, _, _ int, rng *rand.Rand) bcpace.Outcome {
			count()
			if next[0] = s[0] - 1; s[0] == 0 {
				next[0] = float64(29 * rng.IntN(2))
			}
			return bcpace.Outcome{Reward: -1, Done: next[0] == 0}
		},
		LogLikelihood: func(s []float64, _ int, next []float64, _ int) float64 {
			if s[0] == 0 {
				return math.Log(0.5)
			}
			return 0
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// after returns a model of waiting whose context ends after so many steps.
func after(t *testing.T, steps int) (bcpace.Model, context.Context) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return waiting(t, func() {
		if steps--; steps == 0 {
			cancel()
		}
	}), ctx
}

// worth is what the model of waiting pays.
func worth() float64 { return -(1 + (1-math.Pow(0.99, 30))/0.01) / 2 }

// TestCutMean: episodes that end early do not count first. Of many seeds, each cut at ten moments, the 95 % intervals hold
// what is earned as often as they say, and nothing is said of a few episodes.
func TestCutMean(t *testing.T) {
	const episodes, mean = 512, 512 * 15.5 // steps of all, about
	stated, missed := 0, 0
	for seed := range uint64(60) {
		var counts []int
		for part := 1; part <= 10; part++ {
			m, ctx := after(t, part*mean/10)
			r, err := eval.Rollouts(ctx, m, bcpace.RandomPolicy(m), eval.Options{Episodes: episodes, Seed: seed, Workers: 1})
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if counts = append(counts, r.Episodes); r.Episodes == 0 {
				if !math.IsNaN(r.Mean) {
					t.Errorf("seed %d, part %d: the mean of no episode is %v", seed, part, r.Mean)
				}
				continue
			}
			if stated++; r.CI95[0] > worth() || r.CI95[1] < worth() {
				missed++
			}
		}
		for _, n := range counts {
			if !slices.Contains([]int{0, 16, 32, 64, 128, 256, 512}, n) {
				t.Fatalf("%v episodes count, want numbers that were fixed ahead", counts)
			}
		}
	}
	if stated < 500 || missed > stated*7/100 {
		t.Errorf("%d of %d intervals miss what is earned", missed, stated)
	}
	early, wrong := 0, 0
	for seed := range uint64(200) {
		m, ctx := after(t, 60)
		r, _ := eval.Rollouts(ctx, m, bcpace.RandomPolicy(m), eval.Options{Episodes: episodes, Seed: seed, Workers: 1})
		if r.Episodes > 0 {
			early++
			if !(r.CI95[0] <= worth() && worth() <= r.CI95[1]) {
				wrong++
			}
		}
	}
	if wrong > 10 {
		t.Errorf("cut after 60 steps, a mean is stated for %d of 200 seeds, and its interval is wrong for %d", early, wrong)
	}
}

// TestCutCertificate: the value of a policy search that is cut while it simulates its certificate is that of the whole, within
// what is simulated, or is not stated.
//
//test:race
func TestCutCertificate(t *testing.T) {
	s := policysearch.Solver{Seed: 1, MaxSteps: 3000, CertificateEpisodes: 400}
	steps := 0
	m := waiting(t, func() { steps++ })
	searched := s
	searched.CertificateEpisodes = -1
	if _, err := searched.Solve(t.Context(), m, bcpace.Control{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	before := steps
	whole, err := s.Solve(t.Context(), m, bcpace.Control{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	all, stated := steps-2*before, 0
	for part := range 10 {
		m, ctx := after(t, before+1+all*part*part/100)
		found, err := s.Solve(ctx, m, bcpace.Control{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		n := found.Certificate.Episodes
		if math.IsNaN(found.Value) {
			if n > 0 {
				t.Errorf("cut %d: %d episodes and no value", part, n)
			}
			continue
		}
		stated++
		if off := 4 * 13 / math.Sqrt(float64(max(n, 16))); math.Abs(found.Value-whole.Value) > off {
			t.Errorf("cut %d: %v by %d episodes, the whole %v: it is off by more than %v", part, found.Value, n, whole.Value, off)
		}
		if c := found.Certificate; c.Lower > whole.Value || c.Upper < whole.Value {
			t.Errorf("cut %d: [%v, %v] misses the whole's %v", part, c.Lower, c.Upper, whole.Value)
		}
	}
	if stated < 5 {
		t.Errorf("%d of 10 cuts state a value", stated)
	}
}
