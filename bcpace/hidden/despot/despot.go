// Package despot is DESPOT (Somani, Ye, Hsu and Lee 2013, "DESPOT: online POMDP planning with
// regularization"; Ye, Somani, Hsu and Lee 2017, the journal version) for a hidden vector: heuristic search in a
// tree that holds what K sampled scenarios can lead to.
//
// A scenario is a hidden vector drawn from the belief and a stream of random numbers for each step to come, under which the
// model is deterministic. The search is that of package online/despot, which says more. A node has the scenarios whose states
// agree so far. So it is for states of whole numbers: where an observation is a real number, each scenario soon has a
// node of its own, as if the hidden vector were seen, and package adaops is the better choice. No density is needed.
//
// At a leaf, μ is the mean of the upper bounds of Model.Bounds. ℓ0 is the mean of the lower ones or, where these say nothing and at
// the root, what the better one of two policies earns in the scenarios: one action for ever, and Model.Rollout for the
// hidden vector of one scenario, which all of them follow. With Solver.RandomDefault it is what a policy earns that draws each
// action, but where the bounds of Model.Bounds are equal. That is less, but a decision goes by what ℓ says of one action and not of
// another one, and a lower bound that is the same nearly everywhere tells them apart only where the tree is deep.
//
// Where there are few states and hidden vectors, and the model has neither Bounds nor Rollout, ℓ0 is that of a table: the best of what each
// action for ever earns, and the plan that DESPOT finds for the first decision of an episode, by the hidden vectors of the scenarios.
//
// Where the depth cuts a policy that is played, what follows counts as Model.Bounds say from there: by the lower one or, where it says nothing, by the
// upper one if it is a cost; and not at all without them, or where the depth is the horizon of the model.
//
// As the scenarios are a sample, ℓ and μ do not bound the optimal value: a decision has no interval.
package despot

import (
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/hidden/internal/search"
	"bayescpace/bcpace/solverkit"
)

// Solver has the parameters. Every zero value is useful.
type Solver struct {
	// Budget is that of a decision, in trials. The default is 1000 trials. Depth is that of the tree, and of what the
	// default policy plays. A decision ends earlier where its hidden vectors take some 200 megabytes.
	Budget bcpace.Budget
	// Scenarios is K; 0 means 100, and 1000 in a model of few states and hidden vectors that has neither Bounds nor Rollout. Ye et
	// al. (2017, Section 6) draw 500.
	Scenarios int
	// Regularisation is λ, in reward units: the price of a node of the policy's tree.
	Regularisation float64
	// RandomDefault has a random policy as the default policy, as in the program of Sunberg and Kochenderfer (2018) for LaserTag:
	// ℓ0 is what it earns, in reward units, unless the two bounds of Model.Bounds are equal. Model.Rollout is asked only there.
	RandomDefault bool
}

const (
	defaultScenarios = 100
	fewScenarios     = 1000 // where leaves cost next to nothing
	maxScenarios     = 1_000_000
)

// Planner returns the planner for m. The error is a *bcpace.InputError for a model or parameters that cannot be used, and a
// *bcpace.UnsupportedError for actions with a Box.
func (o Solver) Planner(m *hidden.Model) (hidden.Planner, error) {
	bad := bcpace.In("options").Bad
	switch {
	case o.Scenarios < 0 || o.Scenarios > maxScenarios:
		return nil, bad("Scenarios", o.Scenarios, fmt.Sprintf("a number of scenarios up to %d, or 0 for %d", maxScenarios, defaultScenarios))
	case !(o.Regularisation >= 0) || math.IsInf(o.Regularisation, 1):
		return nil, bad("Regularisation", o.Regularisation, "a price in reward units, or 0")
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if err := search.NeedActionList(m, "despot"); err != nil {
		return nil, err
	}
	if o.Budget.Depth == 0 {
		o.Budget.Depth = solverkit.SearchDepth(m.Spec.Spec)
	}
	var table *search.Table
	if !o.RandomDefault {
		var err error
		if table, err = search.NewTable(m, o.Budget.Depth); err != nil {
			return nil, err
		}
	}
	switch {
	case o.Scenarios > 0:
	case table != nil:
		o.Scenarios = fewScenarios
	default:
		o.Scenarios = defaultScenarios
	}
	return search.New(m, o.Budget, func() search.Search {
		return search.NewScenarios(search.Guarded(m), table, o.Scenarios, o.Budget.Depth, o.Regularisation, o.RandomDefault)
	})
}
