package envs_test

import (
	"fmt"
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

func ExampleTiger() {
	tiger := envs.Tiger{Accuracy: 0.85}
	b := bcpace.Uniform(2)
	nothing, left := []float64{0}, []float64{1}
	if err := bcpace.NewBayes(tiger).Update(b, b, nothing, 0, left); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("heard left once: %.2f\n", b)
	// Output: heard left once: [0.85 0.15]
}

// optimal returns the optimal value of a finite model at its start, over the
// given number of steps: the oracle, by plain recursion over (state, belief).
func optimal(m bcpace.Finite, steps int) float64 {
	spec := m.Spec()
	bayes := bcpace.NewBayes(m)
	memo := make(map[string]float64)
	var value func(s []float64, b bcpace.Belief, steps int) float64
	value = func(s []float64, b bcpace.Belief, steps int) float64 {
		if steps == 0 {
			return 0
		}
		key := fmt.Sprintf("%d %v %.10f", steps, s, []float64(b))
		if v, ok := memo[key]; ok {
			return v
		}
		best := math.Inf(-1)
		for action := range spec.Actions {
			var z bcpace.Successors
			z.Reset(len(spec.Axes), len(spec.Latents))
			m.Successors(&z, s, action)
			q := 0.0
			for i := range z.Len() {
				next, prob, reward := z.Row(i)
				p := 0.0
				for latent, w := range b {
					p += w * prob[latent]
					q += w * prob[latent] * reward[latent]
				}
				if p == 0 || z.Done[i] {
					continue
				}
				c := make(bcpace.Belief, len(b))
				if err := bayes.Update(c, b, s, action, next); err != nil {
					panic(err)
				}
				q += spec.Discount * p * value(next, c, steps-1)
			}
			best = max(best, q)
		}
		memo[key] = best
		return best
	}
	s, b := make([]float64, len(spec.Axes)), make(bcpace.Belief, len(spec.Latents))
	m.Start(s, 0, nil)
	m.Prior(b)
	return value(s, b, steps)
}

// TestOptimalValues compares with exact values found by dynamic programming
// over sufficient statistics, independently of this code (shared oracles).
func TestOptimalValues(t *testing.T) {
	for _, x := range []struct {
		m     bcpace.Finite
		steps int
		want  float64
		tol   float64
	}{
		{envs.Tiger{}, 50, 17.760, 5e-4},
		{envs.Tiger{}, 100, 19.247, 5e-4},
		{envs.Tiger{Ends: true}, 100, 3.77, 5e-3},
		{envs.Chain{}, 10, 14.628, 5e-4},
		{envs.LightDarkTiger{}, 20, 6.98337, 5e-6},                                       // 0.95⁷·10
		{envs.LightDarkTiger{Width: 9, Height: 9}, 20, 4.63291, 5e-6},                    // 0.95¹⁵·10
		{envs.LightDarkTiger{Discount: 0.99}, 20, 9.32065, 5e-6},                         // 0.99⁷·10
		{envs.LightDarkTiger{StartAt: []float64{3, 2}}, 9, 10 * math.Pow(0.95, 8), 1e-9}, // further from the light
	} {
		if got := optimal(x.m, x.steps); math.Abs(got-x.want) > x.tol {
			t.Errorf("%#v over %d steps: optimal value %v, want %v", x.m, x.steps, got, x.want)
		}
	}
}

// TestTigerDoors checks what either door earns, and what follows.
func TestTigerDoors(t *testing.T) {
	for _, ends := range []bool{false, true} {
		m := envs.Tiger{Ends: ends}
		next, p := []float64{-1}, []float64{-1, -1}
		for latent := range 2 {
			for action := 1; action <= 2; action++ {
				want := 10.0
				if action-1 == latent {
					want = -100
				}
				out := m.Step(next, []float64{2}, latent, action, nil)
				if out.Reward != want || out.Done != ends || next[0] != 0 {
					t.Errorf("latent %d, action %d: %+v in %v, want reward %v, done %t, nothing heard", latent, action, out, next, want, ends)
				}
				if moves := m.LatentTransition(p, []float64{2}, action, latent); moves == ends || moves && (p[0] != 0.5 || p[1] != 0.5) {
					t.Errorf("latent %d, action %d: the tiger moves: %t with %v", latent, action, moves, p)
				}
			}
		}
	}
}
