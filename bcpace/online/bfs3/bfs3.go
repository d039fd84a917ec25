// Package bfs3 is BFS3, Bayesian forward search sparse sampling (Asmuth and Littman 2011,
// "Learning is planning: near Bayes-optimal reinforcement learning via Monte-Carlo tree
// search"): at every decision it searches the tree of sparse sampling (Kearns, Mansour and Ng
// 2002) over states and what is known there, in which each action of a node has C draws of what
// follows, down to a depth. It opens those parts of the tree alone that can matter, by forward
// search sparse sampling (Walsh, Goschin and Littman 2010, "Integrating sample-based planning
// and model-based reinforcement learning").
//
// Each node has bounds of its value in that tree. A trial begins at the root, and takes at each
// node the action of the largest upper bound and of the nodes behind it the one whose bounds,
// by the number of its draws, are farthest apart. On the way back bounds become those of
//
//	Q(n,a) = mean over the C draws of r + γ·V(n'),  V(n) = max over a of Q(n,a)
//
// Where the bounds at the root meet, the value of the sampled tree is known and the search ends.
// With C and the depth large enough the tree's best action is near the Bayes-optimal one, which
// counts what it learns.
//
// Draws are from what is known at a node: of a belief over latents, and where transitions are
// unknown (bcpace.UnknownTransitions) of the counts so far, with those of the path. At the depth
// the tree ends with the value 0, as in sparse sampling. If the budget is spent before, the agent
// takes the action with the largest mean of its bounds: in the double loop that earned more than
// the largest upper bound, with which the agent still looks for what it does not know, and was
// less often far off than the largest lower one.
package bfs3

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/tabular"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/solverkit"
)

// Solver is BFS3 as a solver. Every zero value is useful.
type Solver struct {
	// Budget is that of a decision. A simulation is a trial. Depth is where the tree ends; 0
	// means 10, or what bcpace.Spec.SearchDepth says if that is less, and 10,000 is the most.
	Budget bcpace.Budget
	// Width is C. 0 means 15.
	Width int `json:",omitempty"`
}

const (
	defaultDepth = 10
	defaultWidth = 15
	maxDepth     = 10_000 // bounds memory
)

// Name implements bcpace.Solver.
func (Solver) Name() string { return "bfs3" }

// Solve implements bcpace.Solver. It only sets up: the policy of the solution is a
// planner (bcpace.PolicyAbilities.Plan), whose value nobody knows, and nothing is certified but the range of returns.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	if err := online.Check(s, m, c, s.Budget); err != nil {
		return nil, err
	}
	if err := s.check(m); err != nil {
		return nil, err
	}
	u, learns := m.(bcpace.UnknownTransitions)
	if !learns {
		m = bcpace.KeepHorizon(m)
		return online.Solution(s, m, online.New(m.Spec(), s.Budget, func() online.Search[bcpace.Belief] { return newSearch(m, s, newBeliefs(m)) })), nil
	}
	if err := tabular.Check(m, s.Name()); err != nil {
		return nil, err
	}
	know, err := tabular.NewRows(ctx, u)
	if err != nil {
		return nil, err
	}
	return online.Solution(s, m, online.New(m.Spec(), s.Budget, func() online.Search[bcpace.Belief] { return newSearch(m, s, newCounts(u, know.Fork())) })), nil
}

// check returns the error of a parameter that cannot be used, or of a model without a list of
// actions.
func (s Solver) check(m bcpace.Model) error {
	switch {
	case s.Width < 0:
		return bcpace.In("options").Bad("Width", s.Width, "1 draw or more, or 0 for the default")
	case s.Budget.Depth > maxDepth:
		return bcpace.In("options").Bad("Budget.Depth", s.Budget.Depth, fmt.Sprintf("%d steps at most", maxDepth))
	}
	return solverkit.NeedActionList(m.Spec(), s.Name())
}

func init() { solverkit.Register(Solver{}) }

// About implements solverkit.Described.
func (Solver) About() solverkit.About {
	return solverkit.About{
		Doc:     "searches the tree of sparse sampling where it matters, by bounds; learns transitions that are unknown",
		Written: "BFS3",
		Cited:   "BFS3, Bayesian forward search sparse sampling [@asmuth2011,walsh2010]",
		Params:  []solverkit.Param{solverkit.Budget, solverkit.Depth, {Key: "width", Field: "Width", Arg: "C", Doc: "draws for each action of a node (default 15)", Want: "1 draw or more"}},
	}
}
