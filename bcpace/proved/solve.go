package proved

import (
	"context"
	"math"
	"slices"
	"sync"

	"bayescpace/bcpace/internal/num"
)

// solver computes upper bounds of the optimal values Û of the finite model at the points.
//
// A sweep is a monotone map T with T(v+κ) ≤ Tv + γκ for a constant κ, and Û = TÛ. If Tv ≤ v + e for
// a v, then v+κ with κ = e/(1−γ) has T(v+κ) ≤ v+κ, and so it is at least Û, and so is Tv + γκ; all
// sweeps from there on only lower the bounds. So the first sweep may begin anywhere (settle): at
// the bound of a coarser grid. That it is a bound of the optimal values of the model between the
// nodes would not be enough at the nodes.
type solver struct {
	*grid
	p     *points
	still bool       // no axis tells anything of the latent
	ways  []arriving // by class of moves
	moved [][][]part // by class and point, see moves.moved

	u      [][]float64 // by point and node: the bound there; of no use where episodes have ended
	next   [][]float64
	most   []float32 // (node·points + point)·choices + choice: bounds of the values of the choices
	found  []int32   // node·points + point: the best choice
	layers []layer   // by the steps left; nil where there is no horizon
	all    []int     // the points
	groups [][]int32 // by axis and node
	list   [][]int32 // the nodes of each group of the last axis at which values are computed
	pool   sync.Pool
	floor  *floor  // nil for upper bounds
	closed bool    // no episode ends, and no region tells the latent
	kept   float64 // what the kernels of a choice keep at least
}

// layer has what a number of steps left is worth.
type layer struct {
	u     [][]float64 // by point and node
	found []int32     // node·points + point: the best choice; nil where none is left
}

// newSolver makes one whose bounds are not set yet.
func newSolver(g *grid, p *points) *solver {
	x := &solver{grid: g, p: p, still: !g.form.tells(), moved: g.moves.moved(p), all: num.UpTo(len(p.list))}
	n := len(p.list)
	bounds := func() (list [][]float64) {
		for range n {
			list = append(list, make([]float64, g.nodes))
		}
		return list
	}
	x.u, x.next = bounds(), bounds()
	for range g.moves.rows {
		w := arriving{whole: tensor{at: bounds()}, told: newTold(g, n)}
		for _, a := range g.axes {
			w.whole.first, w.whole.many = append(w.whole.first, 0), append(w.whole.many, len(a.node))
		}
		x.ways = append(x.ways, w)
	}
	x.closed, x.kept = true, 1-g.told()
	for _, r := range g.region {
		x.closed = x.closed && !r.ends && !r.tells
	}
	for i := range g.axes {
		list := make([]int32, g.nodes)
		for node := range list {
			list[node] = int32(g.group(node, i))
		}
		x.groups = append(x.groups, list)
	}
	last := len(g.axes) - 1
	x.list = make([][]int32, g.rows[last].groups)
	for node := range g.nodes {
		if r := g.regionOf(node); !r.ends {
			k := x.groups[last][node]
			x.list[k] = append(x.list[k], int32(node))
		}
	}
	for _, list := range x.list { // nodes of one group on an earlier axis stand together
		slices.SortStableFunc(list, func(a, b int32) int {
			for i := last; i >= 0; i-- {
				if d := x.groups[i][a] - x.groups[i][b]; d != 0 {
					return int(d)
				}
			}
			return 0
		})
	}
	x.pool.New = func() any { return newSweeper(x) }
	return x
}

// upper sets what upper bounds need, which begin with those from before; nil stands for none.
func (so *solver) upper(ctx context.Context, before *solver) {
	n := len(so.p.list)
	so.found = make([]int32, so.nodes*n)
	if so.steps > 0 {
		return
	}
	so.most = slices.Repeat([]float32{float32(math.Inf(1))}, so.nodes*n*len(so.choices))
	top := so.lowest + so.width
	if before == nil {
		so.begin(ctx, func(int, int) float64 { return top })
		return
	}
	mix := make([][]part, n) // by point: those of before around it
	for k, b := range so.p.list {
		before.p.around(b, func(point int, weight float64) { mix[k] = append(mix[k], part{point, weight}) })
	}
	so.begin(ctx, func(node, k int) (v float64) {
		c := before.around(func(i int) (float64, int) {
			at := so.at(node, i)
			return so.axes[i].node[at], int(so.axes[i].segment[at])
		})
		for _, p := range mix[k] {
			v += p.weight * c.value(p.point)
		}
		return min(v, top)
	})
}

