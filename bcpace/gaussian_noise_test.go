package bcpace_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/distuv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
)

// pushed is a cart that a push of unknown strength moves, with noise that grows with the push and
// differs between latents. Speed has the noise, and place follows from it.
func pushed() bcpace.Gaussian {
	return bcpace.Gaussian{
		Spec: bcpace.Spec{
			Name: "pushed", Axes: []bcpace.Axis{{Name: "place", Min: -10, Max: 10}, {Name: "speed", Min: -3, Max: 3}},
			Actions:  []bcpace.Action{{Name: "push", Box: []bcpace.Axis{{Name: "u", Min: -1, Max: 1}}}, {Name: "stop"}},
			Latents:  []string{"ice", "sand"},
			Discount: 0.9, RewardMin: -1, RewardMax: 1,
		},
		Starts: [][]float64{{0, 0}}, Sigma: []float64{0, 0.2},
		MeanAt: func(mean, s []float64, latent, action int, u []float64) {
			mean[1] = 0.9 * s[1]
			if action == 0 {
				mean[1] += u[0] / float64(1+latent)
			}
		},
		SigmaAt: func(sigma, _ []float64, latent, _ int, u []float64) {
			if u != nil {
				sigma[1] *= (1 + math.Abs(u[0])) / float64(1+latent)
			}
		},
		After: func(next, s []float64, _ int, _ []float64) { next[0] = s[0] + next[1] },
		EndsAt: func(s []float64, action int, _, next []float64) bool {
			return action == 1 && s[1] < 0.5 || s[0] < 5 && next[0] >= 5
		},
		RewardAt: func(_ []float64, _, _ int, _, next []float64) float64 { return next[0] / 10 },
	}
}

// TestSharedNoise expects places that follow from speeds, which are drawn from the density that
// LogLikelihood has: the draws fall evenly into twenty cells of equal probability. A correct model
// fails with probability 10⁻⁶.
func TestSharedNoise(t *testing.T) {
	g := pushed()
	m, err := bcpace.FromGaussian(g)
	if err != nil {
		t.Fatal(err)
	}
	const draws, cells = 20000, 20
	spec, rng := m.Spec(), rand.New(rand.NewPCG(3, 1))
	id, err := spec.ActionID(0, []float64{0.5})
	if err != nil {
		t.Fatal(err)
	}
	s, next := []float64{1, 0.4}, make([]float64, 2)
	for latent, cut := range []distuv.Normal{{Mu: 0.36 + 0.5, Sigma: 0.3}, {Mu: 0.36 + 0.25, Sigma: 0.15}} {
		counts := [cells]float64{}
		for range draws {
			out := m.Step(next, s, latent, id, rng)
			if next[0] != s[0]+next[1] || out.Done {
				t.Fatalf("%v after %v, %+v", next, s, out)
			}
			counts[min(int(cells*cut.CDF(next[1])), cells-1)]++
			for φ, d := range []distuv.Normal{{Mu: 0.86, Sigma: 0.3}, {Mu: 0.61, Sigma: 0.15}} {
				want := d.LogProb(next[1]) - cut.LogProb(next[1])
				if got := m.LogLikelihood(s, id, next, φ) - m.LogLikelihood(s, id, next, latent); math.Abs(got-want) > 1e-9 {
					t.Fatalf("log ratio %v of latent %d at %v, want %v", got, φ, next, want)
				}
			}
		}
		chi := 0.0
		for _, n := range counts {
			chi += (n - draws/cells) * (n - draws/cells) / (draws / cells)
		}
		if most := (distuv.ChiSquared{K: cells - 1}).Quantile(1 - 5e-7); chi > most {
			t.Errorf("latent %d: χ² is %v, want %v at most", latent, chi, most)
		}
	}
	if next[0] += 1e-9; !math.IsInf(m.LogLikelihood(s, id, next, 0), -1) {
		t.Errorf("%v does not follow from %v", next, s)
	}
	for _, x := range []struct {
		s    []float64
		id   int
		done bool
	}{{[]float64{4.9, 2}, id, true}, {[]float64{5.1, 2}, id, false}, {[]float64{0, 0}, spec.CornerActions()[len(spec.CornerActions())-1], true}} {
		if out := m.Step(next, x.s, 0, x.id, rng); out.Done != x.done {
			t.Errorf("from %v to %v the episode ends: %t", x.s, next, out.Done)
		}
	}
	if err := check.Model(m, check.Options{}); err != nil {
		t.Error(err)
	}
}

