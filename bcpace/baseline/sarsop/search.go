package sarsop

import (
	"cmp"
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/pomdp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

// idle is tree.idle, unless the problem is deep.
const idle = 20

// search is SolvePOMDP for a model that stays as it is. All that it finds depends on the
// model and the parameters alone, unless ctx ends it. The trace has a line for the start,
// then one whenever the gap fell by 2 %, then the last. The error is that of ctx where it
// ends before the tables of a large model have been looked through, a *bcpace.InputError for
// parameters or tables that cannot be used, and a *bcpace.UnsupportedError where
// Model.CheckStationary has one.
func (s Solver) search(ctx context.Context, m *pomdp.Model, c bcpace.Control) (*pomdp.Solution, error) {
	if err := cmp.Or(s.check(), c.Check()); err != nil {
		return nil, err
	}
	workers := c.Processors()
	set, err := pointbased.New(ctx, "SARSOP", m, workers, true)
	if err != nil {
		return nil, err
	}
	t := newTree(set, workers)
	t.pool.start(workers)
	defer t.pool.stop()
	asked := s
	s.Epsilon = solverkit.GapFor(m.Spec(), s.Epsilon)
	found := s.trials(ctx, t, m, c)
	found.Solver = asked
	return found, nil
}

// trials searches until something ends that.
func (s Solver) trials(ctx context.Context, t *tree, m *pomdp.Model, c bcpace.Control) *pomdp.Solution {
	searching, cancel := runs.LeaveTime(ctx, pointbased.EvaluateTime)
	defer cancel()
	t.ctx = searching
	t.first = t.tighten(searching)
	defer t.first.stop()
	t.first.do(earlyWork)

	found := &pomdp.Solution{Solver: s, Model: m}
	lower, upper := t.bounds()
	now := bcpace.Progress{Samples: len(t.nodes), Value: upper, Gap: upper - lower, Epsilon: s.Epsilon}
	found.Trace = append(found.Trace, now)
	report := func() {
		lower, upper = t.bounds()
		now.Value = min(now.Value, upper) // tolerances may grow
		now.Samples, now.Gap = len(t.nodes), now.Value-lower
		if c.Progress != nil {
			c.Progress(now)
		}
	}
	report()
	t.first.report = report
	var path []*node
	quiet := 0
	for {
		switch {
		case now.Gap <= s.Epsilon:
			found.Stop = stop.Certified
		case searching.Err() != nil:
			found.Stop = pointbased.Ended(ctx)
		case s.MaxTrials > 0 && now.Episodes >= s.MaxTrials:
			found.Stop = stop.Episodes
		case s.MaxBeliefs > 0 && len(t.nodes) >= s.MaxBeliefs:
			found.Stop = stop.Samples
		case t.full:
			found.Stop = stop.Memory
		case quiet >= t.idle() && t.first.over:
			found.Stop = stop.Rounding
		}
		if found.Stop != "" {
			break
		}
		before := t.improved
		path = t.turn(searching, path, now)
		quiet++
		if quiet >= t.idle() {
			t.first.do(earlyWork)
		}
		if t.improved > before || quiet >= t.idle() && t.deepen(path) {
			quiet = 0
		}
		now.Episodes++
		report()
		if now.Gap <= 0.98*found.Trace[len(found.Trace)-1].Gap {
			found.Trace = append(found.Trace, now)
		}
	}
	if found.Trace[len(found.Trace)-1].Episodes < now.Episodes {
		found.Trace = append(found.Trace, now)
	}
	found.Value, found.Certificate = lower, pointbased.Proved(lower, now.Value)
	found.Policy = t.policy(ctx)
	return found
}

// idle returns the number of trials without any improvement after which rounding is all that is left.
func (t *tree) idle() int {
	if t.deep {
		return 10*idle + 4*len(t.nodes)
	}
	return idle
}

// turn makes a trial, and then backs up what has become many since the last time.
func (t *tree) turn(ctx context.Context, path []*node, now bcpace.Progress) []*node {
	trial := t.trial
	if t.deep {
		trial = t.deepTrial
	}
	path = trial(ctx, path, now.Gap*widths[now.Episodes%len(widths)])
	if len(t.nodes) > t.swept+t.swept/4+100 && ctx.Err() == nil {
		t.trim()
		t.sweep(ctx, now.Gap*widths[len(widths)-1])
		t.swept = len(t.nodes)
		t.bound()
	}
	if t.deep {
		t.together(ctx, now.Gap)
	}
	return path
}

// deepen lets trials go twice as deep if the last one was cut, and reports whether it was.
func (t *tree) deepen(path []*node) bool {
	if len(path) < t.depth || t.depth == lastDepth {
		return false
	}
	t.depth = min(2*t.depth, lastDepth)
	return true
}

// widths are the target gaps of successive trials, as fractions of the gap at the
// initial belief. Wide targets end trials soon, which lowers the upper bound of
// many beliefs near the start; narrow ones go deep, where the lower bound learns
// of rewards that lie far off.
var widths = [...]float64{1. / 2, 1. / 32}

const (
	// The depth of a trial is firstDepth at most, and grows where trials that are cut there improve nothing: γ^1000 is beyond
	// any target unless γ is nearly 1.
	firstDepth = 1000
	lastDepth  = 1 << 20
	// A trial at most doubles the beliefs, or adds this many. In a large model the first ones would take seconds
	// otherwise, and nothing that they find raises the lower bound before they end.
	fewBeliefs = 64
)

// trial goes from the initial belief along the action with the highest upper
// bound and the outcome that adds most to the gap beyond its target (the
// heuristics of Smith and Simmons 2004), until the target of the depth, γ^-t
// times that of the start, is met, or it has grown too long. Then the beliefs of the path are backed up
// in reverse.
func (t *tree) trial(ctx context.Context, path []*node, target float64) []*node {
	most := len(t.nodes) + max(len(t.nodes), fewBeliefs)
	path = t.descend(ctx, path, target, func(n *node, a int, target float64) *node {
		t.updateChildren(n, a)
		t.refreshLower(t.work[0], n, a)
		best, far := -1, 0.0
		for i := range n.acts[a].children {
			k := &n.acts[a].children[i]
			if over := k.P * (k.upper - k.Lower - target); over > far {
				best, far = i, over
			}
		}
		if best < 0 {
			return nil
		}
		if n = t.childNode(n, a, best); len(t.nodes) >= most {
			return nil
		}
		return n
	})
	t.backupPath(ctx, path)
	return path
}

// descend goes down from the widest root until a target is met, which choose is given for the depth behind a node: it
// returns the next node, given the action with the highest upper bound, or nil where the trial ends.
func (t *tree) descend(ctx context.Context, path []*node, target float64, choose func(n *node, best int, target float64) *node) []*node {
	path = path[:0]
	for n := t.widest(); n != nil && ctx.Err() == nil && len(path) < t.depth; {
		t.first.do(t.worked())
		t.expand(n)
		path = append(path, n)
		best := t.backupUpper(n)
		t.Raise(&n.BeliefPoint)
		if n.upper-n.Lower <= target {
			break
		}
		target /= t.Discount
		n = choose(n, best, target)
	}
	return path
}

// backupPath backs up the beliefs of a path in reverse.
func (t *tree) backupPath(ctx context.Context, path []*node) {
	for i := len(path) - 1; i >= 0 && ctx.Err() == nil; i-- {
		t.backupUpper(path[i])
		t.backupLower(path[i])
	}
}

// widest returns the root that adds most to the gap.
func (t *tree) widest() *node {
	var n *node
	most := math.Inf(-1)
	for _, r := range t.roots {
		if gap := r.p * (r.upper - r.Lower); gap > most {
			n, most = r.node, gap
		}
	}
	return n
}

// sweep backs up the lower bound at every node, the youngest first: vectors that
// trials have found since a node was last backed up reach it at once.
func (t *tree) sweep(ctx context.Context, least float64) {
	for i := len(t.nodes) - 1; i >= 0 && ctx.Err() == nil; i-- {
		t.first.do(t.worked())
		if n := t.nodes[i]; n.acts != nil && n.upper-n.Lower > least {
			t.backupLower(n)
		}
	}
}
