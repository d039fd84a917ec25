// Package beb is BEB, the Bayesian exploration bonus (Kolter and Ng 2009, "Near-Bayesian
// exploration in polynomial time"): at every step it acts as is best in the MDP of the mean
// transitions, whose rewards are raised where little is known,
//
//	Q(s,a) = R(s,a) + β/(1 + n(s,a)) + γ Σ_s' P̄(s'|s,a)·max over a' of Q(s',a')
//
// where P̄ is the mean of the posterior and n(s,a) counts the observations of (s,a), with those
// that the prior is worth. The bonus never comes back. With a β that grows as the square of the
// horizon, the agent is near the Bayes-optimal one after polynomially many steps; a smaller one
// does better where it was tried.
//
// The paper has a finite horizon; here it is the discount that ends the sum or, in a model with a
// horizon and a list of latents, the steps left. Value iteration goes on from the values of the
// last step.
//
// Unknown transitions (bcpace.UnknownTransitions) are learned within an episode. Where a model
// has a list of latents, the posterior is the belief, n counts 1 and the steps of the episode,
// and a latent that moves is taken to stay as it is.
package beb

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/tabular"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/solverkit"
)

// Solver is BEB as a solver. Every zero value is useful.
type Solver struct {
	// Beta is β, in reward units. 0 means 10 % of the range of the model's rewards.
	Beta float64 `json:",omitempty"`
	// NoBonus is for β = 0: the agent acts as if it would learn no more. Beta is 0 then.
	NoBonus bool `json:",omitempty"`
	// Sweeps is the most sweeps over the states at a decision. 0 means 1000. What is left goes
	// on at the next.
	Sweeps int `json:",omitempty"`
}

// defaultShare is Beta where none is given, as a part of the range of rewards. It was tuned on
// the tasks of Guez, Silver and Dayan (2012): shares from 1 % to 15 % are about as good there,
// and from 50 % on all of them earn less.
const defaultShare = 0.1

// precision is what all sweeps to come would change in a value, as a part of the range of
// rewards, where value iteration ends.
const precision = 1e-3

// Name implements bcpace.Solver.
func (Solver) Name() string { return "beb" }

// Solve implements bcpace.Solver. It only sets up: the policy of the solution learns as it acts,
// one with memory, whose value nobody knows, and nothing is certified but the range of
// returns.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if err := cmp.Or(
		bcpace.In("options").Need(s.Beta >= 0 && !math.IsInf(s.Beta, 1), "Beta", s.Beta, "a bonus above 0 in reward units, or 0 for the default"),
		bcpace.In("options").Need(!s.NoBonus || s.Beta == 0, "Beta", fmt.Sprint(s.Beta)+" beside NoBonus", "one of them")); err != nil {
		return nil, err
	}
	return online.SolveLearner(ctx, s, m, c, s.Sweeps, func(know tabular.Posterior, m bcpace.Model) tabular.Agent {
		spec := m.Spec()
		width := spec.RewardMax - spec.RewardMin
		a := &agent{know: know, values: tabular.NewIteration(know, precision*width), sweeps: cmp.Or(s.Sweeps, tabular.DefaultSweeps)}
		if !s.NoBonus {
			a.beta = cmp.Or(s.Beta, defaultShare*width)
		}
		return a
	})
}

// agent is what BEB has found in an episode.
type agent struct {
	know   tabular.Posterior
	values *tabular.Iteration
	beta   float64
	sweeps int
}

// Begin implements tabular.Agent.
func (a *agent) Begin() { a.values.Reset() }

// Learned implements tabular.Agent.
func (a *agent) Learned(int, int, int) {}

// Act implements tabular.Agent.
func (a *agent) Act(ctx context.Context, s int, rng *rand.Rand) (int, error) {
	if err := a.values.Run(ctx, a.backup, a.sweeps); err != nil {
		return -1, err
	}
	return a.values.Greedy(s, a.backup, rng), nil
}

// backup returns Q(s, a).
func (a *agent) backup(s, action int, v []float64, total float64) float64 {
	return a.know.Backup(s, action, v, total) + a.beta/(1+a.know.Count(s, action))
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "takes the best action of the mean MDP, with a bonus for what was seen seldom; learns transitions that are unknown",
		Written: "BEB",
		Cited:   "BEB, the Bayesian exploration bonus [@kolter2009]",
		SetUp:   "the lists of what may follow" + solverkit.Long,
		Params:  []solverkit.Param{{Key: "bonus", Field: "Beta", Arg: "B", Doc: "bonus β of an action never seen, in reward units (default 10% of the range of rewards)", Zero: "NoBonus"}, solverkit.Sweeps},
	}
}

// Supports implements solverkit.Selective.
func (s Solver) Supports(m bcpace.Model) error { return solverkit.NeedsNumbered(m, s.Name()) }
