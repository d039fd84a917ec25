package sarsop

import "bayescpace/bcpace/baseline/pointbased"

// node is a belief of the tree, at one x. Beliefs that are the same but for
// rounding share a node, however they are reached.
type node struct {
	pointbased.BeliefPoint
	sig   uint64
	q     []float64 // Q_a·b of the initial upper bound, by action
	f     float64   // the largest of them
	upper float64
	point int   // place among the points of x, or −1
	acts  []act // by action; nil before the first visit
	tight int   // the first bounds that the upper bounds of actions take account of
	live  bool  // mark of pruning
	trial int   // the latest deep trial that came here
	index int32 // among the nodes of the latest closeUpper
	exit  exit
}

// exit is the way from a node among those that are taken for one to the action by which an agent leaves them best.
type exit struct {
	action int32
	far    int32 // how many steps it is away, plus 1; 0 for no such way
}

// act is an action at a node.
type act struct {
	reward       float64
	pay          float64 // reward, as lower bounds have it
	lower, upper float64
	stamp        int     // of the backup that made upper anew
	looks        int     // times that upper was made anew
	children     []child // outcomes by x' and observation; nil before the action is looked at
	taken        taken
}

// child is an outcome of an action at a node. Until it is visited it has bounds,
// but its belief is computed again where it is needed.
type child struct {
	pointbased.BeliefOutcome
	node     *node // nil before the visit
	upper, f float64
	q        []float64
	known    int  // the latest point that upper takes account of
	ahead    bool // upper takes account of the tighter informed bound
	grid     bool // and of the triangulation

	more *support // nil unless the problem is deep
}

// support is what else there is of an outcome in a deep problem.
type support struct {
	slack float64 // that the node's upper bound is raised by, as its belief is another one but for rounding
	// Where the upper bound rests on a point, its node is by, and it is rest and share times the bound there.
	by          *node
	share, rest float64
	taken       taken
}

// taken is what is known of the deep trials that have taken an action or an outcome.
type taken struct {
	trials int32 // how many
	vain   int32 // how many since one has found a belief
}

// mostLack is the share of a belief that may be missing from the one of a node that stands for it, where there is
// a Goal.
const mostLack = 1e-9

// lacks returns the least share s of b such that b is at least (1 − s) times the belief of n, which is near.
// Then V*(b) ≤ (1 − s)V*(n) + s·U, as V* is convex, U being the largest value, and is above V*(n) by no more
// than s times the spread of values.
func (n *node) lacks(b pointbased.Belief) (s float64) {
	for i, v := range n.P {
		if v > 0 {
			s = max(s, 1-b.P[i]/v)
		}
	}
	return s
}
