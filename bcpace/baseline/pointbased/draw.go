package pointbased

import (
	"cmp"
	"context"
	"iter"
	"math"

	"bayescpace/bcpace/internal/fsc"
	"bayescpace/bcpace/internal/mdp"
)

const (
	// mostNodes is the most nodes of memory that Draw looks for.
	mostNodes = 3
	// worthShare is the share of the gap at the start by which a controller has to raise the lower bound before Draw has done with it.
	worthShare = 1. / 4
	// drawSize bounds the entries of the tables that are copied for controllers, and those of a controller and its chain.
	drawSize = 4_000_000
	// firstWork is the work that the first values of a controller take, for each entry.
	firstWork = 100
	// vain is how many times its work a step counts as, and ahead how many times where the controller would earn more than the lower bound, by
	// soonShare of the gap, after as many more steps as soon says, if these raised it as the last one did.
	vain, ahead, soon, soonShare = 4, 1. / 4, 16, 1. / 64
)

// Draw looks for stochastic finite-state controllers that earn more, first with one node of memory, which is a memoryless policy, and then
// with a few, and adds the vectors of those that earn more than what is known. It works while it is iterated over; a step says what it has
// taken, several times that while it is in vain and a part while it leads, and is Better where vectors have come. bounds returns those at the start.
func (t *VectorSet) Draw(ctx context.Context, workers int, bounds func() (lower, upper float64)) iter.Seq[mdp.BoundStep] {
	return func(yield func(mdp.BoundStep) bool) {
		entries := t.NX * (t.NO + 1)
		for _, move := range t.Move {
			entries += len(move.Col)
		}
		if t.Discount == 0 || entries > drawSize {
			return
		}
		p := t.drawn(workers)
		for c := p.Uniform(); c.Nodes <= mostNodes && p.Entries(c.Nodes) <= drawSize; c = c.Grow(c.Nodes + 1) {
			if !yield(mdp.BoundStep{Work: firstWork * float64(p.Entries(c.Nodes))}) || ctx.Err() != nil {
				return
			}
			e := c.Evaluate(ctx, nil)
			publish := func(least float64) bool {
				lower, upper := bounds()
				more := e.Earns - lower
				return e.Near && more > least*(upper-lower) && more > 1e-6*math.Abs(lower) &&
					e.Bound(ctx, 1e-3*(upper-lower), t.chargeFor) && t.add(e)
			}
			earned := e.Earns
			for next, work := range e.Climb(ctx) {
				e = next
				better := publish(worthShare)
				price := float64(vain)
				if lower, upper := bounds(); e.Earns+soon*(e.Earns-earned) > lower+soonShare*(upper-lower) {
					price = ahead
				}
				earned = e.Earns
				if !yield(mdp.BoundStep{Work: price * work, Better: better}) {
					return
				}
			}
			if !yield(mdp.BoundStep{Work: e.Work, Better: publish(0)}) {
				return
			}
			c = e.Controller
		}
	}
}

// drawn returns what controllers act in.
func (t *VectorSet) drawn(workers int) *fsc.Process {
	if t.Goal == nil {
		return fsc.NewProcess(t.Model, t.MDP(workers, false), nil)
	} else if t.Goal.earns {
		return fsc.NewProcess(t.Model, t.Goal.mdp, nil)
	}
	return fsc.NewProcess(t.Model, t.Goal.mdp, t.Goal.rests(t.NY))
}

// rests returns, by state, whether an episode ends there, or the agent waits.
func (g *GoalStates) rests(ny int) []bool {
	rest := make([]bool, len(g.ends))
	for s, end := range g.ends {
		rest[s] = end || g.bySight != nil && g.bySight[s/ny] >= 0
	}
	return rest
}

// chargeFor returns what a step is charged for in a problem without a discount, for values of a size, and whether rounding allows that.
func (t *VectorSet) chargeFor(size float64) (charge float64, ok bool) {
	return max(t.charge, (1-t.LowerDiscount)*size), t.charge == 0 || t.charge >= 4*t.Goal.mdp.Rounding()(size)
}

// add adds the vectors of e, whose values are bounds: for each x and plan, one that begins with it. None is above its
// backup, as the highest of the plans that e draws from is not below their mean anywhere. It returns true.
func (t *VectorSet) add(e *fsc.Valued) bool {
	discount, drop := t.LowerDiscount/t.Discount, 0.0
	if t.Goal == nil {
		drop = 1e-12 * t.scale() / t.Rate()
	}
	next := make([]*Vector, 0, t.NX*e.Plans())
	for x := range t.NX {
		for u := range e.Plans() {
			value := make([]float64, t.NY)
			for y := range value {
				s := x*t.NY + y
				if t.Goal != nil && t.Goal.ends[s] {
					continue
				}
				r := e.Rows.Reward[s*t.NA+u/e.Nodes]
				if value[y] = e.Ahead(s, u); !isNever(value[y]) {
					value[y] = r - t.charge + discount*(value[y]-r) - drop
				}
			}
			next = append(next, t.gamma[x].add(Vector{x: int32(x), action: int32(u / e.Nodes), value: value, draws: e.Controller, node: int32(u % e.Nodes)}))
		}
	}
	g := cmp.Or(t.Goal, &GoalStates{}) // without one, nobody waits
	g.addWaits(t.gamma, next, t.NY)
	return true
}
