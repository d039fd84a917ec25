package bcpace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// Planner is a Policy that searches anew at every decision, within a Budget, such as those of package
// online. Its Act is the Action of Plan, and −1 where Plan has an error. It is a Forker and, as its
// decisions take long, a solverkit.LongActor.
type Planner interface {
	Policy
	// Plan searches from (s, b). All that is random comes from rng. If ctx ends, Plan soon
	// returns the decision so far beside the error of ctx. Other errors are an *InputError
	// for what is no state and belief of the planner's model, and a *ConformanceError.
	Plan(ctx context.Context, s []float64, b Belief, rng *rand.Rand) (Decision, error)
}

// Decision is what a Planner has found at a state and belief.
type Decision struct {
	Action int // the id of the action to take
	// Actions are the ids of the actions that the planner has compared: all of them, in their
	// order, if they are a list. Q estimates the value of each, in reward units, NaN where it
	// was not tried, and Visits counts the simulations that took it first.
	Actions      []int
	Q            []float64
	Visits       []int
	Lower, Upper float64 // of V*(s, b), in reward units: −Inf and +Inf for a planner that bounds nothing
	Simulations  int     // simulated episodes, or trials of a search, of this decision
	Depth        int     // of the deepest node of the search, in steps
	Timed        bool    // the Budget was a time, so that the decision is not the same again
}

// Inspector is a Planner that shows what its last decision has searched.
type Inspector interface {
	Planner
	// Nodes returns the top of the search tree, so many nodes at most: the root, and then again and again
	// the most visited of those that follow a node before it. Ask before Observe. It returns nothing where
	// there was no decision or the search has no tree; the error is that of the Bayes estimator.
	Nodes(most int) ([]SearchNode, error)
}

// SearchNode is a node of a search tree: a state and belief that may follow.
type SearchNode struct {
	Parent int // its place in the list, which is before this one; −1 at the root
	Action int // the id of the action that led here from there; −1 at the root
	// Prob is the probability of the node, given that action: exact where a search lists what
	// follows, and otherwise the share of the simulations or scenarios that came here. What ends
	// the episode may have no node.
	Prob   float64
	State  []float64
	Belief Belief
	Depth  int // steps from the root
	Visits int // simulations that came here or, of a search between bounds, nodes expanded from here on
	// Value is the search's estimate of V*(State, Belief), in reward units: of a search between
	// bounds the lower one. Lower and Upper bound V*: −Inf and +Inf where nothing is known.
	Value, Lower, Upper float64
	Best                int // the id of the best action so far; −1 where none was tried
}

// Budget bounds a decision of a Planner. 0 means the planner's default.
type Budget struct {
	Simulations int           `json:",omitempty"` // most simulations of a decision; 0 with a Time is no limit
	Time        time.Duration `json:",omitempty"` // most time of a decision, with which results depend on the machine; 0 is no limit
	Depth       int           `json:",omitempty"` // most steps of a simulation; 0 is as many as matter, see solverkit.SearchDepth
}

// Episodic is a Policy with memory within an episode, such as a search tree. Rollout tells it what
// happens; exact evaluation refuses it. Act must do without Begin and Observe, as if an episode began
// there.
type Episodic interface {
	Policy
	// Begin says that an episode begins in s with belief b.
	Begin(s []float64, b Belief)
	// Observe says what followed the action of the last Act, and that the episode goes on.
	Observe(action int, reward float64, next []float64)
}

// AsPlanner returns p as a Planner, if it is one. Ask it rather than a type assertion: see PolicyOf.
func AsPlanner(p Policy) (Planner, bool) {
	planner, ok := unwrapped(p).(Planner)
	return planner, ok
}

// unwrapped returns the policy that PolicyOf was given for p.
func unwrapped(p Policy) Policy {
	for c, ok := p.(policyOf); ok; c, ok = p.(policyOf) {
		p = c.Policy
	}
	return p
}

// Plan is Planner.Plan. If p panics or decides for no action of the model, the error is an
// *InputError.
func (s *Spec) Plan(ctx context.Context, p Planner, state []float64, b Belief, rng *rand.Rand) (d Decision, err error) {
	defer s.guardPolicy(&err, "Plan", state, b)
	if d, err = p.Plan(ctx, state, b, rng); err != nil {
		return d, fmt.Errorf("policy at state %v: %w", state, err)
	}
	if !s.IsAction(d.Action) {
		return d, s.noAction(d.Action, state)
	}
	return d, nil
}
