package pointbased

import "bayescpace/bcpace/internal/fsc"

// Vector is an α-vector of one x: the expected discounted reward, by y, of a plan
// that begins with an action.
type Vector struct {
	id        int // ascending by age within one x
	value     []float64
	x, action int32
	// next are the vectors that value was made from, as follow takes them, or of a
	// vector of a blind policy those of the same policy by x'. The policy needs them,
	// also after pruning. They stay in memory as long as a vector that was made from
	// them does.
	next []*Vector
	// origin is where it was made, nil for a blind policy.
	origin *origin
	// above, if set, is a vector of x that is nowhere below this one. The policy holds
	// it instead, and next is nil.
	above *Vector
	// draws is set for a vector of a controller that draws its plans, whose node it leads to; next are all of its vectors.
	draws *fsc.Controller
	node  int32
	mark  int // the latest walk that met this vector, of Set.marks

	used    bool // mark of pruning
	dropped bool // no longer among the vectors of its x
}

// origin stands for a point at which vectors were made, and outlives it.
type origin struct {
	best *Vector // the best one known at the point, wherever it was made
}

// Use keeps v at the next DropUnused.
func (v *Vector) Use() { v.used = true }

// Dot returns the value of v at b.
func (v *Vector) Dot(b Belief) float64 { return b.Dot(v.value) }

// top returns a vector that is nowhere below v and has no other above it.
func (v *Vector) top() *Vector {
	for v.above != nil {
		if up := v.above.above; up != nil {
			v.above = up
		}
		v = v.above
	}
	return v
}

// yield puts a vector of list above v, if one is nowhere below it, and reports whether
// v has one above it now.
func (v *Vector) yield(list []*Vector) bool {
	for _, u := range list {
		if v.above != nil {
			break
		}
		if u != v && below(v.value, u.value) {
			if u = u.top(); u != v { // v may stand above an equal vector
				v.above, v.next = u, nil
			}
		}
	}
	return v.above != nil
}

// below reports whether v is at most u in every entry.
func below(v, u []float64) bool {
	u = u[:len(v)]
	for y, value := range v {
		if value > u[y] {
			return false
		}
	}
	return true
}

// vectors are the α-vectors of one x, by age.
type vectors struct {
	list  []*Vector
	last  int // the youngest id
	clean int // length after the last pruning
}

// add lists a copy of w as the youngest vector.
func (g *vectors) add(w Vector) *Vector {
	g.last++
	w.id, w.dropped = g.last, false
	g.list = append(g.list, &w)
	return &w
}

// Best is the highest vector known at a belief. The zero value but for a Lower of −∞
// knows none.
type Best struct {
	Lower float64 // its value there
	Vec   *Vector
	seen  int // the youngest vector that Lower takes account of
}

// raise brings k up to date, at b.
func (g *vectors) raise(k *Best, b Belief) {
	for i := len(g.list) - 1; i >= 0 && g.list[i].id > k.seen; i-- {
		if x := b.Dot(g.list[i].value); x > k.Lower {
			k.Lower, k.Vec = x, g.list[i]
		}
	}
	k.seen = g.last
}

// dropUnused drops the vectors that are not marked by Use, and the marks.
// Others may have been made from a vector that is dropped. Where a vector that stays is
// nowhere below it, that one takes its place.
func (g *vectors) dropUnused() {
	kept := g.list[:0]
	var dropped []*Vector
	for _, v := range g.list {
		if v.used {
			kept = append(kept, v)
		} else {
			dropped = append(dropped, v)
		}
		v.dropped = !v.used
		v.used = false
	}
	for _, v := range dropped {
		v.yield(kept)
	}
	clear(g.list[len(kept):])
	g.list = kept
	g.clean = len(kept)
}
