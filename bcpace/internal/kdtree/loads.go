package kdtree

import (
	"context"
	"math"
	"runtime"
	"slices"

	"bayescpace/bcpace/internal/side"
)

// Loads weighs the balls around the points of a tree, its centres: the load of a ball is the sum of the weights of the
// demands in it.
type Loads struct {
	centers, demands *Tree
	limit            float64 // the key of the balls' radius
	parts            [loadParts]loadPart
	leaves           []int32
}

// loadParts is into how many parts the centres are split: always as many, so that sums have the
// same bits for any number of processors.
const loadParts = 8

type loadPart struct {
	worst, cost []float64 // by demand
	slots       []int32   // demands near a leaf
	coords      []float64
	keys        []float64
	err         error
}

// NewLoads returns the loads of the balls of that radius around the centres.
func NewLoads(centers, demands *Tree, radius float64) *Loads {
	w := &Loads{centers: centers, demands: demands, limit: centers.norm.Key(radius)}
	for i, nd := range centers.nodes {
		if nd.right == 0 {
			w.leaves = append(w.leaves, int32(i))
		}
	}
	return w
}

// Weigh writes for each slot of the demands the largest load of a ball that holds it and, unless cost is nil, the sum of
// the prices of those balls: exp(sharp·(load − 1)). It returns the context's error if that ends it.
func (w *Loads) Weigh(ctx context.Context, weight, worst, cost []float64, sharp float64) error {
	side.Each(runtime.GOMAXPROCS(0), loadParts, func(_, k int) {
		x := &w.parts[k]
		x.worst, x.cost, x.err = slices.Repeat([]float64{0}, len(weight)), slices.Repeat([]float64{0}, len(cost)), nil
		for i, leaf := range w.leaves[k*len(w.leaves)/loadParts : (k+1)*len(w.leaves)/loadParts] {
			if i%64 == 0 && ctx.Err() != nil {
				x.err = ctx.Err()
				return
			}
			w.leaf(x, int(leaf), weight, sharp)
		}
	})
	clear(worst)
	clear(cost)
	for k := range w.parts {
		x := &w.parts[k]
		if x.err != nil {
			return x.err
		}
		for q, v := range x.worst {
			worst[q] = max(worst[q], v)
		}
		for q, v := range x.cost {
			cost[q] += v
		}
		x.worst, x.cost = nil, nil
	}
	return nil
}

// leaf is Weigh for the centres of a leaf.
func (w *Loads) leaf(x *loadPart, leaf int, weight []float64, sharp float64) {
	t, d := w.centers, w.demands
	x.slots, x.coords = x.slots[:0], x.coords[:0]
	w.collect(x, t.box(leaf), 0)
	x.keys = slices.Grow(x.keys[:0], len(x.slots))[:len(x.slots)]
	nd := &t.nodes[leaf]
	for s := nd.from; s < nd.to; s++ {
		t.norm.keys(x.keys, x.coords, t.Point(int(s)), d.periods)
		load := 0.0
		for i, key := range x.keys {
			if key <= w.limit {
				load += weight[x.slots[i]]
			}
		}
		price := 0.0
		if len(x.cost) > 0 {
			price = math.Exp(sharp * (load - 1))
		}
		for i, key := range x.keys {
			if key <= w.limit {
				q := x.slots[i]
				x.worst[q] = max(x.worst[q], load)
				if price > 0 {
					x.cost[q] += price
				}
			}
		}
	}
}

// collect appends the demands below a node that are within the radius of a box, and some beside them.
func (w *Loads) collect(x *loadPart, box []float64, node int) {
	d := w.demands
	if d.apart(d.box(node), box) > w.limit {
		return
	}
	nd := &d.nodes[node]
	if nd.right > 0 {
		w.collect(x, box, node+1)
		w.collect(x, box, int(nd.right))
		return
	}
	for s := nd.from; s < nd.to; s++ {
		x.slots = append(x.slots, s)
	}
	x.coords = append(x.coords, d.coords[int(nd.from)*d.dim:int(nd.to)*d.dim]...)
}
