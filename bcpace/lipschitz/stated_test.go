package lipschitz_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/lipschitz"
	"bayescpace/bcpace/solverkit"
)

// linear is a random model of two axes whose mean and reward are linear in state and control,
// so that its constants are known; state says whether it states them, and by what factor.
func linear(t *testing.T, rng *rand.Rand, factorR, factorP float64) bcpace.Model {
	scale := [3]float64{0.5 + rng.Float64(), 0.5 + rng.Float64(), 0.5 + rng.Float64()} // two axes and the control
	var mean [2][3]float64
	var reward, next [3]float64 // of s and u, and of the next state
	for i := range 3 {
		mean[0][i], mean[1][i] = rng.NormFloat64(), rng.NormFloat64()
		reward[i], next[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	sigma := []float64{0.2 + rng.Float64(), 0.2 + rng.Float64()}
	l := bcpace.GaussianLipschitz{Mean: make([]float64, 2)}
	for i := range 3 {
		for k := range 2 {
			l.Mean[k] = max(l.Mean[k], math.Abs(mean[k][i])*scale[i]*factorP)
		}
		l.Reward = max(l.Reward, math.Abs(reward[i])*scale[i])
		if i < 2 {
			l.Next = max(l.Next, math.Abs(next[i])*scale[i])
		}
	}
	l.Reward, l.Next = l.Reward*factorR, l.Next*factorR
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "linear", Discount: 0.9, RewardMin: -1e4, RewardMax: 1e4, Latents: []string{"plus", "minus"},
			Axes:    []bcpace.Axis{{Name: "x", Min: -100, Max: 100, Scale: scale[0]}, {Name: "y", Min: -100, Max: 100, Scale: scale[1]}},
			Actions: []bcpace.Action{{Name: "push", Box: []bcpace.Axis{{Name: "u", Min: -1, Max: 1, Scale: scale[2]}}}}},
		Starts: [][]float64{{0, 0}}, Sigma: sigma,
		MeanAt: func(to, s []float64, latent, _ int, u []float64) {
			for k := range to {
				to[k] = mean[k][0]*s[0] + mean[k][1]*s[1] + float64(1-2*latent)*mean[k][2]*u[0]
			}
		},
		RewardAt: func(s []float64, _, _ int, u, to []float64) float64 {
			return reward[0]*s[0] + reward[1]*s[1] + reward[2]*u[0] + next[0]*to[0] + next[1]*to[1]
		},
		Lipschitz: &l,
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestStated: true constants are believed, and those below a slope that is found are refused
// with the pair.
func TestStated(t *testing.T) {
	o := lipschitz.Options{Pairs: 200, Draws: 64, Refine: 40, Steps: 3}
	refused := 0
	for seed := range uint64(15) {
		m := linear(t, rand.New(rand.NewPCG(seed, 5)), 1, 1)
		stated, ok, err := solverkit.LipschitzOf(m)
		if err != nil || !ok {
			t.Fatalf("seed %d: stated %t, error %v", seed, ok, err)
		}
		c, err := lipschitz.FromModel(t.Context(), m, o)
		if err != nil {
			t.Errorf("seed %d: true constants are refused: %v", seed, err)
			continue
		}
		if c.Estimated || c.R.Value != stated.R || c.P.Value != stated.P || c.P.ByAction[0].Value != stated.P || *c.Stated != stated {
			t.Errorf("seed %d: stated %+v, constants %+v", seed, stated, c)
		}
		near(t, "L_D", c.Tight.LD, 0.45*c.Tight.DeltaV*stated.P)
		for _, low := range []struct {
			r, p float64
			what string
		}{{0.3, 1, "Lipschitz().R"}, {1, 0.3, "Lipschitz()."}} {
			_, err := lipschitz.FromModel(t.Context(), linear(t, rand.New(rand.NewPCG(seed, 5)), low.r, low.p), o)
			input := new(bcpace.InputError)
			if err == nil {
				continue
			}
			if refused++; !errors.As(err, &input) || !strings.HasPrefix(input.What, low.what) || !strings.Contains(input.Want, "at distance") {
				t.Errorf("seed %d: error %v", seed, err)
			}
		}
	}
	// The constant of the mean is summed over axes, and that of the reward over what it
	// depends on, so that a third of it may still be true.
	if refused < 20 {
		t.Errorf("%d of 30 constants that are too small were refused", refused)
	}
}

// TestStatedOfExactModels: an exact constant refutes a statement below it, and a statement
// above it counts.
func TestStatedOfExactModels(t *testing.T) {
	walk := func(l bcpace.Lipschitz) bcpace.Model {
		m, err := bcpace.FromFuncs(bcpace.Funcs{
			Spec: bcpace.Spec{Name: "walk", Axes: []bcpace.Axis{{Name: "x", Max: 3, Discrete: true}}, Actions: bcpace.Actions("on"), Latents: []string{"only"}, Discount: 0.5, RewardMax: 3},
			Step: func(next, s []float64, _, _ int, _ *rand.Rand) bcpace.Outcome {
				next[0] = min(s[0]+1, 3)
				return bcpace.Outcome{Reward: s[0]}
			},
			LogLikelihood: func(s []float64, _ int, next []float64, _ int) float64 {
				if next[0] == min(s[0]+1, 3) {
					return 0
				}
				return math.Inf(-1)
			},
			Successors: func(z *bcpace.Successors, s []float64, _ int) {
				next, prob, reward := z.Add(false)
				next[0], prob[0], reward[0] = min(s[0]+1, 3), 1, s[0]
			},
			Lipschitz: &l,
		})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	c := constants(t, walk(bcpace.Lipschitz{R: 1, P: 5}), lipschitz.Options{})
	near(t, "L_R", c.R.Value, 1)
	near(t, "L_P", c.P.Value, 5)
	if _, err := lipschitz.FromModel(t.Context(), walk(bcpace.Lipschitz{R: 0.9, P: 2}), lipschitz.Options{}); err == nil || !strings.Contains(err.Error(), "Lipschitz().R is 0.9") {
		t.Errorf("L_R below that of a pair: %v", err)
	}
	if _, err := lipschitz.FromModel(t.Context(), misstated{walk(bcpace.Lipschitz{})}, lipschitz.Options{}); err == nil || !strings.Contains(err.Error(), "from 0 up") {
		t.Errorf("a negative constant: %v", err)
	}
	if c := constants(t, walk(bcpace.Lipschitz{R: math.Inf(1), P: math.Inf(1)}), lipschitz.Options{}); c.Stated != nil || c.R.Value != 1 || c.P.Value != 2 {
		t.Errorf("infinite constants say nothing: %+v", c)
	}
}

// misstated is a model that states a constant below 0.
type misstated struct{ bcpace.Model }

func (misstated) Lipschitz() bcpace.Lipschitz { return bcpace.Lipschitz{R: -1, P: 2} }

// TestLargeRewards: what rewards of a million are rounded by is no slope, however close a pair
// is, and refutes no statement.
func TestLargeRewards(t *testing.T) {
	g := bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "rich", Discount: 0.9, RewardMin: 1e6 - 1, RewardMax: 1e6 + 1, Latents: []string{"only"},
			Axes: []bcpace.Axis{{Name: "x", Max: 1}}, Actions: bcpace.Actions("stay")},
		Mean: func(mean, s []float64, _, _ int) { mean[0] = s[0] }, Sigma: []float64{0.1},
		Reward: func(s []float64, _, _ int, _ []float64) float64 { return 1e6 + 1e-3*s[0] },
	}
	for _, l := range []*bcpace.GaussianLipschitz{nil, {Mean: []float64{1}, Reward: 1e-3}} {
		g.Lipschitz = l
		m, err := bcpace.FromGaussian(g)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(5) {
			c, err := lipschitz.FromModel(t.Context(), m, lipschitz.Options{Pairs: 200, Draws: 32, Refine: 100, Seed: seed})
			if err != nil || math.Abs(c.R.Value-1e-3) > 1e-5 {
				t.Errorf("seed %d, stated %+v: L_R is %v, want 0.001; error %v", seed, l, c.R.Value, err)
			}
		}
	}
}