// begin sets the bounds at all nodes and points.
func (so *solver) begin(ctx context.Context, of func(node, k int) float64) {
	parallel(ctx, so.nodes, func(node int) {
		for k := range so.p.list {
			so.u[k][node] = of(node, k)
		}
	})
}

// arriving is what arriving is worth before the latent moves: with what is paid then, and discounted.
type arriving struct {
	whole tensor // all nodes
	told  *told
}

// arrive computes what arriving is worth at a point from u.
func (so *solver) arrive(k int) {
	b := so.p.list[k]
	for class := range so.ways {
		to := so.ways[class].whole.at[k]
		for node := range to {
			r := so.regionOf(node)
			v := 0.0
			for φ, p := range b {
				v += p * r.pays[φ]
			}
			switch {
			case r.ends:
			case r.tells:
				for φ, p := range b {
					v += so.discount * p * so.after(class, so.p.sure[φ], node)
				}
			default:
				v += so.discount * so.after(class, k, node)
			}
			to[node] = v
		}
	}
}

// after returns the bound at a node once the latent has moved from a point.
func (so *solver) after(class, k, node int) (v float64) {
	for _, p := range so.moved[class][k] {
		v += p.weight * so.u[p.point][node]
	}
	return v
}

// solve sweeps until no bound changes by more than least: first at the beliefs that are sure, then at
// all others.
func (so *solver) solve(ctx context.Context, least float64, report func(share float64)) {
	sure, others := so.p.apart()
	until := func(list []int, from, share float64) {
		so.settled(list)
		sweeps(ctx, least, func(first bool) float64 {
			change := so.sweep(ctx, list, first)
			so.settled(list)
			return change
		}, func(done float64) { report(from + share*done) })
	}
	if !so.moves.stay() { // none of them stays alone
		until(so.all, 0, 1)
		return
	}
	until(sure, 0, 0.3)
	until(others, 0.3, 0.7)
}

// settled computes what arriving is worth at the points of a list, and the rests of kernels, where
// the bounds of the points have changed.
func (so *solver) settled(list []int) {
	for _, k := range list {
		so.arrive(k)
		if so.floor == nil && (so.still || so.p.isSure(k)) {
			for _, w := range so.ways {
				w.told.fill(k, w.whole.at[k])
			}
		}
	}
}

// sweeps sweeps until no bound changes by more than least, or ctx ends. It reports by the log of the
// change how much is done.
func sweeps(ctx context.Context, least float64, sweep func(first bool) (change float64), report func(share float64)) {
	start := 0.0
	for n := range mostSweeps {
		change := sweep(n == 0)
		if n == 0 {
			start = change
		}
		if ctx.Err() != nil || change <= least {
			return
		}
		report(min(1, math.Log(start/change)/math.Log(max(start/least, 2))))
	}
}

const mostSweeps = 100_000

// sweep makes a backup at the points of a list of all nodes, and returns the largest change. A choice
// whose bound from an earlier sweep is not above another one's is left out, as bounds only fall. The
// first sweep leaves out none, and settles the bounds.
func (so *solver) sweep(ctx context.Context, list []int, first bool) (change float64) {
	if so.backups(ctx, list); len(list) == 0 || ctx.Err() != nil {
		return 0
	}
	κ, c := 0.0, 0.0
	if first {
		κ = so.settle(list)
	} else if so.closed && so.floor == nil && so.moves.stay() && so.p.isSure(list[0]) { // no other bound is part of theirs
		c = so.leastFall(list) * so.discount * so.kept / (1 - so.discount*so.kept)
	}
	for _, k := range list {
		u, next := so.u[k], so.next[k]
		for _, nodes := range so.list {
			for _, node := range nodes {
				now := min(u[node]+κ, next[node]+so.discount*κ)
				now -= c
				if so.floor != nil {
					now = max(u[node]-κ, next[node]-so.floor.discount*κ)
				}
				change = max(change, math.Abs(now-u[node]))
				u[node] = now
			}
		}
	}
	return change
}

