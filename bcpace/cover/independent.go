package cover

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// packing finds a largest independent set of a conflict graph by branch and bound.
// Candidates are split greedily into cliques, of which an independent set has one
// element each at most; elements of the last cliques are tried first, until the
// cliques left cannot beat the best set (Tomita and Seki 2003, on bitsets as San
// Segundo et al. 2011, both for cliques of the complement).
type packing struct {
	ctx      context.Context
	n, words int
	conflict []uint64 // n × words: row x holds x and what cannot go with x
	label    []int    // by element: what it stands for

	// accept, if set, reports whether a set that takes no further element counts;
	// open, if set, whether one with those candidates left may still come to count.
	accept func(chosen []int) bool
	open   func(chosen []int, candidates []uint64) bool

	best   []int // the largest set so far, by label; only larger ones count
	chosen []int // by label, down to the present depth
	levels []level
	looks  int
	cut    bool // the context ended the search
}

// level is the scratch of one depth of the search.
type level struct {
	candidates, rest, clique []uint64
	order                    []int32
	bound                    []int32 // cliques up to and with that of order[i]
}

// newPacking takes the conflicts of elements 0 … n−1, rows with the element itself
// included, and orders elements by their number: those with few go into the first
// cliques.
func newPacking(ctx context.Context, n int, row func(x int) []uint64, label func(x int) int) *packing {
	p := &packing{ctx: ctx, n: n, words: wordsFor(n), label: make([]int, n)}
	order := make([]int, n)
	size := make([]int, n)
	for x := range order {
		order[x], size[x] = x, count(row(x))
	}
	slices.SortFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(size[x], size[y]), cmp.Compare(label(x), label(y)), cmp.Compare(x, y))
	})
	place := make([]int, n)
	for i, x := range order {
		place[x], p.label[i] = i, label(x)
	}
	p.conflict = make([]uint64, n*p.words)
	for i, x := range order {
		each(row(x), func(y int) { put(p.row(i), place[y]) })
	}
	return p
}

func (p *packing) row(x int) []uint64 { return p.conflict[x*p.words : (x+1)*p.words : (x+1)*p.words] }

// cliques returns the sizes of cliques that the elements fall into: no independent
// set has more elements than there are cliques.
func (p *packing) cliques() []int {
	var sizes []int
	if p.n > 0 {
		l := p.level(0)
		fill(l.candidates, p.n)
		p.split(l)
		sizes = make([]int, l.bound[len(l.bound)-1])
		for _, k := range l.bound {
			sizes[k-1]++
		}
	}
	return sizes
}

// solve searches for sets larger than best and reports whether it came to an end.
func (p *packing) solve() bool {
	if p.n == 0 {
		return true
	}
	fill(p.level(0).candidates, p.n)
	p.expand(0)
	return !p.cut
}

func (p *packing) level(depth int) *level {
	if depth == len(p.levels) {
		x := make([]uint64, 3*p.words)
		p.levels = append(p.levels, level{candidates: x[:p.words], rest: x[p.words : 2*p.words], clique: x[2*p.words:]})
	}
	return &p.levels[depth]
}

// split puts the candidates of a level into cliques.
func (p *packing) split(l *level) {
	l.order, l.bound = l.order[:0], l.bound[:0]
	copy(l.rest, l.candidates)
	for k := int32(1); ; k++ {
		copy(l.clique, l.rest)
		any := false
		for i := range l.clique {
			for l.clique[i] != 0 {
				x := i<<6 + bits.TrailingZeros64(l.clique[i])
				any = true
				drop(l.rest, x)
				l.order, l.bound = append(l.order, int32(x)), append(l.bound, k)
				row := p.row(x)
				drop(l.clique, x)
				for j := i; j < len(row); j++ {
					l.clique[j] &= row[j]
				}
			}
		}
		if !any {
			return
		}
	}
}

