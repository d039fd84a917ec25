package cover

import (
	"cmp"
	"context"
	"math"
	"slices"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/runs"
)

// Points that have a gap above ε on one axis between them are more than ε apart. So a set falls
// into blocks whose numbers add up: the cells of a room, the places of a discrete axis.

// blocks returns the points' numbers, block by block, for an ε above 0 that rounding is in.
func (p *Points) blocks(epsilon float64) [][]int32 {
	type piece struct {
		list        []int32
		axis, quiet int // the axis to look at, and how many before it had no gap
	}
	var done [][]int32
	var open []piece
	for _, list := range p.byKind() {
		open = append(open, piece{list: list})
	}
	for len(open) > 0 {
		x := open[len(open)-1]
		open = open[:len(open)-1]
		for len(x.list) > 1 && x.quiet < p.Dim {
			parts := p.cut(x.list, x.axis, epsilon)
			x.axis, x.quiet = (x.axis+1)%p.Dim, x.quiet+1
			if len(parts) > 1 {
				x.list, x.quiet = parts[0], 0
				for _, part := range parts[1:] {
					open = append(open, piece{part, x.axis, 0})
				}
			}
		}
		done = append(done, x.list)
	}
	slices.SortFunc(done, func(a, b []int32) int { return cmp.Compare(a[0], b[0]) })
	return done
}

// byKind returns the points' numbers, kind by kind.
func (p *Points) byKind() [][]int32 {
	if p.Kind == nil && p.Len() > 0 {
		return [][]int32{upTo[int32](p.Len())}
	}
	at := make(map[int32]int)
	var lists [][]int32
	for i := range p.Len() {
		k, ok := at[p.kind(i)]
		if !ok {
			k = len(lists)
			at[p.kind(i)] = k
			lists = append(lists, nil)
		}
		lists[k] = append(lists[k], int32(i))
	}
	return lists
}

// cut splits a list where a gap of an axis is longer than ε, in the order of its points.
func (p *Points) cut(list []int32, axis int, epsilon float64) [][]int32 {
	if axis < len(p.Periods) && p.Periods[axis] > 0 {
		return nil
	}
	value := func(i int32) float64 { return p.Coords[int(i)*p.Dim+axis] }
	low, high := value(list[0]), value(list[0])
	for _, i := range list {
		low, high = min(low, value(i)), max(high, value(i))
	}
	limit := p.Norm.Key(epsilon)
	if p.Norm.Key(high-low) <= limit {
		return nil
	}
	// In bins of half an ε, a gap above ε has an empty bin in it. Where bins would be far more than
	// points, the points are sorted instead.
	var edges []float64 // the first value behind each gap
	if bins := (high - low) / (epsilon / 2); bins > float64(4*len(list)) {
		sorted := make([]float64, len(list))
		for k, i := range list {
			sorted[k] = value(i)
		}
		slices.Sort(sorted)
		for k := 1; k < len(sorted); k++ {
			if p.Norm.Key(sorted[k]-sorted[k-1]) > limit {
				edges = append(edges, sorted[k])
			}
		}
	} else {
		edges = p.gaps(list, value, low, epsilon, int(bins)+2)
	}
	if len(edges) == 0 {
		return nil
	}
	parts := make([][]int32, len(edges)+1)
	for _, i := range list {
		k, found := slices.BinarySearch(edges, value(i))
		if found {
			k++
		}
		parts[k] = append(parts[k], i)
	}
	return parts
}

// gaps returns the first value behind each gap above ε, from bins of half an ε.
func (p *Points) gaps(list []int32, value func(i int32) float64, low, epsilon float64, bins int) []float64 {
	least, most := slices.Repeat([]float64{math.Inf(1)}, bins), slices.Repeat([]float64{math.Inf(-1)}, bins)
	for _, i := range list {
		v := value(i)
		b := int((v - low) / (epsilon / 2))
		least[b], most[b] = min(least[b], v), max(most[b], v)
	}
	var edges []float64
	before := low
	for b, v := range least {
		if math.IsInf(v, 1) {
			continue
		}
		if p.Norm.Key(v-before) > p.Norm.Key(epsilon) {
			edges = append(edges, v)
		}
		before = most[b]
	}
	return edges
}

// block returns the points of a list without kinds and without the axes on which all are the same,
// which add nothing to a distance.
func (p *Points) block(list []int32) *Points {
	q := &Points{Norm: p.Norm}
	var axes []int
	for c := range p.Dim {
		first := p.Coords[int(list[0])*p.Dim+c]
		if slices.ContainsFunc(list, func(i int32) bool { return p.Coords[int(i)*p.Dim+c] != first }) {
			axes = append(axes, c)
			if c < len(p.Periods) && p.Periods[c] > 0 {
				q.Periods = append(q.Periods, make([]float64, len(axes)-len(q.Periods))...)
				q.Periods[len(axes)-1] = p.Periods[c]
			}
		}
	}
	q.Dim = len(axes)
	if p.Kind == nil && len(list) == p.Len() && q.Dim == p.Dim {
		q.Coords = p.Coords // a list of all is in their order
		return q
	}
	q.Coords = make([]float64, 0, len(list)*q.Dim)
	for _, i := range list {
		x := p.At(int(i))
		for _, c := range axes {
			q.Coords = append(q.Coords, x[c])
		}
	}
	return q
}

