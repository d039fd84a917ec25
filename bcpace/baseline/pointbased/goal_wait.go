package pointbased

import "slices"

// Waiting is an action at a point that pays nothing, with what may follow, as Branches orders that: the places of the points there in the
// list of Set.Wait.
type Waiting struct {
	*BeliefPoint
	Action int
	Follow []WaitingFor
}

// WaitingFor is an outcome of Waiting.
type WaitingFor struct {
	X, O int32
	To   int
}

// Wait makes vectors of the plan that goes on with what a list says without end: 0 where it is never paid, at every y of which that is so, never at others.
// It counts no step, as the blind policies of Goal.
// It reports whether that raises the lower bound of one of the points.
func (t *VectorSet) Wait(list []Waiting) (better bool) {
	if len(list)*t.NY > closeSize {
		return false
	}
	w := waiting{VectorSet: t, list: list, free: make([]bool, len(list)*t.NY), next: make([][]int, len(list)), made: make([]*Vector, len(list))}
	for i, n := range list {
		w.made[i] = &Vector{x: n.X, action: int32(n.Action), value: make([]float64, t.NY)}
		for y := range t.NY {
			w.free[i*t.NY+y] = t.Reward[n.Action][int(n.X)*t.NY+y] == 0
		}
	}
	for i := range list {
		w.follow(i)
	}
	after := make([]int, t.NO)
	for again := true; again; {
		again = false
		for i := range slices.Backward(list) { // what follows was mostly found later
			for y := range t.NY {
				if at := i*t.NY + y; w.free[at] && w.pays(i, y, after) {
					w.free[at], again = false, true
				}
			}
		}
	}
	for i, v := range w.made {
		for y := range v.value {
			if !w.free[i*t.NY+y] {
				v.value[y] = never
			}
		}
	}
	for i, n := range list {
		if t.Raise(n.BeliefPoint); n.Raises(n.Dot(w.made[i].value)) {
			t.put(n.BeliefPoint, w.made[i])
			better = true
		}
	}
	return better
}

// Free reports whether an action pays nothing at n, for certain.
func (t *VectorSet) Free(n *BeliefPoint, a int) bool {
	pay := t.Reward[a][int(n.X)*t.NY:][:t.NY]
	for i, p := range n.P {
		if p > 0 && pay[n.Y(i)] != 0 {
			return false
		}
	}
	return true
}

// waiting is Wait under way.
type waiting struct {
	*VectorSet
	list []Waiting
	free []bool  // by place·|Y| + y: the plan is not known to pay
	next [][]int // by place: those of made[·].next, −1 for others
	made []*Vector
}

// follow lists what follows made[i].
func (w *waiting) follow(i int) {
	n := w.list[i]
	out := n.Follow
	for _, to := range w.move[n.Action*w.NX+int(n.X)].to {
		for _, o := range w.sense[n.Action*w.NX+int(to)].obs {
			k, v := -1, w.gamma[to].list[0]
			if len(out) > 0 && out[0].X == to && out[0].O == o {
				k, v = out[0].To, w.made[out[0].To]
				out = out[1:]
			}
			w.next[i], w.made[i].next = append(w.next[i], k), append(w.made[i].next, v)
		}
	}
}

// pays reports whether y may be followed by one that is not free. after is working memory by observation.
func (w *waiting) pays(i, y int, after []int) bool {
	n := w.list[i]
	col, _ := w.Move[n.Action].At(int(n.X)*w.NY + y)
	first, k := 0, 0
	for _, to := range w.move[n.Action*w.NX+int(n.X)].to {
		see := &w.sense[n.Action*w.NX+int(to)]
		for j, o := range see.obs {
			after[o] = first + j
		}
		first += len(see.obs)
		for ; k < len(col) && int(col[k])/w.NY == int(to); k++ {
			obs, _ := w.Sense[n.Action].At(int(col[k]))
			for _, o := range obs {
				next := w.next[i][after[o]]
				if next < 0 || !w.free[next*w.NY+int(col[k])%w.NY] {
					return true
				}
			}
		}
	}
	return false
}