// TestSharedNoiseList expects of the list that each state is there once and follows from the others,
// that what is listed is possible, and mean and variance of both axes.
func TestSharedNoiseList(t *testing.T) {
	for _, nodes := range []int{5, 20} {
		g := pushed()
		mean := g.MeanAt
		g.MeanAt = func(to, s []float64, latent, action int, u []float64) {
			mean(to, s, latent, action, u)
			to[0] = s[0] + to[1] // which After does away with
		}
		g.Nodes = nodes
		m, err := bcpace.FromGaussian(g)
		if err != nil {
			t.Fatal(err)
		}
		spec := m.Spec()
		id, err := spec.ActionID(0, []float64{0.5})
		if err != nil {
			t.Fatal(err)
		}
		s, z, seen := []float64{1, 0.4}, bcpace.Successors{}, make(map[float64]bool)
		z.Reset(2, 2)
		m.Successors(&z, s, id)
		var sum, first, second [2]float64
		for i := range z.Len() {
			next, prob, _ := z.Row(i)
			if seen[next[0]] || next[0] != s[0]+next[1] {
				t.Errorf("%v is listed, and is not new or does not follow from %v", next, s)
			}
			seen[next[0]] = true
			for φ, p := range prob {
				if p > 0 && math.IsInf(m.LogLikelihood(s, id, next, φ), -1) {
					t.Errorf("%v is listed with probability %v under latent %d, which cannot be", next, p, φ)
				}
				sum[φ] += p
				first[φ] += p * next[0]
				second[φ] += p * next[0] * next[0]
			}
		}
		for φ, want := range []distuv.Normal{{Mu: 1.86, Sigma: 0.3}, {Mu: 1.61, Sigma: 0.15}} {
			variance := second[φ] - first[φ]*first[φ]
			if math.Abs(sum[φ]-1) > 1e-12 || math.Abs(first[φ]-want.Mu) > 1e-4*want.Sigma || math.Abs(variance/want.Variance()-1) > 0.1 {
				t.Errorf("%d nodes, latent %d: sum %v, mean %v and variance %v, want those of %+v", nodes, φ, sum[φ], first[φ], variance, want)
			}
		}
	}
}

// TestNoiseMatrix compares beliefs with those of a normal distribution with covariances, and
// draws with its covariance. A correct model fails with probability 10⁻⁶.
func TestNoiseMatrix(t *testing.T) {
	const a, b, c = 0.5, 0.3, 0.2 // L is [a 0; b c]
	means := [][2]float64{{0.1, 0.2}, {0.4, -0.1}}
	wide := func(name string) bcpace.Axis {
		return bcpace.Axis{Name: name, Min: -50, Max: 50, Scale: math.Inf(1)}
	}
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "matrix", Axes: []bcpace.Axis{{Name: "x", Min: -20, Max: 20}, {Name: "y", Min: -20, Max: 20}, wide("v"), wide("w")},
			Actions: bcpace.Actions("go"), Latents: []string{"one", "two"}, Discount: 0.9, RewardMax: 1},
		Starts: [][]float64{make([]float64, 4)}, Sigma: []float64{0, 0, 1, 1},
		Mean: func(mean, _ []float64, latent, _ int) {
			x, y := means[latent][0], means[latent][1]
			mean[2], mean[3] = x/a, (y-b*x/a)/c
		},
		After:  func(next, _ []float64, _ int, _ []float64) { next[0], next[1] = a*next[2], b*next[2]+c*next[3] },
		Reward: func([]float64, int, int, []float64) float64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	covariance := mat.NewSymDense(2, []float64{a * a, a * b, a * b, b*b + c*c})
	one, _ := distmv.NewNormal(means[0][:], covariance, nil)
	two, _ := distmv.NewNormal(means[1][:], covariance, nil)
	const draws = 20000
	s, next, rng, sum := make([]float64, 4), make([]float64, 4), rand.New(rand.NewPCG(4, 1)), 0.0
	for range draws {
		m.Step(next, s, 0, 0, rng)
		want := one.LogProb(next[:2]) - two.LogProb(next[:2])
		if got := m.LogLikelihood(s, 0, next, 0) - m.LogLikelihood(s, 0, next, 1); math.Abs(got-want) > 1e-6 {
			t.Fatalf("log ratio %v at %v, want %v", got, next, want)
		}
		sum += (next[0] - means[0][0]) * (next[1] - means[0][1])
	}
	stdErr := math.Sqrt((a*a*(b*b+c*c) + a*a*b*b) / draws) // Isserlis' theorem
	if got := sum / draws; math.Abs(got-a*b) > 4.9*stdErr {
		t.Errorf("covariance %v, want %v", got, a*b)
	}
	if err := check.Model(m, check.Options{}); err != nil {
		t.Error(err)
	}
}