// blockPart is a block with what is known of its numbers, by its own numbers of points.
type blockPart struct {
	list   []int32
	points *Points
	many   *many // nil where the graph is enough
	Numbers
}

// number is Number for distinct points.
func (p *Points) number(ctx context.Context, epsilon float64, o Options) (Numbers, error) {
	if epsilon == 0 {
		n := Interval{p.Len(), p.Len()}
		return Numbers{Domination: n, Separated: n, Independence: n, Upper: n, Complete: true, Why: Why{OnChain, OnChain, OnChain, OnChain},
			Smallest: num.UpTo(p.Len()), Largest: num.UpTo(p.Len()), Apart: num.UpTo(p.Len())}, nil
	}
	epsilon = p.rounded(epsilon)
	blocks := p.blocks(epsilon)
	slices.SortStableFunc(blocks, func(a, b []int32) int { return cmp.Compare(len(a), len(b)) }) // the small ones may be exact
	total, open, pairs := Numbers{Complete: true}, []*blockPart(nil), 0
	for _, list := range blocks {
		x := &blockPart{list: list, points: p.block(list)}
		if pairs += len(list) * len(list); pairs > graphPairs {
			pairs = math.MaxInt / 2
		}
		if err := x.atOnce(ctx, epsilon, o, len(list) <= fineGraph && pairs <= graphPairs); err != nil {
			return Numbers{}, err
		}
		if !o.Exact || x.Complete {
			total.add(x)
		} else {
			open = append(open, x)
		}
	}
	for k, x := range open {
		share, cancel := runs.LeaveTime(ctx, 1-1/float64(len(open)-k))
		x.search(share, epsilon, o, func(now Numbers) {
			if o.Progress != nil {
				now = now.withoutSets()
				now.plus(total.withoutSets())
				for i, other := range open {
					if i != k {
						now.plus(other.withoutSets())
					}
				}
				o.Progress(now)
			}
		})
		cancel()
	}
	for _, x := range open {
		total.add(x)
	}
	return total, nil
}

// add adds the numbers of a part.
func (n *Numbers) add(x *blockPart) {
	list := make([]int, len(x.list))
	for k, i := range x.list {
		list[k] = int(i)
	}
	x.renumber(list)
	n.plus(x.Numbers)
}

// atOnce finds the numbers or, without a search, bounds. ε has rounding in it.
func (x *blockPart) atOnce(ctx context.Context, epsilon float64, o Options, graph bool) error {
	p := x.points
	if len(x.list) == 1 {
		one := Interval{1, 1}
		x.Numbers = Numbers{Domination: one, Separated: one, Independence: one, Upper: one, Complete: true, Why: Why{OnChain, OnChain, OnChain, OnChain},
			Smallest: []int{0}, Largest: []int{0}, Apart: []int{0}}
		return nil
	}
	if order := p.chainOrder(); order != nil {
		x.Numbers = p.chainNumbers(order, epsilon)
		return nil
	}
	if graph {
		g, err := p.graph(ctx, epsilon)
		if err != nil {
			return err
		}
		o.Exact = false
		if x.Numbers, err = g.Numbers(ctx, o); err != nil || x.Complete || len(x.list) <= fewPoints {
			return err
		}
	}
	var err error
	if x.many, err = newMany(ctx, p, epsilon, o); err != nil {
		if graph && ctx.Err() != nil {
			return nil // there are bounds to keep
		}
		return err
	}
	if graph {
		x.meet(x.many.Numbers)
	} else {
		x.Numbers = x.many.Numbers
	}
	return nil
}

// fewPoints have bounds from their graph that the ways for many do not better.
const fewPoints = 64

// search makes the intervals of γ and α shorter, and looks for the exact numbers of the graph.
func (x *blockPart) search(ctx context.Context, epsilon float64, o Options, tell func(Numbers)) {
	graph := len(x.list) <= maxGraph
	if x.many != nil {
		first, cancel := ctx, context.CancelFunc(func() {})
		if graph {
			first, cancel = runs.LeaveTime(ctx, leftToNext)
		}
		x.many.refine(first, func(now Numbers) {
			y := x.Numbers
			y.meet(now)
			tell(y)
		})
		cancel()
		x.meet(x.many.Numbers)
	}
	if !graph || x.Complete {
		return
	}
	g, err := x.points.graph(ctx, epsilon)
	if err != nil {
		return // out of time
	}
	if exact, err := g.Numbers(ctx, o); err == nil {
		x.meet(exact)
		tell(x.Numbers)
	}
}

// graph is NewGraph for an ε that rounding is in.
func (p *Points) graph(ctx context.Context, epsilon float64) (*NeighbourGraph, error) {
	limit := p.Norm.Key(epsilon)
	return graphOf(ctx, p.Len(), func(i, j int) (bool, error) { return p.joined(i, j, limit), nil })
}
