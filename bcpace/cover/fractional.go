package cover

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
)

// Packing is a fractional packing: points with weights of which no ball of radius ε around a
// point of the set holds more than 1 in all. Each point of a cover has weights of 1 at most within
// ε, and a cover has all within ε, so γ is at least their sum; by the duality of linear programs
// the best packing weighs as much as the smallest fractional cover.
type Packing struct {
	Points []int
	Weight []float64
}

// Sum returns the sum of the weights.
func (p Packing) Sum() float64 {
	sum := 0.0
	for _, w := range p.Weight {
		sum += w
	}
	return sum
}

// least returns the lower bound of γ that a packing proves, with rounding in mind.
func (p Packing) least() int { return int(math.Ceil(p.Sum() * (1 - 1e-9))) }

// weighing looks at the balls around centres, and at the weights of the demands in them.
type weighing struct {
	centers, demands *tree
	limit            float64 // the key of ε
	scratch          [passParts]passScratch
}

// passParts is into how many parts the centres are split: always as many, so that sums have the
// same bits for any number of processors.
const passParts = 8

type passScratch struct {
	worst, cost []float64 // by demand
	slots       []int32   // demands near a leaf
	coords      []float64
	keys        []float64
	load        float64 // the largest
}

// pass writes for each demand the largest load of a ball that holds it, and with cost the sum of the
// prices of those balls. The price of a ball rises with its load, the more the sharper. It returns
// the context's error if that ends it.
func (w *weighing) pass(ctx context.Context, weight, worst, cost []float64, sharp float64) error {
	leaves := w.centers.leaves()
	var all sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for k := range w.scratch {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			x := &w.scratch[k]
			x.worst = append(x.worst[:0], make([]float64, len(weight))...)
			x.cost = append(x.cost[:0], make([]float64, len(cost))...)
			for i, leaf := range leaves[k*len(leaves)/passParts : (k+1)*len(leaves)/passParts] {
				if i%64 == 0 && ctx.Err() != nil {
					return
				}
				w.leaf(x, int(leaf), weight, sharp)
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	clear(worst)
	clear(cost)
	for k := range w.scratch {
		for q, v := range w.scratch[k].worst {
			worst[q] = max(worst[q], v)
		}
		for q, v := range w.scratch[k].cost {
			cost[q] += v
		}
	}
	return nil
}

// leaf is pass for the centres of a leaf.
func (w *weighing) leaf(x *passScratch, leaf int, weight []float64, sharp float64) {
	t, d := w.centers, w.demands
	x.slots, x.coords = x.slots[:0], x.coords[:0]
	w.collect(x, t.box(leaf), 0)
	x.keys = append(x.keys[:0], make([]float64, len(x.slots))...)
	nd := &t.nodes[leaf]
	for s := nd.from; s < nd.to; s++ {
		t.norm.keys(x.keys, x.coords, t.point(int(s)), d.periods)
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

// collect appends the demands below a node that are within ε of a box, and some beside them.
func (w *weighing) collect(x *passScratch, box []float64, node int) {
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

// settle divides the weights by the largest loads, after which no ball of the pass holds more than
// 1, and returns their sum. Each load sums weights of a ball that holds the demand, so none is 0.
func settle(weight, worst []float64) float64 {
	sum := 0.0
	for q := range weight {
		weight[q] /= worst[q]
		sum += weight[q]
	}
	return sum
}

// improve makes a packing's weights heavier by multiplicative updates (Plotkin, Shmoys and Tardos
// 1995): a demand that is within ε of dear balls loses weight to the others. The best weights of
// all rounds are left in weight, which may begin as any above 0.
func (w *weighing) improve(ctx context.Context, weight []float64, rounds int) error {
	worst, cost := make([]float64, len(weight)), make([]float64, len(weight))
	if err := w.pass(ctx, weight, worst, nil, 0); err != nil {
		return err
	}
	best := settle(weight, worst)
	now := slices.Clone(weight)
	for r := range rounds {
		if err := w.pass(ctx, now, worst, cost, 10+40*float64(r)/float64(rounds)); err != nil {
			return err
		}
		if sum := settle(now, worst); sum > best {
			best = sum
			copy(weight, now)
		}
		spent, sum := 0.0, 0.0
		for q, v := range now {
			spent, sum = spent+v*cost[q], sum+v
		}
		for q := range now {
			over := cost[q]*sum/spent - 1
			now[q] *= math.Exp(-0.3 * over / (1 + math.Abs(over)))
		}
	}
	return nil
}

// leaves returns the nodes without children.
func (t *tree) leaves() []int32 {
	var list []int32
	for i, nd := range t.nodes {
		if nd.right == 0 {
			list = append(list, int32(i))
		}
	}
	return list
}
