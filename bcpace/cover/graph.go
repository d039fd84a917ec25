package cover

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"bayescpace/bcpace"
)

// NeighbourGraph joins the points of a set that are within ε of each other.
type NeighbourGraph struct {
	n, words int
	near     []uint64 // n × words: row v is N[v], v itself included
}

// maxGraph is the largest number of vertices of a Graph, for which greedy covers take
// seconds.
const maxGraph = 8_000

func newGraph(n int) *NeighbourGraph {
	g := &NeighbourGraph{n: n, words: wordsFor(n)}
	g.near = make([]uint64, n*g.words)
	for v := range n {
		put(g.row(v), v)
	}
	return g
}

// row returns N[v].
func (g *NeighbourGraph) row(v int) []uint64 {
	return g.near[v*g.words : (v+1)*g.words : (v+1)*g.words]
}

func (g *NeighbourGraph) join(u, v int) {
	put(g.row(u), v)
	put(g.row(v), u)
}

// NewGraph joins the points of s within epsilon ≥ 0 of each other; of *Points, rounding
// aside (see Net). The error is an
// *bcpace.InputError for an ε that is not a distance, a distance that is none, or more
// than 8,000 points; or the context's.
func NewGraph(ctx context.Context, s Space, epsilon float64) (*NeighbourGraph, error) {
	if err := checkEpsilon(epsilon); err != nil {
		return nil, err
	}
	if p, ok := s.(*Points); ok {
		if err := p.checkEpsilon(epsilon); err != nil {
			return nil, err
		}
		return p.graph(ctx, p.rounded(epsilon))
	}
	return graphOf(ctx, s.Len(), func(i, j int) (bool, error) {
		d := s.Distance(i, j)
		if !(d >= 0) {
			return false, bcpace.In("cover").Bad(fmt.Sprintf("the distance of points %d and %d", j, i), d, "0 or more")
		}
		return d <= epsilon, nil
	})
}

// joined reports whether the key of the distance of two points is at most that limit.
func (p *Points) joined(i, j int, limit float64) bool {
	return p.kind(i) == p.kind(j) && p.Norm.Between(p.At(i), p.At(j), p.Periods) <= limit
}

// graphOf joins vertices i > j as told.
func graphOf(ctx context.Context, n int, joined func(i, j int) (bool, error)) (*NeighbourGraph, error) {
	if n < 0 || n > maxGraph {
		return nil, bcpace.In("graph").Bad("the number of vertices", n, fmt.Sprintf("0 to %d", maxGraph))
	}
	g := newGraph(n)
	for i := range n {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for j := range i {
			join, err := joined(i, j)
			if err != nil {
				return nil, err
			}
			if join {
				g.join(i, j)
			}
		}
	}
	return g, nil
}

// parts splits the graph into its components, and leaves out of each the vertices
// that have the same closed neighbourhood as an earlier one: of such twins a minimal
// dominating set and an independent set have one at most, and any will do.
func (g *NeighbourGraph) parts() []part {
	list := make([]part, 0, 1)
	seen := make([]uint64, g.words)
	for v := range g.n {
		if has(seen, v) {
			continue
		}
		queue := []int{v}
		put(seen, v)
		for i := 0; i < len(queue); i++ {
			each(g.row(queue[i]), func(u int) {
				if !has(seen, u) {
					put(seen, u)
					queue = append(queue, u)
				}
			})
		}
		slices.Sort(queue)
		list = append(list, g.part(g.untwinned(queue)))
	}
	return list
}

// part is an induced subgraph whose vertex i is original vertex from[i].
type part struct {
	*NeighbourGraph
	from []int
}

func (g *NeighbourGraph) part(from []int) part {
	p := part{newGraph(len(from)), from}
	for i, u := range from {
		row := g.row(u)
		for j := range i {
			if has(row, from[j]) {
				p.join(i, j)
			}
		}
	}
	return p
}

// untwinned returns the vertices of the list without twins of earlier ones.
func (g *NeighbourGraph) untwinned(list []int) []int {
	rows := make(map[string]bool, len(list))
	key := make([]byte, 0, 8*g.words)
	return slices.DeleteFunc(list, func(v int) bool {
		key = key[:0]
		for _, w := range g.row(v) {
			key = binary.LittleEndian.AppendUint64(key, w)
		}
		twin := rows[string(key)]
		rows[string(key)] = true
		return twin
	})
}

// A bitset is a []uint64 with bit i%64 of word i/64 for element i. All bitsets of one
// graph have the same length.

func wordsFor(n int) int { return (n + 63) / 64 }

func has(x []uint64, i int) bool { return x[i>>6]>>(i&63)&1 != 0 }
func put(x []uint64, i int)      { x[i>>6] |= 1 << (i & 63) }
func drop(x []uint64, i int)     { x[i>>6] &^= 1 << (i & 63) }

// fill sets the first n elements.
func fill(x []uint64, n int) {
	for i := range x {
		x[i] = ^uint64(0)
	}
	if n&63 != 0 {
		x[len(x)-1] = 1<<(n&63) - 1
	}
}

func count(x []uint64) int {
	n := 0
	for _, w := range x {
		n += bits.OnesCount64(w)
	}
	return n
}

// countBoth returns |x ∩ y|.
func countBoth(x, y []uint64) int {
	n := 0
	for i, w := range x {
		n += bits.OnesCount64(w & y[i])
	}
	return n
}

func empty(x []uint64) bool {
	for _, w := range x {
		if w != 0 {
			return false
		}
	}
	return true
}

// meets reports whether x ∩ y has an element.
func meets(x, y []uint64) bool {
	for i, w := range x {
		if w&y[i] != 0 {
			return true
		}
	}
	return false
}

// within reports whether x ⊆ y.
func within(x, y []uint64) bool {
	for i, w := range x {
		if w&^y[i] != 0 {
			return false
		}
	}
	return true
}

// less sets dst = x \ y.
func less(dst, x, y []uint64) {
	for i, w := range x {
		dst[i] = w &^ y[i]
	}
}

// each calls f for the elements of x in increasing order.
func each(x []uint64, f func(i int)) {
	for k, w := range x {
		for ; w != 0; w &= w - 1 {
			f(k<<6 + bits.TrailingZeros64(w))
		}
	}
}