func (p *packing) expand(depth int) {
	if p.looks++; p.looks&15 == 0 && p.ctx.Err() != nil {
		p.cut = true
	}
	if p.cut {
		return
	}
	p.level(depth + 1) // which may move the levels
	l, next := &p.levels[depth], &p.levels[depth+1]
	if empty(l.candidates) {
		if len(p.chosen) > len(p.best) && (p.accept == nil || p.accept(p.chosen)) {
			p.best = slices.Clone(p.chosen)
		}
		return
	}
	if p.open != nil && !p.open(p.chosen, l.candidates) {
		return
	}
	p.split(l)
	for i := len(l.order) - 1; i >= 0 && !p.cut; i-- {
		if len(p.chosen)+int(l.bound[i]) <= len(p.best) {
			return
		}
		x := int(l.order[i])
		less(next.candidates, l.candidates, p.row(x))
		p.chosen = append(p.chosen, p.label[x])
		p.expand(depth + 1)
		p.chosen = p.chosen[:len(p.chosen)-1]
		l, next = &p.levels[depth], &p.levels[depth+1]
		drop(l.candidates, x)
	}
}

// maxPairs bounds the size of the graph of pairs: 32 MB of conflicts.
const maxPairs = 16_384

// irredundance returns the packing whose sets are the irredundant ones of g, those
// whose vertices v all have a private neighbour p in N[v], which is in no N[w] of
// another w of the set. Its elements are pairs (v, p): (v, p) and (w, q) go together
// where v ≠ w, p is not in N[w], and q not in N[v]. It counts only sets that
// dominate, and an irredundant set that dominates is a minimal dominating set. The
// number of its cliques() limits all irredundant sets, so it is an upper bound of IR.
//
// p is left out at v where another q of N[v] has N[q] ⊂ N[p], or N[q] = N[p] and
// comes first: if p is private to v, so is q.
//
// ok is false where there are more than maxPairs pairs, or the context ends.
func (g *NeighbourGraph) irredundance(ctx context.Context) (p *packing, ok bool) {
	var owner, private []int
	for v := range g.n {
		var members []int // N[v]
		each(g.row(v), func(u int) { members = append(members, u) })
	candidates:
		for _, p := range members {
			for _, q := range members {
				if q != p && within(g.row(q), g.row(p)) && (q < p || !within(g.row(p), g.row(q))) {
					continue candidates
				}
			}
			owner, private = append(owner, v), append(private, p)
		}
		if len(owner) > maxPairs || ctx.Err() != nil {
			return nil, false
		}
	}
	n := len(owner)
	words := wordsFor(n)
	// owned[u] are the pairs whose v is in N[u], privates[u] those whose p is.
	owned, privates := make([]uint64, g.n*words), make([]uint64, g.n*words)
	for x := range n {
		each(g.row(owner[x]), func(u int) { put(owned[u*words:(u+1)*words], x) })
		each(g.row(private[x]), func(u int) { put(privates[u*words:(u+1)*words], x) })
	}
	row := make([]uint64, words)
	p = newPacking(ctx, n, func(x int) []uint64 {
		// q in N[v], or w with p in N[w]. The pairs of v itself are among the
		// latter, as p is in N[v].
		v, u := owner[x], private[x]
		for i := range row {
			row[i] = privates[v*words+i] | owned[u*words+i]
		}
		return row
	}, func(x int) int { return owner[x] })

	reach := make([]uint64, g.n*words) // by vertex: the pairs, as p orders them, that dominate it
	for x, v := range p.label {
		each(g.row(v), func(u int) { put(reach[u*words:(u+1)*words], x) })
	}
	dominated := make([]uint64, g.words)
	mark := func(chosen []int) {
		clear(dominated)
		for _, v := range chosen {
			for i, w := range g.row(v) {
				dominated[i] |= w
			}
		}
	}
	p.accept = func(chosen []int) bool {
		mark(chosen)
		return count(dominated) == g.n
	}
	p.open = func(chosen []int, candidates []uint64) bool {
		mark(chosen)
		for u := range g.n {
			if !has(dominated, u) && !meets(reach[u*words:(u+1)*words], candidates) {
				return false
			}
		}
		return true
	}
	return p, true
}
