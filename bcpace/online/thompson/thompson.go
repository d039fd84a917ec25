// Package thompson is Thompson sampling, also called posterior sampling: it draws a latent from
// the belief, and acts as is best for it (Strens 2000, "A Bayesian framework for reinforcement
// learning"; Thompson 1933 for bandits).
//
// Where transitions are unknown (bcpace.UnknownTransitions) it draws all of them from the
// posterior of what the episode has shown: posterior sampling for reinforcement learning, PSRL.
// Osband, Russo and Van Roy (2013, "(More) efficient reinforcement learning via posterior
// sampling") draw at the beginning of each of many short episodes. Here one long episode is all
// that there is to learn, so that draws end as in Ouyang, Gagrani, Nayyar and Jain (2017,
// "Learning unknown Markov decision processes: a Thompson sampling approach"), when the
// observations of some state and action have doubled, and after a time. That time is 1/(1−γ)
// steps, what a discounted return is worth, and does not grow.
package thompson

import (
	"context"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/internal/tabular"
	"bayescpace/bcpace/online"
)

// Solver is Thompson sampling as a solver. Every zero value is useful.
type Solver struct {
	// Every is the number of steps after which a latent is drawn anew. 0 means once for each
	// episode. A latent that the belief rules out is replaced at once.
	//
	// Of unknown transitions it is the number of steps between draws. 0 means that another draw
	// follows when the observations of a state and action have doubled, and after 1/(1−γ) steps
	// at most.
	Every int `json:",omitempty"`
	// ControlPoints is for a model some of whose actions have a Box, see qmdp.Solver.
	ControlPoints int `json:",omitempty"`
	Sweeps        int `json:",omitempty"`
}

// Name implements bcpace.Solver.
func (Solver) Name() string { return "thompson" }

// Solve implements bcpace.Solver. The policy remembers. Value and bounds are those
// of qmdp.Solver. Where transitions are unknown, nothing is certified but the range of returns.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if s.Every < 0 {
		return nil, bcpace.In("options").Bad("Every", s.Every, "a number of steps, or 0 for one draw in an episode")
	}
	if err := online.CheckSweeps(s.Sweeps); err != nil {
		return nil, err
	}
	if _, learns := m.(bcpace.UnknownTransitions); learns {
		return online.SolveLearner(ctx, s, m, c, s.Sweeps, func(know tabular.Posterior, m bcpace.Model) tabular.Agent { return newAgent(s, know, m) })
	}
	return qmdp.Told(ctx, s, s.ControlPoints, m, c, func(told bcpace.Policy, latents int) bcpace.Policy {
		return &policy{told: told, every: s.Every, latent: -1, certain: make(bcpace.Belief, latents)}
	})
}

// policy acts as told does where the latent that it has drawn is certain.
type policy struct {
	told     bcpace.Policy
	every    int
	latent   int // −1 where none was drawn
	age      int // steps since it was drawn
	followed bool
	certain  bcpace.Belief
}

// Act implements bcpace.Policy.
func (p *policy) Act(s []float64, b bcpace.Belief, rng *rand.Rand) int {
	if len(b) != len(p.certain) {
		return -1
	}
	if !p.followed || p.latent < 0 || p.every > 0 && p.age >= p.every || !(b[p.latent] > 0) {
		for _, x := range b {
			if math.IsNaN(x) {
				return -1
			}
		}
		p.latent, p.age = b.Sample(rng), 0
	}
	p.followed = false
	p.age++
	clear(p.certain)
	p.certain[p.latent] = 1
	return p.told.Act(s, p.certain, rng)
}

// Begin is bcpace.PolicyAbilities.Begin.
func (p *policy) Begin([]float64, bcpace.Belief) { p.followed = false }

// Observe is bcpace.PolicyAbilities.Observe.
func (p *policy) Observe(int, float64, []float64) { p.followed = true }

// Fork is bcpace.PolicyAbilities.Fork.
func (p *policy) Fork() bcpace.Policy {
	return &policy{told: bcpace.Fork(p.told), every: p.every, latent: -1, certain: make(bcpace.Belief, len(p.certain))}
}
