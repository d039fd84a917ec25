package constrained

import (
	"cmp"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/controller"
)

// Cost is a second reward function, of which less is better.
type Cost struct {
	Name string // such as "harm"; "" is "cost"
	// Of is what a step costs, from 0 to Most. It must be safe for concurrent use. If it is nil, a step whose reward is Loss or less costs Most,
	// and another one nothing: such a cost is plain data.
	Of   func(x Step) float64 `json:"-"`
	Most float64
	Loss float64
}

// Step is what has happened in a step under a latent.
type Step struct {
	State  []float64
	Action int
	Next   []float64
	Latent int
	Reward float64 // the mean of it, where the policy is computed
}

// Losses is a cost of 1 for each step whose reward is at most some number, so that an expected cost without a discount is how often that happens.
func Losses(name string, reward float64) Cost { return Cost{Name: name, Most: 1, Loss: reward} }

// check returns an *InputError for a cost that cannot be used.
func (c Cost) check() error {
	in := bcpace.In(title)
	return cmp.Or(
		in.Need(c.Of != nil || c.Most != 0, "Cost.Of", "nil", "a function that says what a step costs, or Losses"),
		in.Need(c.Of != nil || !math.IsNaN(c.Loss), "Cost.Loss", c.Loss, "a reward"),
		in.Need(c.Most > 0 && !math.IsInf(c.Most, 1), "Cost.Most", c.Most, "the most that a step costs, a number above 0"))
}

// of is Of, kept from 0 to Most, for states that may have the steps left behind their entries.
func (c Cost) of(axes int) controller.StepCost {
	return func(s []float64, action int, next []float64, latent int, reward float64) float64 {
		if c.Of == nil {
			if reward <= c.Loss {
				return c.Most
			}
			return 0
		}
		x := c.Of(Step{s[:axes:axes], action, next[:axes:axes], latent, reward})
		if !(x >= 0 && x <= c.Most) {
			panic(bcpace.In(title).Bad("Cost.Of", x, "a number from 0 to Cost.Most"))
		}
		return x
	}
}

// priced returns m with rewards weight·r − λ·cost.
func priced(m bcpace.Model, weight, λ float64, cost controller.StepCost, most float64) bcpace.Model {
	return bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) {
		step, list := a.Step, a.Successors
		a.Spec.RewardMin, a.Spec.RewardMax = weight*a.Spec.RewardMin-λ*most, weight*a.Spec.RewardMax
		a.ReturnRange, a.Lipschitz, a.Smoothness, a.FinerList = nil, nil, nil, nil
		a.Step = func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
			out := step(next, s, latent, action, rng)
			out.Reward = weight*out.Reward - λ*cost(s, action, next, latent, out.Reward)
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
					r := weight * reward[φ]
					if p > 0 {
						r -= λ * cost(s, action, next, φ, reward[φ])
					}
					reward[φ] = r
				}
			}
		}
	})
}
