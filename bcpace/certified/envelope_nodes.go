package certified

import (
	"math"
	"slices"

	"bayescpace/bcpace"
)

// nodeBounds are the bounds at the nodes as they were when last looked at, with
// how much of what may have moved them since has been seen. U only falls, by
// samples whose values fall, and L only rises, by new vectors: a node that has
// seen the first ones needs to look at the later ones only.
type nodeBounds struct {
	high  []float64 // nodes × actions: U(s,b,a)
	heard []int32   // nodes × actions: how many entries of fallen it is made from; −1 for a new node

	low     []float64 // by node: L(s,b)
	lowBy   []int32   // by node: the vector that attains it
	lowSeen []int     // by node: how many vectors it is made from

	fallen [][]int32 // by row: its samples in the order in which their values fell
	last   []int32   // by sample: its last entry in fallen, or −1
}

// upperAt returns U(s,b,a) at node n, as upperQ would.
func (e *envelope) upperAt(n int32, a int) float64 {
	at, r := int(n)*e.Actions+a, int(e.state[n])*e.Actions+a
	list, u := e.fallen[r], e.high[at]
	if int(e.heard[at]) == len(list) {
		return u
	}
	b := e.beliefOf(n)
	if e.heard[at] < 0 {
		u = e.upperQ(r, b)
		e.high[at], e.heard[at] = u, int32(len(list))
		return u
	}
	for i := e.heard[at]; int(i) < len(list); i++ {
		j := list[i]
		if v := e.q[j]; v < u && e.last[j] == i {
			u = min(u, v+e.cone(r, b, e.beliefOf(e.node[j])))
		}
	}
	e.high[at], e.heard[at] = u, int32(len(list))
	return u
}

// refresh computes U(s,b) anew and returns the first action that attains it.
// Actions whose bound as last seen is below that need no look.
func (e *envelope) refresh(n int32) (action int) {
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
				e.before.top.note(n, e.top[n])
				e.top[n] = best
			}
			return action
		}
	}
}

// lowerAt returns L(s,b) at node n, and leaves the vector that attains it in
// lowBy.
func (e *envelope) lowerAt(n int32) float64 {
	set := e.best[e.state[n]]
	first := set.Len()
	for first > 0 && set.Action(first-1) >= e.lowSeen[n] {
		first--
	}
	if first < set.Len() {
		if i, v := set.BestFrom(e.beliefOf(n), first); v > e.low[n] {
			e.before.lowBy.note(n, e.lowBy[n])
			e.low[n], e.lowBy[n] = v, int32(set.Action(i))
		}
		e.lowSeen[n] = len(e.home)
	}
	return e.low[n]
}

// look brings both bounds of a node up to date. It may run for several nodes
// side by side while no sample or vector moves.
func (e *envelope) look(n int32) {
	e.refresh(n)
	e.lowerAt(n)
}

// boundsAt returns both bounds at a belief that node n stands for: those of the
// node, unless an earlier belief next to it made the node.
func (e *envelope) boundsAt(n int32, b bcpace.Belief) (lower, upper float64) {
	if !slices.Equal(b, e.beliefOf(n)) {
		lower, _ = e.lower(int(e.state[n]), b)
		upper, _ = e.envelopeUpper(int(e.state[n]), b)
		return lower, upper
	}
	e.refresh(n)
	return e.lowerAt(n), e.top[n]
}

// gap returns U − L at a node, from the bound of U kept there.
func (e *envelope) gap(n int32) float64 { return e.top[n] - e.lowerAt(n) }
