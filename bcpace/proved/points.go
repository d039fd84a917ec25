package proved

import (
	"math"
	"slices"

	"bayescpace/bcpace"
)

// points are the beliefs at which bounds are computed: those of a grid, or, where a belief moves only
// when the latent is told, those of the starts. The beliefs that are sure of a latent are among them.
type points struct {
	list []bcpace.Belief
	sure []int    // of a latent
	grid *beliefs // nil where there is none
}

const (
	mostBeliefs = 256 // in a grid that is cut into more than one part, or of starts
	mostParts   = 64
	fewParts    = 8 // with cells of partSigmas and more; with half of that there are twice as many, and so on
	partSigmas  = 0.2
)

// manyAxes is on how many axes coarse grids are worth their price, as others of states are coarse there, too.
const manyAxes = 3

// cuts returns into how many parts beliefs may be cut, the most first: as many as there are beliefs
// for, up to most, or, where that takes too much work, a half or a quarter of them. On many axes fewer do, as nothing else bounds
// the value there: with one part the bound is that of an agent that is told the latent at the start.
func cuts(latents, axes, most int) (list []int) {
	parts := 1
	for parts < most && newBeliefs(latents, parts+1).len() <= mostBeliefs {
		parts++
	}
	for k := parts; k > 0 && (k >= parts/4 || axes >= manyAxes); k /= 2 {
		list = append(list, k)
	}
	return list
}

// gridPoints cuts beliefs into so many parts.
func gridPoints(latents, parts int) *points {
	p := &points{grid: newBeliefs(latents, parts)}
	p.list = p.grid.list()
	p.findSure(latents)
	return p
}

// startPoints has the beliefs of the starts.
func startPoints(latents int, starts []bcpace.Start) *points {
	p := &points{}
	for φ := range latents {
		p.list = append(p.list, bcpace.OneHot(latents, φ))
	}
	for _, s := range starts[:min(len(starts), mostBeliefs)] {
		if !slices.ContainsFunc(p.list, func(x bcpace.Belief) bool { return slices.Equal(x, s.Belief) }) {
			p.list = append(p.list, slices.Clone(s.Belief))
		}
	}
	p.findSure(latents)
	return p
}

func (p *points) findSure(latents int) {
	p.sure = make([]int, latents)
	for φ := range p.sure {
		p.sure[φ] = slices.IndexFunc(p.list, func(b bcpace.Belief) bool { return b[φ] == 1 })
	}
}

// apart returns the points that are sure of a latent, and the others.
func (p *points) apart() (sure, others []int) {
	for k := range p.list {
		if p.isSure(k) {
			sure = append(sure, k)
		} else {
			others = append(others, k)
		}
	}
	return sure, others
}

// isSure reports whether a point is sure of a latent.
func (p *points) isSure(k int) bool { return slices.Contains(p.sure, k) }

// value bounds a convex function of the belief by its values at the points: between those of a grid, or
// between one of the others and the sure ones.
func (p *points) value(b bcpace.Belief, at func(k int) float64) (v float64) {
	if p.grid != nil {
		p.around(b, func(k int, weight float64) { v += weight * at(k) })
		return v
	}
	best := math.Inf(1)
	for k, x := range p.list {
		part := math.Inf(1) // the largest one of x that b has
		for φ := range x {
			if x[φ] > 0 {
				part = min(part, b[φ]/x[φ])
			}
		}
		v := part * at(k)
		for φ := range x {
			v += max(0, b[φ]-part*x[φ]) * at(p.sure[φ])
		}
		best = min(best, v)
	}
	return best
}

// around calls f with the points around a belief and their weights: in a grid, or else the one that is nearest.
func (p *points) around(b bcpace.Belief, f func(k int, weight float64)) {
	if p.grid != nil {
		between := p.grid.between()
		p.grid.corners(between, b, 1)
		for i, number := range between.numbers {
			f(int(number), between.weights[i])
		}
		return
	}
	best, least := 0, math.Inf(1)
	for k, x := range p.list {
		if off := x.L1(b); off < least {
			best, least = k, off
		}
	}
	f(best, 1)
}

