package sarsop

import (
	"iter"

	"bayescpace/bcpace/baseline/pointbased"
	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/side"
)

const (
	earlyWork = 2e7 // work on tighter first bounds before the first trial
	drawWork  = 5e5 // and on controllers: half a millisecond
	pointWork = 4   // of a look at a point of the sawtooth
	// lookShare is the probability of an outcome from which on it has the tighter informed bound at the first look
	// at an action. It halves with each look: most of the work goes to outcomes that hardly count.
	lookShare = 1. / 64
)

// tightening makes first bounds of a tree tighter while it is searched: both take turns, by the
// work that they have done, so that nothing depends on time.
type tightening struct {
	next   func() (mdp.BoundStep, bool)
	stop   func()
	better func()  // brings the tree to bounds that have become tighter
	due    float64 // work
	over   bool
	// report tells of the bounds, within a trial too; nil before the first one.
	report func()
}

// begin begins with steps.
func begin(steps iter.Seq[mdp.BoundStep], better func()) *tightening {
	next, stop := iter.Pull(steps)
	return &tightening{next: next, stop: stop, better: better}
}

// drawShare is the share of the work of trials for which controllers are looked for beside them.
const drawShare = 1. / 8

// tighten makes first bounds tighter for so much work.
func (t *tree) tighten(work float64) {
	t.first.do(work)
	t.draws.do(drawShare * work)
	t.grids.do(gridShare * (work + gridVisit))
}

// do does so much more work, unless there is none left.
func (g *tightening) do(work float64) {
	better := false
	for g.due += work; g.due > 0 && !g.over; {
		step, more := g.next()
		g.over = !more
		g.due -= step.Work
		better = better || step.Better
	}
	if !better {
		return
	}
	g.better()
	if g.report != nil {
		g.report()
	}
}

// worked returns the work since it was called last. They do not depend on the number of
// workers.
func (t *tree) worked() float64 {
	sum := 0
	for i, w := range t.work {
		sum += w.Work
		w.Work = 0
		if t.looks != nil {
			sum += t.looks[i].Work
			t.looks[i].Work = 0
		}
	}
	return float64(sum)
}

// raiseRoots brings the lower bounds at the start to vectors that have come.
func (t *tree) raiseRoots() {
	t.improved++
	for _, r := range t.roots {
		t.Raise(&r.BeliefPoint)
	}
}

// rebase brings the tree to first bounds that have become tighter. Points of the sawtooth are above these by what
// they are worth, and beliefs without a node look at all points again.
func (t *tree) rebase() {
	t.improved++
	t.tight++
	if t.Ahead != nil && t.looks == nil {
		_, t.slip = t.Tolerances(t.Ahead.Terms())
		for range t.work {
			t.looks = append(t.looks, t.Ahead.Scratch())
		}
		t.table = t.Ahead.Table()
	}
	if t.table != nil {
		t.table.Fill(len(t.work))
	}
	side.Each(len(t.work), len(t.nodes), func(_, i int) {
		n := t.nodes[i]
		n.f = t.InitialUpper(n.q, n.X, n.Belief)
		n.upper = min(n.upper, n.f)
		for a := range n.acts {
			for k := range n.acts[a].children {
				n.acts[a].children[k].known, n.acts[a].children[k].ahead = 0, false
			}
		}
	})
	for _, r := range t.roots {
		t.expand(r.node)
		t.lookAhead(r.node)
		most, _ := r.most()
		r.upper = min(r.upper, most)
	}
	for _, n := range t.nodes {
		if n.point < 0 {
			continue
		}
		t.upper[n.X].remove(n)
		if n.point = -1; n.upper < n.f {
			t.upper[n.X].put(n)
		}
	}
}

// lookAhead brings the upper bounds of the actions of n to the first bounds, once for each of these.
func (t *tree) lookAhead(n *node) {
	if n.tight == t.tight {
		return
	}
	n.tight = t.tight
	for a := range n.acts {
		upper := n.q[a]
		if t.Ahead != nil {
			upper = min(upper, t.aheadOf(0, n.X, n.Belief, a))
		}
		n.acts[a].upper = min(n.acts[a].upper, upper)
	}
}

// aheadOf returns the tighter informed bound of an action.
func (t *tree) aheadOf(worker int, x int32, b pointbased.Belief, a int) float64 {
	if t.table != nil && b.At == nil {
		return t.table.At(t.looks[worker], int(x), b.P, a) + t.Ahead.Slip
	}
	return t.Ahead.At(t.looks[worker], int(x)*t.NY, b.At, b.P, a)
}

// most returns the largest upper bound of an action, and the first action that has it.
func (n *node) most() (upper float64, action int) {
	return num.Largest(len(n.acts), func(a int) float64 { return n.acts[a].upper })
}
