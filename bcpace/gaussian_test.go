package bcpace_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/envs/envtest"
)

// drawGaussian draws a model with 1 to 3 axes, of every kind.
func drawGaussian(t *rapid.T) bcpace.Gaussian {
	latents, actions := rapid.IntRange(1, 4).Draw(t, "latents"), rapid.IntRange(1, 3).Draw(t, "actions")
	g := bcpace.Gaussian{Spec: bcpace.Spec{Name: "random", Discount: 0.9, RewardMin: -3, RewardMax: 3}}
	for φ := range latents {
		g.Spec.Latents = append(g.Spec.Latents, fmt.Sprint("φ", φ))
	}
	for a := range actions {
		g.Spec.Actions = append(g.Spec.Actions, bcpace.Action{Name: fmt.Sprint("a", a)})
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "axes") {
		axis := bcpace.Axis{Name: fmt.Sprint("x", i), Min: envtest.Evenly(-3, 0).Draw(t, "min"), Max: envtest.Evenly(0.5, 3).Draw(t, "max")}
		sigma := rapid.Float64Range(0.04, (axis.Max-axis.Min)/4).Draw(t, "sigma")
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			sigma = 0
		case 1:
			axis.Period = axis.Max - axis.Min
			sigma /= 2
		case 2:
			axis.Min, axis.Max, axis.Discrete, sigma = -1, 3, true, 0
		case 3:
			axis.Min, axis.Max, axis.Discrete, axis.Period, sigma = 0, 3, true, 4, 0
		}
		g.Spec.Axes = append(g.Spec.Axes, axis)
		g.Sigma = append(g.Sigma, sigma)
	}
	seed := rapid.Uint64().Draw(t, "seed")
	rng := rand.New(rand.NewPCG(seed, 1))
	move := make([]float64, len(g.Spec.Axes)*latents*actions)
	far := rapid.SampledFrom([]float64{0, 0.3, 2}).Draw(t, "far")
	for k := range move {
		move[k] = far * rng.NormFloat64()
	}
	g.Mean = func(mean, s []float64, latent, action int) {
		for i, x := range s {
			m := move[(i*latents+latent)*actions+action]
			switch a := g.Spec.Axes[i]; {
			case a.Discrete:
				mean[i] = x + math.Round(m)
			default:
				mean[i] = 0.8*x + m
			}
		}
	}
	g.Reward = func(_ []float64, latent, _ int, next []float64) float64 {
		return math.Sin(next[0]) + 0.1*float64(latent)
	}
	if rapid.Bool().Draw(t, "ends") {
		g.Ends = func(next []float64) bool { return next[0] > 0.9*g.Spec.Axes[0].Max }
	}
	drawDependence(t, &g)
	for k := range rapid.IntRange(0, 2).Draw(t, "starts") {
		s := make([]float64, len(g.Spec.Axes))
		for i, a := range g.Spec.Axes {
			s[i] = 0.5 * rng.Float64() * a.Max
			if a.Discrete {
				s[i] = float64(k)
			}
		}
		g.Starts = append(g.Starts, s)
	}
	return g
}

// drawDependence has some models have noise that depends on the step or is shared by axes, and ends
// that see the step.
func drawDependence(t *rapid.T, g *bcpace.Gaussian) {
	sigma, noisy := g.Sigma, slices.IndexFunc(g.Sigma, func(σ float64) bool { return σ > 0 })
	if rapid.Bool().Draw(t, "SigmaAt") {
		g.SigmaAt = func(to, s []float64, latent, action int, _ []float64) {
			for i := range to {
				to[i] *= math.Exp(-float64(latent) - 0.5*float64(action*i) - math.Abs(math.Sin(s[0])))
			}
		}
	}
	if noisy >= 0 && slices.Contains(sigma, 0) && rapid.Bool().Draw(t, "After") {
		g.After = func(next, s []float64, action int, _ []float64) {
			for i, a := range g.Spec.Axes {
				if sigma[i] == 0 && !a.Discrete {
					next[i] = s[i] + 0.3*next[noisy] + 0.1*float64(action)
				}
			}
		}
	}
	if g.Ends == nil && rapid.Bool().Draw(t, "EndsAt") {
		g.EndsAt = func(s []float64, action int, _, next []float64) bool { return action == 0 && next[0] > s[0]+0.5 }
	}
}

// TestFromGaussian expects a random model to pass the check.
//
//test:race
func TestFromGaussian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, err := bcpace.FromGaussian(drawGaussian(t))
		if err != nil {
			t.Fatal(err)
		}
		o := check.Options{Episodes: 3, Steps: 8, Transitions: 6, Draws: 500, Skip: []string{check.Goroutines}} // TestPendulum has those
		if err := check.Model(m, o); err != nil {
			t.Fatal(err)
		}
	})
}

