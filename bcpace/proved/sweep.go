package proved

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// sweeper makes backups for one goroutine.
//
// The values on arrival are summed up over the axes that tell nothing one after the other, the last
// one first, for all nodes of a group at once: where the mean on an axis depends on that axis
// alone, the work is that of matrices of one axis each. What is left for a node are the axes that
// tell something.
type sweeper struct {
	*solver
	nodes  []int32
	points []int // those that are computed
	from   []int // those whose values on arrival are needed
	choice int
	way    *arriving // that of the choice

	users   []int32   // the nodes, by their numbers in nodes, that need the choice
	need    []bool    // by number and point
	q       []float64 // likewise: the bounds for the choice
	top     []float64 // likewise: for the best choice
	sums    []tensor  // by axis: what is left after it is summed up
	weights [][]float64
	between *between
	earns   []float64 // by latent
	rest    float64   // how much of the kernels is left where no axis tells anything
	reach   int       // where that may lie, among the values of told
}

// tensor has values at nodes from a first one on each axis, by point.
type tensor struct {
	at    [][]float64
	first []int32
	many  []int
	data  []float64
}

func newSweeper(x *solver) *sweeper {
	w := &sweeper{solver: x, sums: make([]tensor, len(x.axes)), weights: make([][]float64, len(x.axes)), earns: make([]float64, x.latents)}
	for i := range w.sums {
		w.sums[i] = tensor{at: make([][]float64, len(x.p.list)), first: make([]int32, i), many: make([]int, i)}
		w.weights[i] = make([]float64, x.latents)
	}
	if x.p.grid != nil {
		w.between = x.p.grid.between()
	}
	return w
}

// backup computes next for a group of nodes at some points.
func (w *sweeper) backup(nodes []int32, points []int) {
	n := len(points)
	w.nodes, w.points = nodes, points
	w.need, w.q, w.top = sized(w.need, len(nodes)*n), sized(w.q, len(nodes)*n), sized(w.top, len(nodes)*n)
	for i := range w.top {
		w.top[i] = math.Inf(-1)
		if w.floor != nil {
			w.top[i] = math.Inf(1)
		}
	}
	if w.from = points; !w.still && !w.p.isSure(points[0]) {
		w.from = w.all
	}
	for _, known := range []bool{true, false} { // first the best choice of the sweep before
		for w.choice = range w.choices {
			if w.needed(known) {
				w.way = &w.ways[w.moves.class[w.choices[w.choice].action]]
				w.sum(len(w.axes)-1, &w.way.whole, w.users)
				w.record()
			}
		}
	}
	for u, node := range nodes {
		for i, k := range points {
			w.next[k][node] = w.top[u*n+i]
		}
	}
}

// needed lists the nodes that need the choice: as the best one of the sweep before, or as one that may be
// better.
func (w *sweeper) needed(known bool) bool {
	w.users = w.users[:0]
	n := len(w.points)
	for u, node := range w.nodes {
		some := false
		for i, k := range w.points {
			x := int(node)*len(w.p.list) + k
			best := w.floor == nil && int(w.found[x]) == w.choice
			need := best
			if w.floor != nil {
				need = known && w.floor.plays(k, node, w.choice)
			} else if !known {
				need = !best && (w.most == nil || float64(w.most[x*len(w.choices)+w.choice]) > w.top[u*n+i])
			}
			w.need[u*n+i] = need
			some = some || need
		}
		if some {
			w.users = append(w.users, int32(u))
		}
	}
	return len(w.users) > 0
}

// record compares the bounds for the choice with those for the best one.
func (w *sweeper) record() {
	n := len(w.points)
	for _, u := range w.users {
		for i, k := range w.points {
			j := int(u)*n + i
			if !w.need[j] {
				continue
			}
			if w.floor != nil {
				w.top[j] = min(w.top[j], w.q[j])
				continue
			}
			x := int(w.nodes[u])*len(w.p.list) + k
			if w.most != nil {
				w.most[x*len(w.choices)+w.choice] = above(w.q[j])
			}
			if w.q[j] > w.top[j] {
				w.top[j], w.found[x] = w.q[j], int32(w.choice)
			}
		}
	}
}

