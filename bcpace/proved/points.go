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
	for k, b := range p.list {
		for φ, x := range b {
			if x == 1 {
				p.sure[φ] = k
			}
		}
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
