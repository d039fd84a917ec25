package solvertest

import (
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/online/adaops"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/online/pomcpow"
)

// crossing is a boat on [0, 1] that is rowed with or against a current that has a noise: the far bank
// pays 1, the near one −1 and a step −0.02. Who calls for help gets help, and the crossing ends.
type crossing struct {
	drift, sigma [2]float64 // by latent: of a stroke to the far bank, and its noise
	help         float64    // what that pays
}

const (
	toll     = 0.02
	crossAt  = 0.5
	discount = 0.95
)

// model has the noise on the speed, from which the place follows.
func (c crossing) model(t *testing.T) bcpace.Enumerator {
	t.Helper()
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "crossing", Axes: []bcpace.Axis{{Name: "place", Max: 1}, {Name: "speed", Min: -5, Max: 5, Scale: math.Inf(1)}},
			Actions: bcpace.Actions("back", "on", "help"), Latents: []string{"first", "second"}, Discount: discount, RewardMin: -1 - toll, RewardMax: 1},
		Starts: [][]float64{{crossAt, 0}}, Sigma: []float64{0, 1}, Nodes: 9,
		Mean: func(mean, _ []float64, latent, action int) { mean[1] = float64(2*(action&1)-1) * c.drift[latent] },
		SigmaAt: func(sigma, _ []float64, latent, _ int, _ []float64) {
			sigma[1] = c.sigma[latent]
		},
		After: func(next, s []float64, _ int, _ []float64) { next[0] = s[0] + next[1] },
		EndsAt: func(_ []float64, action int, _, next []float64) bool {
			return action == 2 || next[0] == 0 || next[0] == 1
		},
		Reward: func(_ []float64, _, action int, next []float64) float64 {
			switch {
			case action == 2:
				return c.help
			case next[0] == 0:
				return -1 - toll
			case next[0] == 1:
				return 1 - toll
			}
			return -toll
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// optimum is the value at the start, by value iteration on a fine grid of places and of beliefs in the
// second latent, with densities of places that are summed up over the grid.
func (c crossing) optimum() float64 {
	const places, beliefs = 101, 61
	var ahead [2][2][2*places - 1]float64 // density by latent, stroke and distance, times that of the grid
	var ends [2][2][places]float64        // what the banks pay, by latent, stroke and place
	cdf := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	for φ, σ := range c.sigma {
		for a, sign := range []float64{-1, 1} {
			μ := sign * c.drift[φ]
			for d := range ahead[φ][a] {
				z := (float64(d-places+1)/(places-1) - μ) / σ
				ahead[φ][a][d] = math.Exp(-z*z/2) / (σ * math.Sqrt(2*math.Pi) * (places - 1))
			}
			for x := range places {
				at := float64(x)/(places-1) + μ
				ends[φ][a][x] = cdf((at-1)/σ) - cdf(-at/σ) - toll
			}
		}
	}
	v, next := make([][beliefs]float64, places), make([][beliefs]float64, places)
	for change := 1.0; change > 1e-9; {
		change = 0
		for x := range places {
			for k := range beliefs {
				b := float64(k) / (beliefs - 1)
				best := c.help
				for a := range 2 {
					q := (1-b)*ends[0][a][x] + b*ends[1][a][x]
					for y := range places {
						first, second := (1-b)*ahead[0][a][y-x+places-1], b*ahead[1][a][y-x+places-1]
						p := first + second
						if p < 1e-15 { // so little in all that no digit of interest changes
							continue
						}
						if y == 0 || y == places-1 {
							p /= 2
						}
						at := second / (first + second) * (beliefs - 1)
						j := min(int(at), beliefs-2)
						t := at - float64(j)
						q += discount * p * ((1-t)*v[y][j] + t*v[y][j+1])
					}
					best = max(best, q)
				}
				change = max(change, math.Abs(best-v[x][k]))
				next[x][k] = best
			}
		}
		v, next = next, v
	}
	return v[int(crossAt*(places-1))][(beliefs-1)/2]
}

// TestSharedNoise: what solvers find for a model whose place follows from a speed with noise, which
// differs between latents, is the optimum that another computation finds.
func TestSharedNoise(t *testing.T) {
	for name, c := range map[string]crossing{
		"which way":  {[2]float64{0.15, -0.15}, [2]float64{0.06, 0.06}, -1},
		"how rough":  {[2]float64{0.15, 0.15}, [2]float64{0.04, 0.5}, 0.3},
		"both":       {[2]float64{0.2, 0.1}, [2]float64{0.05, 0.3}, 0.4},
		"same place": {[2]float64{0.1, 0.1}, [2]float64{0.1, 0.1}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, want := c.model(t), c.optimum()
			if err := check.Model(m, check.Options{Episodes: 5, Steps: 10, Draws: 1000}); err != nil {
				t.Fatal(err)
			}
			found, err := certified.Solver{Epsilon: 0.02, MaxSamples: 3000, CertificateEpisodes: 4000}.Solve(t.Context(), m, bcpace.Control{})
			if err != nil {
				t.Fatal(err)
			}
			if z := found.Certificate; !(z.Lower <= want+1e-3 && want-1e-3 <= z.Upper) || z.Upper-z.Lower > 0.25 || z.UpperBy != bcpace.ByAssumption {
				t.Errorf("optimum %v, certificate %+v", want, z)
			}
			for _, s := range []bcpace.Solver{lookahead.Solver{Budget: bcpace.Budget{Simulations: 10}}, adaops.Solver{Budget: bcpace.Budget{Simulations: 10}}, pomcpow.Solver{Budget: bcpace.Budget{Simulations: 80}}} {
				found, err := s.Solve(t.Context(), m, bcpace.Control{})
				if err != nil {
					t.Fatal(err)
				}
				r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 500, Horizon: 100, Seed: 2})
				if err != nil {
					t.Fatal(err)
				}
				if r.Mean > want+5*r.StdErr || r.Mean < want-5*r.StdErr-0.1 {
					t.Errorf("%s earns %v ± %v, and the optimum is %v", s.Name(), r.Mean, r.StdErr, want)
				}
			}
		})
	}
}
