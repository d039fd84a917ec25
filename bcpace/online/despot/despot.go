// Package despot is DESPOT (Somani, Ye, Hsu and Lee 2013, "DESPOT: online POMDP planning with
// regularization"; Ye, Somani, Hsu and Lee 2017, the journal version, whose notation is used
// here): heuristic search in a tree that holds what K sampled scenarios can lead to.
//
// A scenario is a latent drawn from the belief and a stream of random numbers for each step
// to come, under which the model is deterministic. A node b has the scenarios Φ_b whose states
// agree so far, and in place of its value
//
//	ν(b) = max( ℓ0(b), max over a of ρ(b,a) + Σ ν(b') ),  ρ(b,a) = γ^Δ(b)/K·Σ R − λ
//
// with the sum over Φ_b, where ℓ0 is what a default policy earns in the scenarios from b on,
// and λ prices a node of the policy's tree, so that the policy does not fit itself to the
// scenarios. ν lies in [ℓ(b), μ(b)]. A trial goes down by the largest μ and the largest excess
// of μ − ℓ, expands the leaves that it comes to, and backs up. At a leaf, μ is the mean value of
// the scenarios where their latents are known, which bounds ν but for the luck of the steps to
// come, and ℓ0 that of the better one of two policies: one action for ever, and what is best if
// the latent of most scenarios were the true one. Where the model states what is earned at least
// (bcpace.ValueBounds), and at the root this is no less than what these two earn, ℓ0 is what it
// states for the latents of the scenarios, which needs no simulation. Where the depth cuts a policy
// that is played, a cost of the known latent from there on counts, as it does in μ.
//
// As the scenarios are a sample, ℓ and μ do not bound V*: a decision has no interval. The
// scenarios of each decision are new.
package despot

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// Solver is DESPOT as a solver. Every zero value is useful. Simulations of its Budget are
// trials.
type Solver struct {
	// Budget is that of a decision. The default is online.DefaultSimulations trials. Depth is
	// that of the tree, and of what default policies play; what a model states has no depth.
	Budget bcpace.Budget
	// Scenarios is K; 0 means 100. Ye et al. (2017, Section 6) draw 500, and have a second for a
	// decision: a trial takes time in proportion to K.
	Scenarios int
	// Regularisation is λ, in reward units: the price of a node of the policy's tree.
	Regularisation float64
}

const defaultScenarios = 100

// maxScenarios bounds the memory of a decision.
const maxScenarios = 1_000_000

// Name implements bcpace.Solver.
func (Solver) Name() string { return "despot" }

// Solve implements bcpace.Solver. It only sets up: the policy of the solution is a
// planner (bcpace.PolicyAbilities.Plan), whose value nobody knows, and nothing is certified but the range of returns.
//
// The values of the latents are those of dp.SolveLatent, whose errors are those of Solve.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if err := cmp.Or(online.Check(s, m, c, s.Budget), s.check()); err != nil {
		return nil, err
	}
	if err := solverkit.NeedActionList(m.Spec(), s.Name()); err != nil {
		return nil, err
	}
	m = bcpace.KeepHorizon(m)
	q, err := dp.SolveLatent(solverkit.WithControl(ctx, c), m)
	if err != nil {
		return runs.Unfinished(ctx, err, m, s, runs.LatentSoFar(q))
	}
	p := online.New(m.Spec(), s.Budget, func() online.Search { return newSearch(m, s, q) })
	return online.Solution(s, m, p), nil
}

// check returns an *bcpace.InputError for parameters that cannot be used.
func (s Solver) check() error {
	bad := bcpace.In("options").Bad
	switch {
	case s.Scenarios < 0 || s.Scenarios > maxScenarios:
		return bad("Scenarios", s.Scenarios, fmt.Sprintf("a number of scenarios up to %d, or 0 for %d", maxScenarios, defaultScenarios))
	case !(s.Regularisation >= 0) || math.IsInf(s.Regularisation, 1):
		return bad("Regularisation", s.Regularisation, "a price in reward units, or 0")
	}
	return nil
}