// beliefs are the beliefs whose entries are multiples of 1/parts, and interpolation between them
// on the triangulation of Freudenthal, as Lovejoy (1991, "Computationally feasible bounds for
// partially observed Markov decision processes") has it. A convex function lies below it.
//
// A belief is the point x_i = parts·Σ_{j≥i} b_j, which falls from x_1 = parts; the points with whole
// numbers are counted in the order of x_2, x_3, ….
type beliefs struct {
	latents, parts int
	choose         [][]int // [i][n]: the ways to choose i of n
}

func newBeliefs(latents, parts int) *beliefs {
	x := &beliefs{latents: latents, parts: parts, choose: make([][]int, latents)}
	for i := range x.choose {
		x.choose[i] = make([]int, parts+latents+1)
		for n := range x.choose[i] {
			switch {
			case i == 0:
				x.choose[i][n] = 1
			case n > 0:
				x.choose[i][n] = x.choose[i][n-1] + x.choose[i-1][n-1]
			}
		}
	}
	return x
}

// len returns the number of beliefs.
func (be *beliefs) len() int { return be.choose[be.latents-1][be.parts+be.latents-1] }

// number returns the number of a point with whole numbers.
func (be *beliefs) number(at []int) int {
	n := 0
	for i := 1; i < be.latents; i++ {
		n += be.choose[be.latents-i][at[i]+be.latents-i-1]
	}
	return n
}

// list returns all beliefs by their numbers.
func (be *beliefs) list() []bcpace.Belief {
	all := make([]bcpace.Belief, be.len())
	at := make([]int, be.latents)
	at[0] = be.parts
	var fill func(i int)
	fill = func(i int) {
		if i == be.latents {
			b := make(bcpace.Belief, be.latents)
			for j := range b {
				next := 0
				if j+1 < be.latents {
					next = at[j+1]
				}
				b[j] = float64(at[j]-next) / float64(be.parts)
			}
			all[be.number(at)] = b
			return
		}
		for at[i] = 0; at[i] <= at[i-1]; at[i]++ {
			fill(i + 1)
		}
	}
	fill(1)
	return all
}

// between is what a goroutine needs to interpolate.
type between struct {
	x, rest   []float64
	at, order []int
	numbers   []int32 // of the corners around a belief, and their weights
	weights   []float64
}

func (be *beliefs) between() *between {
	n := be.latents
	return &between{x: make([]float64, n), rest: make([]float64, n), at: make([]int, n), order: make([]int, 0, n), numbers: make([]int32, 0, n), weights: make([]float64, 0, n)}
}

// corners sets the corners around the belief w/total, w ≥ 0, and their weights, which sum to 1.
func (be *beliefs) corners(b *between, w []float64, total float64) {
	b.numbers, b.weights, b.order = b.numbers[:0], b.weights[:0], b.order[:0]
	n, scale := be.latents, float64(be.parts)/total
	tail := 0.0
	b.at[0] = be.parts
	for i := n - 1; i > 0; i-- {
		tail = min(tail+w[i]*scale, float64(be.parts))
		b.at[i] = int(tail)
		b.rest[i] = tail - float64(b.at[i])
		b.order = append(b.order, i)
	}
	// From the lower corner on, one coordinate after the other rises, that with the largest rest first.
	if n > 2 {
		slices.SortStableFunc(b.order, func(i, j int) int {
			switch {
			case b.rest[i] > b.rest[j]:
				return -1
			case b.rest[i] < b.rest[j]:
				return 1
			}
			return i - j
		})
	}
	last := 1.0
	for k := 0; ; k++ {
		next := 0.0
		if k < len(b.order) {
			next = b.rest[b.order[k]]
		}
		if last > next {
			b.numbers, b.weights = append(b.numbers, int32(be.number(b.at))), append(b.weights, last-next)
		}
		if k == len(b.order) || next == 0 {
			return
		}
		b.at[b.order[k]]++
		last = next
	}
}
