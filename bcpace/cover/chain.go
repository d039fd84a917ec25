package cover

import (
	"slices"
	"sort"
)

// chainOrder returns the order of points along a chain: every coordinate rises along it, or falls,
// so that what lies between two points is nearer to each of them than they are to each other, also
// in the last bit. Points on a line are one, and beliefs over two latents. It is nil for other points.
func (p *Points) chainOrder() []int {
	n := p.Len()
	for i := range p.Dim {
		if i < len(p.Periods) && p.Periods[i] > 0 {
			return nil
		}
	}
	order := func(step int) []int {
		var list []int
		for i := 0; i < n; i += step {
			list = append(list, i)
		}
		slices.SortFunc(list, func(i, j int) int { return slices.Compare(p.At(i), p.At(j)) })
		for c := range p.Dim {
			rises, falls := false, false
			for k := 1; k < len(list); k++ {
				x, y := p.Coords[list[k-1]*p.Dim+c], p.Coords[list[k]*p.Dim+c]
				rises, falls = rises || x < y, falls || x > y
			}
			if rises && falls {
				return nil
			}
		}
		return list
	}
	const few = 64
	if n > few && order(n/few) == nil { // few of them tell of most sets that they are no chain
		return nil
	}
	return order(1)
}

// chainNumbers returns the numbers of a chain in that order. The graph of its points is a proper
// interval graph. There a cover may take at each step the farthest point that covers the first open
// one; γ = i, as such graphs have no claw (Allan and Laskar 1978); and α = Γ = IR, as they are chordal
// (Jacobson and Peters 1990).
func (p *Points) chainNumbers(order []int, epsilon float64) Numbers {
	limit := p.Norm.Key(epsilon)
	// beyond returns the place of the first point farther than ε from that at from.
	beyond := func(from int) int {
		x := p.At(order[from])
		return from + sort.Search(len(order)-from, func(k int) bool {
			return p.Norm.Between(x, p.At(order[from+k]), nil) > limit
		})
	}
	var x Numbers
	for from := 0; from < len(order); {
		x.Apart = append(x.Apart, order[from])
		from = beyond(from)
	}
	for from := 0; from < len(order); {
		center := beyond(from) - 1
		x.Smallest = append(x.Smallest, order[center])
		from = beyond(center)
	}
	x.Largest = slices.Clone(x.Apart)
	small, large := Interval{len(x.Smallest), len(x.Smallest)}, Interval{len(x.Apart), len(x.Apart)}
	x.Domination, x.Separated, x.Independence, x.Upper, x.Complete = small, small, large, large, true
	x.Why = Why{OnChain, OnChain, OnChain, OnChain}
	return x
}
