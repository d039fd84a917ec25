package cover

// The sets that greedy rules find bound the five numbers from one side each.

// net returns the vertices that are not joined to one taken before, in the order
// given: an independent dominating set.
func (g *NeighbourGraph) net(order []int) []int {
	covered := make([]uint64, g.words)
	var list []int
	for _, v := range order {
		if !has(covered, v) {
			list = append(list, v)
			for i, w := range g.row(v) {
				covered[i] |= w
			}
		}
	}
	return list
}

// sparseNet is the net that always takes a vertex with the fewest uncovered
// neighbours: a large independent set.
func (g *NeighbourGraph) sparseNet() []int {
	open := make([]uint64, g.words)
	fill(open, g.n)
	var list []int
	for !empty(open) {
		best, fewest := -1, g.n+1
		each(open, func(v int) {
			if c := countBoth(g.row(v), open); c < fewest {
				best, fewest = v, c
			}
		})
		list = append(list, best)
		less(open, open, g.row(best))
	}
	return list
}

// greedyCover always takes a vertex that covers the most uncovered ones, and drops
// what it can do without in the end: a small minimal dominating set.
func (g *NeighbourGraph) greedyCover() []int {
	open := make([]uint64, g.words)
	fill(open, g.n)
	var list []int
	for !empty(open) {
		best, most := -1, 0
		for v := range g.n {
			if c := countBoth(g.row(v), open); c > most {
				best, most = v, c
			}
		}
		list = append(list, best)
		less(open, open, g.row(best))
	}
	return g.reduce(list)
}

// reduce leaves out of a dominating set, in its order, each vertex without which the
// rest dominates: a minimal dominating set.
func (g *NeighbourGraph) reduce(list []int) []int {
	times := make([]int32, g.n) // by how many of the set a vertex is covered
	for _, v := range list {
		each(g.row(v), func(u int) { times[u]++ })
	}
	var kept []int
	for _, v := range list {
		needed := false
		each(g.row(v), func(u int) { needed = needed || times[u] == 1 })
		if needed {
			kept = append(kept, v)
			continue
		}
		each(g.row(v), func(u int) { times[u]-- })
	}
	return kept
}

// leastDegree returns δ, the fewest neighbours of a vertex.
func (g *NeighbourGraph) leastDegree() int {
	least := g.n
	for v := range g.n {
		least = min(least, count(g.row(v))-1)
	}
	return least
}
