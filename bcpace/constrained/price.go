package constrained

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// Cost is a second reward function, of which less is better.
type Cost struct {
	Name string // such as "harm"; "" is "cost"
	// Of is what a step from s to next costs under a latent, from 0 to Most. It must be safe for concurrent use.
	Of   func(s []float64, action int, next []float64, latent int) float64
	Most float64
}

// check returns an *InputError for a cost that cannot be used.
func (c Cost) check() error {
	bad := bcpace.In("constrained solver").Bad
	switch {
	case c.Of == nil:
		return bad("Cost.Of", "nil", "a function that says what a step costs")
	case !(c.Most > 0) || math.IsInf(c.Most, 1):
		return bad("Cost.Most", c.Most, "the most that a step costs, a number above 0")
	}
	return nil
}

// of is Of, kept from 0 to Most, for states that may have the steps left behind their entries.
func (c Cost) of(axes int) func(s []float64, action int, next []float64, latent int) float64 {
	return func(s []float64, action int, next []float64, latent int) float64 {
		x := c.Of(s[:axes:axes], action, next[:axes:axes], latent)
		if !(x >= 0 && x <= c.Most) {
			panic(bcpace.In("constrained solver").Bad("Cost.Of", x, "a number from 0 to Cost.Most"))
		}
		return x
	}
}

// priced returns m with rewards weight·r − λ·cost.
func priced(m bcpace.Model, weight, λ float64, cost Cost) bcpace.Model {
	return bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) {
		step, list, of := a.Step, a.Successors, cost.of(len(a.Spec.Axes))
		a.Spec.RewardMin, a.Spec.RewardMax = weight*a.Spec.RewardMin-λ*cost.Most, weight*a.Spec.RewardMax
		a.ReturnRange, a.Lipschitz, a.Smoothness, a.FinerList = nil, nil, nil, nil
		a.Step = func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
			out := step(next, s, latent, action, rng)
			out.Reward = weight*out.Reward - λ*of(s, action, next, latent)
			return out
		}
		if list == nil {
			return
		}
		a.Successors = func(z *bcpace.Successors, s []float64, action int) {
			first := z.Len()
			list(z, s, action)
			for i := first; i < z.Len(); i++ {
				next, prob, reward := z.Row(i)
				for φ, p := range prob {
					if reward[φ] *= weight; p > 0 {
						reward[φ] -= λ * of(s, action, next, φ)
					}
				}
			}
		}
	})
}
