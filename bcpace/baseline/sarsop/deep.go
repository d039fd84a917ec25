package sarsop

import (
	"cmp"
	"context"
	"math"
	"slices"

	"bayescpace/bcpace/internal/num"
)

// A problem is deep if the target of a trial hardly grows with its depth: the discount is near 1, or
// there is none. Bounds are then about equally far apart at all beliefs, however far a trial goes, and three
// things differ from what suits others.
//
//   - A trial takes the outcome that adds most to the gap for each trial that has come there, so that all
//     outcomes have their share of the trials. It ends where it comes back to one of its beliefs, and at a
//     depth that grows while that leaves the bounds as they are. (Horák, Bošanský and Chatterjee 2018,
//     "Goal-HSVI: Heuristic Search Value Iteration for Goal-POMDPs", bound the depth; Ho, Feather, Rossi, Sunberg
//     and Lahijanian 2024, "Sound Heuristic Search Value Iteration for Undiscounted POMDPs with Reachability
//     Objectives", let it grow, and search a graph.)
//   - The upper bounds of all nodes are made anew together, see closeUpper.
//   - So are the lower bounds, see pointbased.Set.Close.

const (
	// tie is the share of the spread of values by which bounds differ that are the same but for rounding.
	tie = 1e-9
	// deepRate is the 1−γ below which a problem is deep.
	deepRate = 1. / 1024
	// shallow is the depth of the first deep trials. Where there is a Goal, it also grows after mostCuts trials that
	// were cut there.
	shallow  = 64
	mostCuts = 4
	// lowerEvery is how many trials there are to one that follows the lower bound.
	lowerEvery = 3
	// mostVain is how many trials in vain count.
	mostVain = 64
	// closeVisit and planVisit are how large an MDP of closeUpper, and a chain of pointbased.Set.Close, may be to
	// be solved in about the time that a trial takes at a node.
	closeVisit = 100
	planVisit  = 200
	// closeWork and planWork are about how much work an entry of these takes.
	closeWork = 70
	planWork  = 500
	// firstPlans is how large that chain may be in any case.
	firstPlans = 100_000
)

// deepTrial is trial for a deep problem.
func (t *tree) deepTrial(ctx context.Context, path []*node, target float64) []*node {
	t.trials++
	known := len(t.nodes)
	t.ways = t.ways[:0]
	path = t.descend(ctx, path, target, func(n *node, a int, target float64) *node {
		n.trial = t.trials
		i := -1
		if t.trials%lowerEvery == 0 {
			a = t.bestLower(n)
			i = t.outcome(n, a, target)
		} else {
			a, i = t.choose(n, a, target)
		}
		if i < 0 {
			return nil
		}
		t.ways = append(t.ways, &n.acts[a].taken, &n.acts[a].children[i].more.taken)
		if n = t.childNode(n, a, i); n.trial == t.trials {
			return nil
		}
		return n
	})
	if len(path) == t.depth {
		if t.cuts++; t.Goal != nil && t.cuts%mostCuts == 0 {
			t.deepen(path)
		}
	}
	for _, c := range t.ways {
		c.trials++
		c.vain++
		if len(t.nodes) > known {
			c.vain = 0
		}
	}
	t.backupPath(ctx, path)
	t.closes.visits += len(path)
	t.plans.visits += len(path)
	return path
}

// together makes the upper bounds of all nodes anew together, and the lower ones, each where trials have visited as
// many nodes since the last time as takes about as long. The lower ones also wait until trials have grown by a tenth.
func (t *tree) together(ctx context.Context, gap float64) {
	if t.closes.visits > t.closes.size/closeVisit {
		t.closes = joint{size: t.closeUpper(ctx, gap)}
		t.grids.do(gridShare * closeWork * float64(t.closes.size))
	}
	if t.plans.visits > t.plans.size/planVisit && 10*t.trials > 11*t.plans.trials {
		size, most := 0, max(firstPlans, 2*planVisit*t.plans.visits)
		if size = t.Close(ctx, t.points(), gap, len(t.work), most); size > most {
			size = 2 * most // before which it is tried in vain again
		}
		t.plans = joint{size: size, trials: t.trials}
		t.grids.do(gridShare * planWork * float64(min(size, most)))
		t.bound()
	}
}

// choose returns the action at n that a deep trial takes, and its outcome: of the actions whose upper bounds are as
// high as that of best, the one that fewest trials have taken in vain, of those that have an outcome to follow. It
// returns −1 where there is none. Without a Goal, it is the best one.
func (t *tree) choose(n *node, best int, target float64) (action, outcome int) {
	least := n.acts[best].upper - tie*t.spread
	t.order = append(t.order[:0], best)
	for a := range n.acts {
		if t.Goal != nil && a != best && (n.acts[a].upper >= least || n.exit.by(a)) {
			t.order = append(t.order, a)
		}
	}
	slices.SortStableFunc(t.order, func(a, b int) int {
		return cmp.Or(n.exit.first(a, b), n.acts[a].taken.less(n.acts[b].taken))
	})
	for _, a := range t.order {
		if n.acts[a].stamp != t.stamp {
			t.refreshUpper(n, a)
		}
		if n.acts[a].upper < least && !n.exit.by(a) {
			continue
		}
		t.updateChildren(n, a)
		t.refreshLower(t.work[0], n, a)
		if i := t.outcome(n, a, target); i >= 0 {
			return a, i
		}
	}
	return -1, -1
}

// less compares how often trials have been in vain and then, where that is the same, how many there were.
func (t taken) less(y taken) int {
	return cmp.Or(cmp.Compare(t.vain, y.vain), cmp.Compare(t.trials, y.trials))
}

// first compares actions, of which the one that leads to the exit is the first.
func (e exit) first(a, b int) int {
	switch {
	case a == b:
		return 0
	case e.by(a):
		return -1
	case e.by(b):
		return 1
	}
	return 0
}

// by reports whether there is a way to the exit, which begins with the action a.
func (e exit) by(a int) bool { return e.far > 0 && a == int(e.action) }

// bestLower returns the action at n with the highest lower bound.
func (t *tree) bestLower(n *node) int {
	_, best := num.Largest(t.NA, func(a int) float64 {
		t.updateChildren(n, a)
		t.refreshLower(t.work[0], n, a)
		return n.acts[a].lower
	})
	if n.acts[best].stamp != t.stamp {
		t.refreshUpper(n, best)
	}
	return best
}

// outcome returns the outcome that leads to the exit, where n is among nodes that are taken for one, or that adds
// most to the gap beyond its target for each trial that has come there, half as much for each in vain; −1 where no
// outcome is beyond its target, but for what the trial has seen already.
func (t *tree) outcome(n *node, a int, target float64) int {
	best, most := -1, 0.0
	children := n.acts[a].children
	for i := range children {
		k := &children[i]
		if k.upper-k.Lower <= target || k.node != nil && k.node.trial == t.trials {
			continue
		}
		if to, _, _ := t.leads(k); to != nil && n.exit.by(a) && to.exit.far > 0 && to.exit.far < n.exit.far {
			return i
		}
		over := math.Ldexp(k.P*(k.upper-k.Lower-target)/float64(1+k.more.taken.trials), -int(min(k.more.taken.vain, mostVain)))
		if over > most {
			best, most = i, over
		}
	}
	return best
}
