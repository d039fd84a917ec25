package cover

import (
	"cmp"
	"context"
	"slices"
)

// domination finds a smallest dominating set by branch and bound: some vertex must
// dominate the one that has the fewest candidates to do so. With separated set, the
// set must be independent too.
type domination struct {
	*NeighbourGraph
	ctx       context.Context
	separated bool
	best      []int // the smallest set so far; only smaller ones count
	chosen    []int
	levels    []dominationLevel
	looks     int
	cut       bool // the context ended the search
}

type dominationLevel struct {
	open, candidates, scratch []uint64 // not yet dominated; may still be chosen
	branch                    []int
}

// solve searches for sets smaller than best and reports whether it came to an end.
func (d *domination) solve() bool {
	d.root()
	d.expand(0)
	return !d.cut
}

// root returns the level where the search begins: nothing is dominated, and any vertex may be
// chosen.
func (d *domination) root() *dominationLevel {
	l := d.level(0)
	fill(l.open, d.n)
	fill(l.candidates, d.n)
	return l
}

func (d *domination) level(depth int) *dominationLevel {
	if depth == len(d.levels) {
		x := make([]uint64, 3*d.words)
		d.levels = append(d.levels, dominationLevel{open: x[:d.words], candidates: x[d.words : 2*d.words], scratch: x[2*d.words:]})
	}
	return &d.levels[depth]
}

// least returns a lower bound of the vertices still needed: open vertices without a
// candidate in common, and, as one candidate dominates so many at most, the share of
// all of them. It also returns the open vertex with the fewest candidates, whose
// number is 0 where nothing can dominate it.
func (d *domination) least(l *dominationLevel) (bound, vertex, choices int) {
	clear(l.scratch)
	choices = d.n + 1
	each(l.open, func(u int) {
		row := d.row(u)
		if c := countBoth(row, l.candidates); c < choices {
			vertex, choices = u, c
		}
		apart := true
		for i, w := range row {
			if w&l.candidates[i]&l.scratch[i] != 0 {
				apart = false
				break
			}
		}
		if apart {
			bound++
			for i, w := range row {
				l.scratch[i] |= w & l.candidates[i]
			}
		}
	})
	widest := 0
	each(l.candidates, func(v int) { widest = max(widest, countBoth(d.row(v), l.open)) })
	if widest > 0 {
		bound = max(bound, (count(l.open)+widest-1)/widest)
	}
	return bound, vertex, choices
}

func (d *domination) expand(depth int) {
	if d.looks++; d.looks&15 == 0 && d.ctx.Err() != nil {
		d.cut = true
	}
	if d.cut {
		return
	}
	d.level(depth + 1) // which may move the levels
	l := &d.levels[depth]
	if empty(l.open) {
		if len(d.chosen) < len(d.best) {
			d.best = slices.Clone(d.chosen)
		}
		return
	}
	bound, vertex, choices := d.least(l)
	if choices == 0 || len(d.chosen)+bound >= len(d.best) {
		return
	}
	l.branch = l.branch[:0]
	for i, w := range d.row(vertex) {
		l.scratch[i] = w & l.candidates[i]
	}
	each(l.scratch, func(v int) { l.branch = append(l.branch, v) })
	slices.SortFunc(l.branch, func(v, w int) int {
		return cmp.Or(cmp.Compare(countBoth(d.row(w), l.open), countBoth(d.row(v), l.open)), cmp.Compare(v, w))
	})
	for i := range l.branch {
		l, next := &d.levels[depth], &d.levels[depth+1]
		v := l.branch[i]
		less(next.open, l.open, d.row(v))
		drop(l.candidates, v) // sets with v end with this branch
		if d.separated {
			less(next.candidates, l.candidates, d.row(v))
		} else {
			copy(next.candidates, l.candidates)
		}
		d.chosen = append(d.chosen, v)
		d.expand(depth + 1)
		d.chosen = d.chosen[:len(d.chosen)-1]
	}
}

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