// backups makes a backup at the points of a list of all nodes, which sets next.
func (so *solver) backups(ctx context.Context, list []int) {
	parallel(ctx, len(so.list), func(i int) {
		if len(so.list[i]) > 0 && len(list) > 0 {
			w := so.pool.Get().(*sweeper)
			w.backup(so.list[i], list)
			so.pool.Put(w)
		}
	})
}

// leastFall returns by how much a sweep lowers all bounds at least. Where nothing ends, the next one
// lowers them by γ times what is kept of that, and so on (MacQueen 1966).
func (so *solver) leastFall(list []int) float64 {
	least := math.Inf(1)
	for _, k := range list {
		for node, u := range so.u[k] {
			least = min(least, u-so.next[k][node])
		}
	}
	return max(0, least)
}

// settle returns κ for a first sweep, and raises the bounds of the choices by γκ.
func (so *solver) settle(list []int) float64 {
	e := 0.0
	for _, k := range list {
		for _, nodes := range so.list {
			for _, node := range nodes {
				rise := so.next[k][node] - so.u[k][node]
				if so.floor != nil {
					rise = -rise
				}
				e = max(e, rise)
			}
		}
	}
	if so.floor != nil {
		return e / (1 - so.floor.discount)
	}
	κ := e / (1 - so.discount)
	if κ == 0 {
		return 0
	}
	for _, k := range list {
		for node := range so.nodes {
			i := (node*len(so.p.list) + k) * len(so.choices)
			for c, q := range so.most[i : i+len(so.choices)] {
				so.most[i+c] = above(float64(q) + so.discount*κ)
			}
		}
	}
	return κ
}

// corners are the nodes around a place, and their weights.
type corners struct {
	x       *solver
	u       [][]float64 // bounds by point and node
	nodes   []int
	weights []float64
	ended   bool
}

// around returns those of a place in a segment on each axis.
func (so *solver) around(of func(axis int) (place float64, segment int)) corners {
	c := corners{x: so, u: so.u, nodes: []int{0}, weights: []float64{1}}
	for i, a := range so.axes {
		left, right, w := a.between(of(i))
		for k := range c.nodes {
			n := c.nodes[k]
			c.nodes[k] = n + left*so.stride[i]
			if w > 0 {
				c.nodes, c.weights = append(c.nodes, n+right*so.stride[i]), append(c.weights, c.weights[k]*w)
				c.weights[k] *= 1 - w
			}
		}
	}
	c.ended = so.regionOf(c.nodes[0]).ends
	return c
}

// value returns the bound at a point.
func (c corners) value(k int) (v float64) {
	for i, node := range c.nodes {
		v += c.weights[i] * c.u[k][node]
	}
	return v
}

// value returns the bound at a state and a belief: the least of those of the segments that have it, as
// one where jumps are is at the border of two.
func (so *solver) value(s []float64, b []float64) float64 {
	best := so.lowest + so.width
	so.segments(s, func(c corners) { best = min(best, so.p.value(b, c.value)) })
	return best
}

// segments calls f with the nodes around a state in each of the segments that have it, but for those where
// episodes have ended.
func (so *solver) segments(s []float64, f func(corners)) {
	at := make([]int, len(so.axes))
	var try func(axis int)
	try = func(axis int) {
		if axis == len(so.axes) {
			if c := so.around(func(i int) (float64, int) { return s[so.axes[i].number], at[i] }); !c.ended {
				if so.steps > 0 {
					c.u = so.layers[so.left(s)].u
				}
				f(c)
			}
			return
		}
		for _, at[axis] = range so.axes[axis].find(s[so.axes[axis].number]) {
			try(axis + 1)
		}
	}
	try(0)
}

// left returns the steps left of a state, at most those of the horizon; a state without them is one
// of the start.
func (so *solver) left(s []float64) int {
	last := len(so.base) - 1
	if len(s) <= last {
		return so.steps
	}
	return int(min(max(s[last], 0), float64(so.steps)))
}