// TestDependenceMistakes expects the check to name mistakes in what depends on the step.
func TestDependenceMistakes(t *testing.T) {
	for words, spoil := range map[string]func(g *bcpace.Gaussian){
		"SigmaAt sets the standard deviation of \"speed\" to 0, want a positive number": func(g *bcpace.Gaussian) {
			g.SigmaAt = func(sigma, s []float64, _, _ int, _ []float64) { sigma[1] = max(0, 0.2-s[1]) }
		},
		"whose entry \"place\" is not set or not a number": func(g *bcpace.Gaussian) {
			g.After = func(next, s []float64, _ int, _ []float64) { next[0] = s[0] + math.Sqrt(1-next[1]) }
		},
		"equal random numbers": func(g *bcpace.Gaussian) {
			calls := 0.0
			g.After = func(next, s []float64, _ int, _ []float64) { calls++; next[0] = s[0] + math.Mod(calls, 7)/7 }
		},
		"SigmaAt failed: no such sand": func(g *bcpace.Gaussian) {
			g.SigmaAt = func(_, s []float64, _, _ int, _ []float64) {
				if s[1] > 0.3 {
					panic(errors.New("no such sand"))
				}
			}
		},
		// Speed is written over with its noise taken twice.
		"which Step drew, is -Inf": func(g *bcpace.Gaussian) {
			g.After = func(next, s []float64, _ int, _ []float64) {
				if next[0] = s[0] + next[1]; s[1] != 0 {
					next[1] = 2*next[1] - 0.9*s[1]
				}
			}
		},
	} {
		g := pushed()
		spoil(&g)
		m, err := bcpace.FromGaussian(g)
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Model(m, check.Options{}); !errors.As(err, new(*bcpace.ConformanceError)) || !strings.Contains(err.Error(), words) {
			t.Errorf("%v\nwant a *ConformanceError that says %q", err, words)
		}
	}
}

// TestFaultsAreNamed: an error with which After or EndsAt panics comes back under the name of the function.
func TestFaultsAreNamed(t *testing.T) {
	lost := errors.New("lost")
	for name, spoil := range map[string]func(g *bcpace.Gaussian){
		"After failed: lost": func(g *bcpace.Gaussian) { g.After = func(_, s []float64, _ int, _ []float64) { failAt(s, lost) } },
		"EndsAt failed: lost": func(g *bcpace.Gaussian) {
			g.EndsAt = func(s []float64, _ int, _, _ []float64) bool { failAt(s, lost); return false }
		},
	} {
		g := bcpace.Gaussian{Spec: bcpace.Spec{Name: "cart", Axes: []bcpace.Axis{{Name: "x", Max: 4}, {Name: "v", Min: -1, Max: 1}}, Actions: bcpace.Actions("push"), Latents: []string{"only"}, Discount: 0.9},
			Sigma: []float64{0, 0.1}, Starts: [][]float64{{0, 0}}, Mean: func(mean, s []float64, _, _ int) { mean[0], mean[1] = s[0], s[1]+0.5 },
			After: func(next, s []float64, _ int, _ []float64) { next[0] = s[0] + next[1] }, Reward: func([]float64, int, int, []float64) float64 { return 0 }}
		spoil(&g)
		m, err := bcpace.FromGaussian(g)
		if err != nil {
			t.Fatal(err)
		}
		next, rng := make([]float64, 2), rand.New(rand.NewPCG(1, 1))
		err = func() (err error) {
			spec := m.Spec()
			defer spec.Guard(&err, "Step", nil, -1, -1)
			m.Step(next, []float64{3, 0}, 0, 0, rng)
			return nil
		}()
		if !errors.Is(err, lost) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "[3 0]") {
			t.Errorf("%v, want %q at [3 0]", err, name)
		}
	}
}

// failAt panics with err beyond the middle of the axis.
func failAt(s []float64, err error) {
	if s[0] > 2 {
		panic(err)
	}
}
