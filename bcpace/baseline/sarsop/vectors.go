package sarsop

// vector is an α-vector of one x: the expected discounted reward, by y, of a plan
// that begins with action.
type vector struct {
	id     int // ascending by age within one x
	value  []float64
	x      int32
	action int32
	// next are the vectors that value was made from, as follow takes them, or of a
	// vector of a blind policy those of the same policy by x'. The policy needs them,
	// also after pruning. They stay in memory as long as a vector that was made from
	// them does.
	next []*vector
	// origin is where it was made, nil for a blind policy.
	origin *origin
	// above, if set, is a vector of x that is nowhere below this one. The policy holds
	// it instead, and next is nil.
	above *vector
	mark  int // the latest walk that met this vector, of tree.marks

	used    bool // mark of pruning
	dropped bool // no longer among the vectors of its x
}

// origin stands for a node at which vectors were made, and outlives it.
type origin struct {
	best *vector // the best one known at the node, wherever it was made
}

// top returns a vector that is nowhere below v and has no other above it.
func (v *vector) top() *vector {
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
func (v *vector) yield(list []*vector) bool {
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
	list  []*vector
	last  int // the youngest id
	clean int // length after the last pruning
}

// add lists a copy of w as the youngest vector.
func (v *vectors) add(w vector) *vector {
	v.last++
	w.id, w.dropped = v.last, false
	v.list = append(v.list, &w)
	return &w
}

// best returns the vector with the highest value at b among those younger than
// id seen, if it is above lower.
func (v *vectors) best(b belief, lower float64, is *vector, seen int) (float64, *vector) {
	for i := len(v.list) - 1; i >= 0 && v.list[i].id > seen; i-- {
		if x := b.dot(v.list[i].value); x > lower {
			lower, is = x, v.list[i]
		}
	}
	return lower, is
}