func TestPendulum(t *testing.T) {
	m, err := bcpace.FromGaussian(pendulum())
	if err != nil {
		t.Fatal(err)
	}
	envtest.Run(t, m)
}

// TestFromGaussianErrors expects an *InputError that says what is wrong, and where.
func TestFromGaussianErrors(t *testing.T) {
	for words, spoil := range map[string]func(*bcpace.Gaussian){
		`Spec.Name is ""`: func(g *bcpace.Gaussian) { g.Spec.Name = "" },
		"Mean is nil":     func(g *bcpace.Gaussian) { g.Mean = nil },
		"Reward is nil":   func(g *bcpace.Gaussian) { g.Reward = nil },
		"Sigma is 1 long": func(g *bcpace.Gaussian) { g.Sigma = g.Sigma[:1] },
		`Sigma of axis "speed" is -1, want 0 or a positive number`:              func(g *bcpace.Gaussian) { g.Sigma[1] = -1 },
		`Sigma of axis "speed" is 1e-10, want 0, or at least 8e-09`:             func(g *bcpace.Gaussian) { g.Sigma[1] = 1e-10 },
		`Sigma of axis "angle" is 2, want at most 0.785`:                        func(g *bcpace.Gaussian) { g.Sigma[0] = 2 },
		`Sigma of axis "speed" is 0.1, want 0, as the axis is of whole numbers`: func(g *bcpace.Gaussian) { g.Spec.Axes[1].Discrete = true },
		"Nodes is 65":  func(g *bcpace.Gaussian) { g.Nodes = 65 },
		"Prior is [1]": func(g *bcpace.Gaussian) { g.Prior = bcpace.Belief{1} },
		`Starts[0] is [4 0], a state whose entry "angle" is 4, want it within [`: func(g *bcpace.Gaussian) { g.Starts[0][0] = 4 },
		"Starts[0] is 1 long":                    func(g *bcpace.Gaussian) { g.Starts[0] = g.Starts[0][:1] },
		"Starts[1] is [3.1":                      func(g *bcpace.Gaussian) { g.Starts = append(g.Starts, g.Starts[0]) },
		"Starts is empty":                        func(g *bcpace.Gaussian) { g.Starts = [][]float64{} },
		`Period of axis "angle" is 3, want 6.28`: func(g *bcpace.Gaussian) { g.Spec.Axes[0].Period = 3 },
		`model "pendulum" at state [3.141592653589793 0], latent "1 kg", action "right": the mean of "speed" is +Inf, want a finite number`: func(g *bcpace.Gaussian) {
			mean := g.Mean
			g.Mean = func(x, s []float64, latent, action int) {
				if mean(x, s, latent, action); latent == 1 && action == 2 {
					x[1] = math.Inf(1)
				}
			}
		},
		`the mean of "angle" is NaN`: func(g *bcpace.Gaussian) { g.Mean = func(x, _ []float64, _, _ int) { x[1] = 1 } },
		"Mean is a function that writes to s": func(g *bcpace.Gaussian) {
			g.Mean = func(x, s []float64, _, _ int) { x[0], x[1], s[0] = 0, 0, 1 }
		},
		`latent "0.6 kg", action "left": the result of Mean is a panic (runtime error: index out of range`: func(g *bcpace.Gaussian) {
			g.Mean = func(x, s []float64, _, _ int) { x[2] = 1 }
		},
		"After is set, want nil, as all axes have noise": func(g *bcpace.Gaussian) {
			g.After = func([]float64, []float64, int, []float64) {}
		},
		"Ends and EndsAt is set, want one of them": func(g *bcpace.Gaussian) {
			g.Ends = func([]float64) bool { return false }
			g.EndsAt = func([]float64, int, []float64, []float64) bool { return false }
		},
		"Lipschitz is set, want nil beside SigmaAt, After or EndsAt": func(g *bcpace.Gaussian) {
			g.Lipschitz = &bcpace.GaussianLipschitz{Mean: []float64{1, 1}}
			g.SigmaAt = func([]float64, []float64, int, int, []float64) {}
		},
		`latent "0.6 kg", action "none": the standard deviation of "speed" by SigmaAt is 0, want a positive number, as the axis has noise by Sigma`: func(g *bcpace.Gaussian) {
			g.SigmaAt = func(sigma, s []float64, latent, action int, _ []float64) { sigma[1] *= float64(1 - action) }
		},
		`the standard deviation of "angle" by SigmaAt is 0.1, want 0, as the axis has no noise by Sigma`: func(g *bcpace.Gaussian) {
			g.Sigma[0] = 0
			g.SigmaAt = func(sigma, _ []float64, _, _ int, _ []float64) { sigma[0] = 0.1 }
		},
		`the standard deviation of "angle" by SigmaAt is 1, want at most 0.785`: func(g *bcpace.Gaussian) {
			g.SigmaAt = func(sigma, _ []float64, _, _ int, _ []float64) { sigma[0] = 1 }
		},
		`After is a function that writes to the entry of "speed", which has noise, want one that writes to entries without noise alone`: func(g *bcpace.Gaussian) {
			g.Sigma[0] = 0
			g.After = func(next, _ []float64, _ int, _ []float64) { next[1] = 1 }
		},
		`the entry of "angle" behind After is NaN, want a finite number: Mean or After sets every entry`: func(g *bcpace.Gaussian) {
			g.Sigma[0] = 0
			g.Mean = func(mean, s []float64, _, _ int) { mean[1] = s[1] }
			g.After = func(next, _ []float64, _ int, _ []float64) { next[0] += next[1] }
		},
		`the result of Mean is an error (it diverges), want a mean for every state`: func(g *bcpace.Gaussian) {
			g.Mean = func([]float64, []float64, int, int) { panic(errors.New("it diverges")) }
		},
		"Reward or Ends is a panic (no)": func(g *bcpace.Gaussian) { g.Ends = func([]float64) bool { panic("no") } },
		"is -3, want a number within [RewardMin, RewardMax] = [-1, 0]": func(g *bcpace.Gaussian) {
			g.Reward = func([]float64, int, int, []float64) float64 { return -3 }
		},
	} {
		g := pendulum()
		spoil(&g)
		_, err := bcpace.FromGaussian(g)
		var input *bcpace.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), words) {
			t.Errorf("got error %v\nwant an *InputError that says %q", err, words)
		}
	}
}

