package sarsop

// vector is an α-vector of one x: the expected discounted reward, by y, of a
// plan that begins with action.
type vector struct {
	id      int // ascending by age within one x
	action  int32
	value   []float64
	used    bool // mark of pruning
	dropped bool // no longer among the vectors of its x
}

// vectors are the α-vectors of one x, by age.
type vectors struct {
	list  []*vector
	last  int // the youngest id
	clean int // length after the last pruning
}

// add lists a new vector.
func (v *vectors) add(action int, value []float64) *vector {
	v.last++
	w := &vector{id: v.last, action: int32(action), value: value}
	v.list = append(v.list, w)
	return w
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
