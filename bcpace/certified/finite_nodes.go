package certified

import (
	"math"
	"slices"

	"bayescpace/bcpace"
)

// nodeBounds are the bounds at the nodes when last computed, and how many samples and
// vectors they account for. U only falls, when a sample's value falls, and L only rises,
// with a new vector: so an update of a node needs only what came after the last one.
type nodeBounds struct {
	high     []float64 // nodes × actions: U(s,b,a)
	lastSeen []int32   // nodes × actions: how many entries of lowered high accounts for; −1 for a new node

	low     []float64 // by node: L(s,b)
	lowBy   []int32   // by node: the vector that attains it
	lowSeen []int     // by node: how many vectors low accounts for

	lowered     [][]int32 // by row: its samples in the order in which their values fell
	lastLowered []int32   // by sample: its last entry in lowered, or −1
}

// upperAt returns U(s,b,a) at node n, as upperQ would.
func (e *finiteBounds) upperAt(n int32, a int) float64 {
	at, r := int(n)*e.Actions+a, int(e.state[n])*e.Actions+a
	list, u := e.lowered[r], e.high[at]
	if int(e.lastSeen[at]) == len(list) {
		return u
	}
	b := e.beliefOf(n)
	if e.lastSeen[at] < 0 {
		u = e.upperQ(r, b)
		e.high[at], e.lastSeen[at] = u, int32(len(list))
		return u
	}
	for i := e.lastSeen[at]; int(i) < len(list); i++ {
		j := list[i]
		if v := e.q[j]; v < u && e.lastLowered[j] == i {
			u = min(u, v+e.cone(r, b, e.beliefOf(e.node[j])))
		}
	}
	e.high[at], e.lastSeen[at] = u, int32(len(list))
	return u
}

// refresh updates U(s,b) and returns the first action that attains it. It does not
// update an action whose bound is below that already.
func (e *finiteBounds) refresh(n int32) (action int) {
	high := e.high[int(n)*e.Actions:][:e.Actions]
	for {
		best := math.Inf(-1)
		for a, u := range high {
			if u > best {
				best, action = u, a
			}
		}
		if u := e.upperAt(n, action); u >= best {
			if best != e.top[n] {
				e.snapshot.top.record(n, e.top[n])
				e.top[n] = best
			}
			return action
		}
	}
}

// lowerAt returns L(s,b) at node n, and sets lowBy to the vector that attains it.
func (e *finiteBounds) lowerAt(n int32) float64 {
	set := e.best[e.state[n]]
	first := set.Len()
	for first > 0 && set.Action(first-1) >= e.lowSeen[n] {
		first--
	}
	if first < set.Len() {
		if i, v := set.BestFrom(e.beliefOf(n), first); v > e.low[n] {
			e.snapshot.lowBy.record(n, e.lowBy[n])
			e.low[n], e.lowBy[n] = v, int32(set.Action(i))
		}
		e.lowSeen[n] = len(e.home)
	}
	return e.low[n]
}

// initBounds computes both bounds of a new node. It may run for several nodes side by
// side while no sample or vector changes.
func (e *finiteBounds) initBounds(n int32) {
	e.refresh(n)
	e.lowerAt(n)
}

// boundsAt returns both bounds at a belief b that node n stands for: those of the node,
// unless the node was made for another belief close to b.
func (e *finiteBounds) boundsAt(n int32, b bcpace.Belief) (lower, upper float64) {
	if !slices.Equal(b, e.beliefOf(n)) {
		lower, _ = e.lowerValue(int(e.state[n]), b)
		upper, _ = e.upperValue(int(e.state[n]), b)
		return lower, upper
	}
	e.refresh(n)
	return e.lowerAt(n), e.top[n]
}

// gap returns U − L at a node, with U as refresh left it.
func (e *finiteBounds) gap(n int32) float64 { return e.top[n] - e.lowerAt(n) }
