package search

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online/tree"
)

// Widening is progressive widening (Couëtoux et al. 2011): after n visits there may be K·n^Alpha of something.
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

// Widen gives a node the actions that it may have: all of a list, and where an action has a Box, more and more draws. The first of these, and then
// every second one, is what a rollout does for the hidden vector X, unless that is nil; the others are random.
func (t *Histories) Widen(node int32, w Widening, rollout func(s, x []float64, rng *rand.Rand) int, rng *rand.Rand) {
	n := &t.Nodes[node]
	switch {
	case !t.Model.Spec.HasBox():
		if n.First == tree.None {
			t.AddEdges(node, len(t.Model.Spec.Actions))
		}
	case n.First == tree.None || w.Room(n.Edges, n.Visits):
		id := 0
		if rollout != nil && n.Edges%2 == 0 {
			id = rollout(t.At(node), t.X, rng)
		} else {
			id = t.Model.Spec.DrawAction(rng)
		}
		for e := n.First; e != tree.None; e = t.Edges[e].Next {
			if t.Edges[e].Action == id {
				return
			}
		}
		t.AddEdge(node, id)
	}
}
