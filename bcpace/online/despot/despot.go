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
// come, and ℓ0 that of the better one of two policies: one action always, and what is best if
// the latent of most scenarios were the true one. Where the model states what is earned at least
// (bcpace.ValueBounds), and at the root this is no less than what these two earn, ℓ0 is what it
// states for the latents of the scenarios, which needs no simulation. Where the depth cuts a policy
// that is played, a cost of the known latent from there on counts, as it does in μ.
//
// As the scenarios are a sample, ℓ and μ do not bound V*: a decision has no interval. The
// scenarios of each decision are new.
//
// # A hidden vector
//
// For a hidden vector (Solver.Planner) a scenario has one that is drawn from the belief. This is for states of whole numbers:
// where an observation is a real number, each scenario soon has a
// node of its own, as if the hidden vector were seen, and package adaops is the better choice. No density is needed.
//
// At a leaf, μ is the mean of the upper bounds of Model.Bounds. ℓ0 is the mean of the lower ones or, where these say nothing and at
// the root, what the better one of two policies earns in the scenarios: one action always, and Model.Rollout for the
// hidden vector of one scenario, which all of them follow. With Solver.RandomDefault it is what a policy earns that draws each
// action, but where the bounds of Model.Bounds are equal. That is less, but a decision goes by what ℓ says of one action and not of
// another one, and a lower bound that is the same nearly everywhere tells them apart only where the tree is deep.
//
// Where there are few states and hidden vectors, and the model has neither Bounds nor Rollout, ℓ0 is that of a table: the best of what each
// action always earns, and the plan that DESPOT finds for the first decision of an episode, by the hidden vectors of the scenarios.
//
// Where the depth cuts a policy that is played, what follows counts as Model.Bounds say from there: by the lower one or, where it says nothing, by the
// upper one if it is a cost; and not at all without them, or where the depth is the horizon of the model.
package despot

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/vectors"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// Solver is DESPOT as a solver. Every zero value is useful. Simulations of its Budget are
// trials.
type Solver struct {
	// Budget is that of a decision. The default is online.DefaultSimulations trials. Depth is
	// that of the tree, and of what default policies play; what a model states has no depth. A decision for a hidden vector ends
	// earlier where its vectors take some 200 megabytes.
	Budget bcpace.Budget
	// Scenarios is K; 0 means 100, and 1000 for a hidden vector in a model of few states and vectors that has neither Bounds nor
	// Rollout. Ye et al. (2017, Section 6) draw 500, and have a second for a
	// decision: a trial takes time in proportion to K.
	Scenarios int
	// Regularisation is λ, in reward units: the price of a node of the policy's tree.
	Regularisation float64
	// RandomDefault is for a hidden vector. It has a random policy as the default policy, as in the program of Sunberg and Kochenderfer
	// (2018) for LaserTag: ℓ0 is what it earns, in reward units, unless the two bounds of Model.Bounds are equal. Model.Rollout is asked
	// only there.
	RandomDefault bool `json:",omitempty"`
}

const (
	defaultScenarios = 100
	fewScenarios     = 1000      // where leaves cost next to nothing
	maxScenarios     = 1_000_000 // bounds the memory of a decision
)

// Name implements bcpace.Solver.
func (Solver) Name() string { return "despot" }

// Solve implements bcpace.Solver. It only sets up: the policy of the solution is a
// planner (bcpace.PolicyAbilities.Plan), whose value nobody knows, and nothing is certified but the range of returns.
//
// The values of the latents are those of dp.SolveLatent, whose errors are those of Solve.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if err := cmp.Or(online.Check(s, m, c, s.Budget), s.check(), s.checkLatents()); err != nil {
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
	p := online.New(m.Spec(), s.Budget, func() online.Search[bcpace.Belief] { return newSearch(m, s, q) })
	return online.Solution(s, m, p), nil
}

// Planner returns the planner for a hidden vector. The error is a *bcpace.InputError for a model or parameters that cannot be used, and a
// *bcpace.UnsupportedError for actions with a Box.
func (s Solver) Planner(m *hidden.Model) (hidden.Planner, error) {
	if err := cmp.Or(s.check(), m.Validate()); err != nil {
		return nil, err
	}
	if err := vectors.NeedActionList(m, s.Name()); err != nil {
		return nil, err
	}
	depth := cmp.Or(s.Budget.Depth, solverkit.SearchDepth(m.Spec.Spec))
	var table *vectors.GuessTable
	if !s.RandomDefault {
		var err error
		if table, err = vectors.NewTable(m, depth); err != nil {
			return nil, err
		}
	}
	scenarios := cmp.Or(s.Scenarios, defaultScenarios)
	if s.Scenarios == 0 && table != nil {
		scenarios = fewScenarios
	}
	return online.NewVectors(m, s.Budget, func() online.Search[hidden.Belief] {
		return vectors.NewScenarios(vectors.Guarded(m), table, scenarios, depth, s.Regularisation, s.RandomDefault)
	})
}

// checkLatents returns an *bcpace.InputError for what is for a hidden vector.
func (s Solver) checkLatents() error {
	if s.RandomDefault {
		return bcpace.In("options").Bad("RandomDefault", true, "false for latents of a list")
	}
	return nil
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

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "searches at every decision in a tree of what sampled scenarios can lead to",
		Written: "DESPOT",
		Cited:   "DESPOT [@somani2013,ye2017]",
		SetUp:   "the values of the latent MDPs" + solverkit.Long,
		Params: []solverkit.Param{
			solverkit.Budget, solverkit.Depth,
			{Key: "scenarios", Field: "Scenarios", Arg: "K", Doc: "scenarios of a decision; 0 for 100"},
			{Key: "regularisation", Field: "Regularisation", Arg: "L", Doc: "price of a node of the policy's tree, in reward units"},
		},
	}
}

// Tabulates implements solverkit.Tabulator.
func (Solver) Tabulates(m bcpace.Model) bool { return !solverkit.Valued(m) }
