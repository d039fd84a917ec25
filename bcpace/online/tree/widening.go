package tree

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// Widening is progressive widening (Couëtoux et al. 2011, "Continuous upper confidence trees"): after n visits there may be K·n^Alpha
// of something.
type Widening struct{ K, Alpha float64 }

// Room reports whether there may be one more of so many after n visits.
func (w Widening) Room(number, n int32) bool {
	return float64(number) <= w.K*math.Pow(float64(n), w.Alpha)
}

// Or returns w, with defaults for what is 0.
func (w Widening) Or(k, alpha float64) Widening {
	if w.K == 0 {
		w.K = k
	}
	if w.Alpha == 0 {
		w.Alpha = alpha
	}
	return w
}

// Check returns a *bcpace.InputError for a widening that cannot be used; name is that of its fields.
func (w Widening) Check(name string) error {
	bad := bcpace.In("options").Bad
	if !(w.K >= 0) || math.IsInf(w.K, 1) {
		return bad(name+"K", w.K, "a number above 0, or 0 for the default")
	}
	if !(w.Alpha >= 0 && w.Alpha < 1) {
		return bad(name+"Alpha", w.Alpha, "a power in (0, 1), or 0 for the default")
	}
	return nil
}

// widen gives a node the actions that it may have: all of a list, which it has not yet, and where an action has a Box, more and more controls.
func (t *MonteCarlo) widen(node int32, rng *rand.Rand) {
	n := &t.Nodes[node]
	switch {
	case t.Control == nil:
		t.AddEdges(node, len(t.Spec.Actions))
	case n.First == None || t.Actions.Room(n.Edges, n.Visits):
		id := t.Control(node, rng)
		for e := n.First; e != None; e = t.Edges[e].Next {
			if t.Edges[e].Action == id {
				return
			}
		}
		t.AddEdge(node, id)
	}
}

// room reports whether one more node may follow an edge, where not Every next state has one.
func (t *MonteCarlo) room(edge int32) bool {
	e := &t.Edges[edge]
	if t.Width > 0 {
		return e.Draws < t.Width
	}
	return t.States.Room(e.Children, e.Visits)
}

// drawChild returns one of the nodes that follow an edge, as often as steps led there.
func (t *MonteCarlo) drawChild(edge int32, rng *rand.Rand) int32 {
	k := rng.Int32N(t.Edges[edge].Draws)
	c := t.Edges[edge].Child
	for ; k >= t.Nodes[c].Draws; c = t.Nodes[c].Sibling {
		k -= t.Nodes[c].Draws
	}
	return c
}