// above returns a float32 from x up.
func above(x float64) float32 {
	f := float32(x)
	if float64(f) < x {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return f
}

// sum sums t up over an axis and those before it.
func (w *sweeper) sum(axis int, t *tensor, users []int32) {
	if axis < 0 || w.rows[axis].informs {
		for _, u := range users {
			w.node(axis, t, int(u))
		}
		return
	}
	for len(users) > 0 {
		group := w.groupOf(users[0], axis)
		n := 1
		for n < len(users) && w.groupOf(users[n], axis) == group {
			n++
		}
		out := &w.sums[axis]
		size := 1
		for j := range axis { // what the nodes reach on the axes that are left
			first, end := int32(math.MaxInt32), int32(0)
			for _, u := range users[:n] {
				k := w.kernel(u, j)
				first, end = min(first, k.first), max(end, k.end)
			}
			out.first[j], out.many[j] = first, int(end-first)
			size *= out.many[j]
		}
		out.data = sized(out.data, size*len(w.from))
		k := w.kernel(users[0], axis)
		for i, point := range w.from {
			if w.still && !w.wanted(users[:n], i) {
				continue
			}
			out.at[point] = out.data[i*size : (i+1)*size]
			add(out, t, point, axis, k)
			if w.completes(axis) {
				complete(out, t, point, axis, k)
			}
		}
		w.sum(axis-1, out, users[:n])
		users = users[n:]
	}
}

// wanted reports whether a point is needed by any of the nodes.
func (w *sweeper) wanted(users []int32, i int) bool {
	return slices.ContainsFunc(users, func(u int32) bool { return w.need[int(u)*len(w.points)+i] })
}

// groupOf returns the group of a node on an axis, and kernel its kernel there.
func (w *sweeper) groupOf(u int32, axis int) int32 { return w.groups[axis][w.nodes[u]] }

func (w *sweeper) kernel(u int32, axis int) *kernel {
	return &w.rows[axis].kernels[w.entry(int(w.nodes[u]), axis)]
}

// completes reports whether what a kernel of an axis leaves is worth the most of where that may lie on
// this axis, whatever the others do.
func (w *sweeper) completes(axis int) bool { return w.rows[axis].alone && w.floor == nil }

// add sums t up over an axis, the last one that it has, with the probabilities of k.
func add(out, t *tensor, point, axis int, k *kernel) {
	to := out.at[point]
	for i := range to {
		to[i] = floats.Dot(k.prob, out.line(t, point, axis, k, i))
	}
}

// complete adds what k leaves.
func complete(out, t *tensor, point, axis int, k *kernel) {
	to, left := out.at[point], 1-k.kept[0]
	for i := range to {
		to[i] += left * largest(out.line(t, point, axis, k, i))
	}
}

// line returns the values of t on an axis, the last one that it has, that k reaches from a node of out.
func (out *tensor) line(t *tensor, point, axis int, k *kernel, node int) []float64 {
	index, scale := 0, 1 // index counts the nodes of t before the axis
	for j := axis - 1; j >= 0; j-- {
		index += (node%out.many[j] + int(out.first[j]-t.first[j])) * scale
		node /= out.many[j]
		scale *= t.many[j]
	}
	at := index*t.many[axis] + int(k.first-t.first[axis])
	return t.at[point][at : at+len(k.prob)]
}

// largest returns the largest number of a list that is not empty.
func largest(list []float64) float64 {
	a, b, c, d := list[0], list[0], list[0], list[0]
	for ; len(list) >= 4; list = list[4:] {
		if list[0] > a {
			a = list[0]
		}
		if list[1] > b {
			b = list[1]
		}
		if list[2] > c {
			c = list[2]
		}
		if list[3] > d {
			d = list[3]
		}
	}
	for _, x := range list {
		a = max(a, x)
	}
	return max(a, b, c, d)
}

// node computes the bounds of a node for the choice, from what is left of the values on arrival: the
// axes up to one, which tell something.
func (w *sweeper) node(axis int, t *tensor, u int) {
	n := len(w.points)
	w.now(int(w.nodes[u]))
	for i, k := range w.points {
		j := u*n + i
		if !w.need[j] {
			continue
		}
		b := w.p.list[k]
		q := 0.0
		for φ, p := range b {
			q += p * w.earns[φ]
		}
		if w.still {
			q += w.rest * w.way.told.values[k][w.reach]
		}
		switch {
		case axis < 0:
			q += t.at[k][0]
		case w.p.isSure(k):
			for φ, p := range b {
				if p == 1 {
					q += w.certain(t, axis, u, 0, φ)
				}
			}
		default:
			q += w.unsure(t, axis, u, 0, b)
		}
		w.q[j] = q
	}
}

// now computes what the choice earns at a node at once under each latent, with what comes from the
// latent being told where an axis tells something of it; and elsewhere how much of the kernels is
// left, and where.
func (w *sweeper) now(node int) {
	if w.still {
		w.rest, w.reach = w.remains(node, 0)
		clear(w.earns)
	} else {
		for φ := range w.earns {
			rest, reach := w.remains(node, φ)
			w.earns[φ] = rest * w.way.told.values[w.p.sure[φ]][reach]
		}
	}
	if w.reward != nil {
		for φ, r := range w.reward[(node*len(w.choices)+w.choice)*w.latents:][:w.latents] {
			w.earns[φ] += r
		}
	}
}

// remains returns how much of the kernels of the choice at a node is left under a latent, and where that may lie, among the
// values of told.
func (w *sweeper) remains(node, φ int) (rest float64, reach int) {
	kept := 1.0
	for i := range w.axes {
		r := w.rows[i].restOf(w.entry(node, i), φ, w.latents)
		if !w.completes(i) {
			kept *= r.kept
		}
		reach += int(r.number) * w.way.told.stride[i]
	}
	return 1 - kept, reach
}

// entry returns the number of the choice at a node among the kernels of an axis.
func (w *sweeper) entry(node, axis int) int {
	return int(w.groups[axis][node])*len(w.choices) + w.choice
}

// restOf returns that of a kernel under a latent.
func (r *rows) restOf(kernel, φ, latents int) *rest {
	if r.informs {
		return &r.rests[kernel*latents+φ]
	}
	return &r.rests[kernel]
}

// leastTotal is the least probability of a row at a belief that a number can be divided by.
const leastTotal = 1e-300

// certain sums up the rows of the axes up to one where the latent is known. offset is that of the
// nodes on later axes.
func (w *sweeper) certain(t *tensor, axis, u, offset, φ int) (sum float64) {
	k := w.kernel(int32(u), axis)
	values := t.at[w.p.sure[φ]]
	stride := t.stride(axis)
	for r, to := range k.to {
		p := k.prob[r*w.latents+φ]
		if p == 0 {
			continue
		}
		at := offset + int(to-t.first[axis])*stride
		if axis > 0 {
			sum += p * w.certain(t, axis-1, u, at, φ)
		} else {
			sum += p * values[at]
		}
	}
	return sum
}

// stride returns that of the nodes of an axis, among those that are left.
func (t *tensor) stride(axis int) int {
	n := 1
	for _, m := range t.many[axis+1:] {
		n *= m
	}
	return n
}

// unsure sums up the rows of the axes up to one for an unnormalised belief.
func (w *sweeper) unsure(t *tensor, axis, u, offset int, b []float64) (sum float64) {
	k := w.kernel(int32(u), axis)
	stride := t.stride(axis)
	if axis == 0 && w.latents == 2 {
		return w.twoLatents(t, k, stride, offset, b)
	}
	after := w.weights[axis]
	for r, to := range k.to {
		total := 0.0
		for φ, p := range k.prob[r*w.latents : (r+1)*w.latents] {
			after[φ] = b[φ] * p
			total += after[φ]
		}
		if total < leastTotal {
			continue
		}
		at := offset + int(to-t.first[axis])*stride
		if axis > 0 {
			sum += w.unsure(t, axis-1, u, at, after)
			continue
		}
		w.p.grid.corners(w.between, after, total)
		v := 0.0
		for i, number := range w.between.numbers {
			v += w.between.weights[i] * t.at[number][at]
		}
		sum += total * v
	}
	return sum
}

// twoLatents is unsure on the first axis for two latents, whose beliefs are between two neighbours.
func (w *sweeper) twoLatents(t *tensor, k *kernel, stride, offset int, b []float64) (sum float64) {
	parts, most := float64(w.p.grid.parts), len(w.p.list)-2
	for r, to := range k.to {
		w0, w1 := b[0]*k.prob[2*r], b[1]*k.prob[2*r+1]
		total := w0 + w1
		if total < leastTotal {
			continue
		}
		at := min(w1/total*parts, parts)
		i := min(int(at), most)
		node := offset + int(to-t.first[0])*stride
		v := t.at[i][node]
		sum += total * (v + (at-float64(i))*(t.at[i+1][node]-v))
	}
	return sum
}

// sized returns a slice of n entries, s where it is long enough.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
