package solvers_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/solvers"
	"bayescpace/bcpace/stop"
)

// scaled is a random model of three states, two latents and three actions, whose rewards are multiplied by a number.
func scaled(t *testing.T, seed uint64, scale float64) bcpace.Model {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 63))
	var move [3][2][3][3]float64
	var pay [3][2][3]float64
	for s := range move {
		for φ := range move[s] {
			for a := range move[s][φ] {
				sum := 0.0
				for k := range move[s][φ][a] {
					move[s][φ][a][k] = 0.05 + rng.Float64()
					sum += move[s][φ][a][k]
				}
				for k := range move[s][φ][a] {
					move[s][φ][a][k] /= sum
				}
				pay[s][φ][a] = float64(rng.IntN(21) - 10)
			}
		}
	}
	m, err := bcpace.FromOutcomes(bcpace.Outcomes{
		Spec: bcpace.Spec{Name: "scaled", Axes: []bcpace.Axis{{Name: "place", Max: 2, Discrete: true}}, Actions: bcpace.Actions("a", "b", "c"), Latents: []string{"x", "y"}, Discount: 0.6},
		Transitions: func(s []float64, φ, a int) (list []bcpace.Transition) {
			for k, p := range move[int(s[0])][φ][a] {
				list = append(list, bcpace.Transition{Next: []float64{float64(k)}, Prob: p, Reward: scale * pay[int(s[0])][φ][a]})
			}
			return list
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRewardsScale: in what units rewards are counted changes nothing but the units of the answer, of any solver with its own
// settings for the model: its policy earns the same and its bounds are as far apart, beside what returns differ by.
func TestRewardsScale(t *testing.T) {
	for _, how := range solvers.List() {
		for seed := range uint64(2) {
			var worth, width float64
			for i, scale := range []float64{1, 1e-9, 1e5} {
				m := scaled(t, seed, scale)
				if how.Name == "pomdp-lite" { // plans for every belief that its policy reaches, of which there are few within some steps
					var err error
					if m, err = bcpace.FiniteHorizon(m.(bcpace.Finite), 8); err != nil {
						t.Fatal(err)
					}
				}
				spec := m.Spec()
				spread := spec.VMax() - spec.VMin()
				s, err := solvers.New(how.Name, m)
				if err != nil {
					t.Fatal(err)
				}
				if x, ok := s.(cpace.Solver); ok {
					x.Epsilon, x.MaxEpisodes = 0.05*spread, 120
					s = x
				}
				for _, key := range []string{"max-steps", "budget"} {
					if _, has := how.Param(key); has {
						if s, err = solvers.Set(s, key, map[string]string{"max-steps": "30000", "budget": "15"}[key]); err != nil {
							t.Fatal(err)
						}
					}
				}
				found, err := s.Solve(t.Context(), m, bcpace.Control{})
				if errors.As(err, new(*bcpace.UnsupportedError)) {
					break
				}
				if err != nil {
					t.Fatalf("%s at scale %v: %v", how.Name, scale, err)
				}
				o := eval.Options{Episodes: 200, Horizon: 12, Seed: 1}
				if bcpace.PolicyAbilitiesOf(found.Policy).Plan != nil {
					o.Episodes, o.Horizon = 10, 6
				}
				if spec.Horizon > 0 {
					o.Horizon = min(o.Horizon, spec.Horizon)
				}
				r, err := eval.Rollouts(t.Context(), m, found.Policy, o)
				if err != nil {
					t.Fatal(err)
				}
				c := found.Certificate
				if c.Lower > c.Upper || found.Stop == stop.Certified && c.Gap() > 2e-3*spread {
					t.Errorf("%s, seed %d, scale %v: certified, and the bounds are %v and %v of %v", how.Name, seed, scale, c.Lower, c.Upper, spread)
				}
				earns, gap := r.Mean/spread, c.Gap()/spread
				if i == 0 {
					worth, width = earns, gap
				}
				if math.Abs(earns-worth) > 5e-3 || math.Abs(gap-width) > 2e-3 {
					t.Errorf("%s, seed %d, scale %v: earns %v of the range of returns and its bounds are %v of it apart, want %v and %v as at scale 1", how.Name, seed, scale, earns, gap, worth, width)
				}
			}
		}
	}
}
