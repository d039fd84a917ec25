package tree

import (
	"math"
	"slices"

	"bayescpace/bcpace"
)

// At reports whether the root is at state s.
func (t *Tree) At(s []float64) bool { return len(t.Nodes) > 0 && slices.Equal(t.State(0), s) }

// Report fills a decision with what the edges of the root say: the action of the largest mean
// return, the first of equal ones; without any simulation the first action, at the middle of
// its Box if it has one.
func (t *Tree) Report(d *bcpace.Decision, spec bcpace.Spec) {
	d.Depth = t.Height()
	best := math.Inf(-1)
	for e := t.rootEdge(); e != None; e = t.Edges[e].Next {
		x := &t.Edges[e]
		q := x.Q
		if x.Visits == 0 {
			q = math.NaN()
		}
		d.Actions, d.Q, d.Visits = append(d.Actions, x.Action), append(d.Q, q), append(d.Visits, int(x.Visits))
		if q > best {
			best, d.Action = q, x.Action
		}
	}
	if math.IsInf(best, -1) {
		d.Action = anyAction(spec)
	}
}

func (t *Tree) rootEdge() int32 {
	if len(t.Nodes) == 0 {
		return None
	}
	return t.Nodes[0].First
}

// anyAction returns the first action, at the middle of its Box.
func anyAction(spec bcpace.Spec) int {
	var middle []float64
	for _, a := range spec.Actions[0].Box {
		middle = append(middle, a.Min/2+a.Max/2)
	}
	id, err := spec.ActionID(0, middle)
	if err != nil {
		return 0
	}
	return id
}