// TestGaussianPosterior compares the belief after a step with Bayes' rule on probabilities
// that are computed otherwise: Φ at limits, and the density summed over many rounds.
func TestGaussianPosterior(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGaussian(t)
		m, err := bcpace.FromGaussian(g)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "steps"), 1))
		n := len(g.Spec.Latents)
		b, got, want := bcpace.Uniform(n), make(bcpace.Belief, n), make(bcpace.Belief, n)
		b.SampleSimplex(rng)
		s, next, mean := make([]float64, len(g.Spec.Axes)), make([]float64, len(g.Spec.Axes)), make([]float64, len(g.Spec.Axes))
		m.Start(s, 0, rng)
		action := rng.IntN(len(g.Spec.Actions))
		m.Step(next, s, b.Sample(rng), action, rng)
		if err := bcpace.NewBayes(m).Update(got, b, s, action, next); err != nil {
			t.Fatal(err)
		}
		total := 0.0
		for φ := range want {
			g.Mean(mean, s, φ, action)
			want[φ] = b[φ]
			sigma := slices.Clone(g.Sigma)
			if g.SigmaAt != nil {
				g.SigmaAt(sigma, s, φ, action, nil)
			}
			for i, a := range g.Spec.Axes {
				if g.After == nil || sigma[i] > 0 || a.Discrete { // others tell nothing more
					want[φ] *= measure(a, sigma[i], next[i], mean[i])
				}
			}
			total += want[φ]
		}
		for φ := range want {
			if want[φ] /= total; math.Abs(got[φ]-want[φ]) > 1e-9 {
				t.Fatalf("belief %v after %v, want %v", got, next, want)
			}
		}
	})
}

// measure returns the probability of x where it is an atom, and its density elsewhere.
func measure(a bcpace.Axis, sigma, x, mean float64) float64 {
	density := func(x float64) float64 {
		z := (x - mean) / sigma
		return math.Exp(-z*z/2) / sigma / math.Sqrt(2*math.Pi)
	}
	switch {
	case sigma == 0:
		if a.Period > 0 && math.Abs(math.Remainder(x-mean, a.Period)) < 1e-9 || a.Period == 0 && x == min(max(mean, a.Min), a.Max) {
			return 1
		}
		return 0
	case a.Period > 0:
		sum := 0.0
		for k := -50; k <= 50; k++ {
			sum += density(x + float64(k)*a.Period)
		}
		return sum
	case x == a.Min:
		return math.Erfc((mean-a.Min)/sigma/math.Sqrt2) / 2
	case x == a.Max:
		return math.Erfc((a.Max-mean)/sigma/math.Sqrt2) / 2
	}
	return density(x)
}
