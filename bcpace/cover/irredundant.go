package cover

import "context"

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
// ok is false where there are more than maxPairs pairs.
func (g *NeighbourGraph) irredundance(ctx context.Context) (p *packing, ok bool) {
	var owner, private []int
	for v := range g.n {
		members := g.members(v)
	candidates:
		for _, p := range members {
			for _, q := range members {
				if q != p && within(g.row(q), g.row(p)) && (q < p || !within(g.row(p), g.row(q))) {
					continue candidates
				}
			}
			owner, private = append(owner, v), append(private, p)
		}
		if len(owner) > maxPairs {
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

// pairWork estimates the work of finding the pairs of a graph.
func (g *NeighbourGraph) pairWork() int {
	work := 0
	for v := range g.n {
		d := count(g.row(v))
		work += d * d * g.words
	}
	return work
}

// members lists N[v].
func (g *NeighbourGraph) members(v int) []int {
	var list []int
	each(g.row(v), func(u int) { list = append(list, u) })
	return list
}
