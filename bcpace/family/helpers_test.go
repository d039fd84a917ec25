package family_test

import (
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/family"
	"bayescpace/envs"

	"gonum.org/v1/gonum/stat/distuv"
)

// bandit returns the family of bandits with an arm that pays ½ and one that pays 1 with
// unknown probability. The state tells what was seen last.
func bandit(prior family.Prior, discount float64) family.Parametric {
	p := []family.Param{{Name: "chance", Min: 0, Max: 1, Prior: prior}}
	return family.Parametric{Name: "bandit", Entries: p, Build: func(thetas [][]float64) (bcpace.Model, error) {
		return bcpace.FromFuncs(bcpace.Funcs{
			Spec: bcpace.Spec{Name: "bandit", Axes: []bcpace.Axis{{Name: "seen", Max: 2, Labels: []string{"nothing", "loss", "win"}}},
				Actions: bcpace.Actions("known arm", "unknown arm"), Latents: family.Names(p, thetas), Discount: discount, RewardMax: 1},
			Step: func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
				if action == 0 {
					next[0] = 0
					return bcpace.Outcome{Reward: 0.5}
				}
				next[0] = 1
				if rng.Float64() < thetas[latent][0] {
					next[0] = 2
				}
				return bcpace.Outcome{Reward: next[0] - 1}
			},
			LogLikelihood: func(_ []float64, action int, next []float64, latent int) float64 {
				return logs(chance(action, next[0], thetas[latent][0]))
			},
			Successors: func(z *bcpace.Successors, _ []float64, action int) {
				for seen := range 3 {
					if action == 0 && seen > 0 || action == 1 && seen == 0 {
						continue
					}
					s, prob, reward := z.Add(false)
					s[0] = float64(seen)
					for i, θ := range thetas {
						prob[i] = chance(action, s[0], θ[0])
						reward[i] = [3]float64{0.5, 0, 1}[seen]
					}
				}
			},
		})
	}}
}

// chance returns the probability that the arm shows this, of an arm that pays with
// probability p.
func chance(arm int, seen, p float64) float64 {
	switch {
	case arm == 0 && seen == 0:
		return 1
	case arm == 1 && seen == 1:
		return 1 - p
	case arm == 1 && seen == 2:
		return p
	}
	return 0
}

// slips returns the family of chains with an unknown probability to slip.
func slips(prior family.Prior) family.Parametric {
	return family.Parametric{Name: "slips", Entries: []family.Param{{Name: "slip", Max: 1, Prior: prior}},
		Build: func(thetas [][]float64) (bcpace.Model, error) {
			c := envs.Chain{Slips: family.Column(thetas, 0), Discount: 0.9}
			return c, c.Validate()
		}}
}

// masses returns the family of pendulums of unknown mass.
func masses(prior family.Prior) family.Parametric {
	return family.Parametric{Name: "masses", Entries: []family.Param{{Name: "mass", Unit: "kg", Min: 0.01, Max: 100, Prior: prior}},
		Build: func(thetas [][]float64) (bcpace.Model, error) {
			return envs.Pendulum{Masses: family.Column(thetas, 0)}.Model()
		}}
}

// between is the uniform distribution on [low, high].
func between(low, high float64) family.Prior { return distuv.Uniform{Min: low, Max: high} }
