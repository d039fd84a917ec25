package bcpace

import "time"

// Decision is what a planner has found at a state and belief.
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

// Budget bounds a decision of a planner. 0 means the planner's default.
type Budget struct {
	Simulations int           `json:",omitempty"` // most simulations of a decision; 0 with a Time is no limit
	Time        time.Duration `json:",omitempty"` // most time of a decision, with which results depend on the machine; 0 is no limit
	Depth       int           `json:",omitempty"` // most steps of a simulation; 0 is as many as matter, see solverkit.SearchDepth
}
