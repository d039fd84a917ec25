package proved

import (
	"context"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/normal"
)

// lineFloor is the controller of a floor on one axis that tells something of the latent. From a node c and
// a memory it plays the best choice there. It then remembers, for the cell of the next place, one of the
// points around the belief that follows from the middle of that cell and from the means of c. So what it earns
// under a latent φ solves a linear system.
type lineFloor struct {
	*floor
	g       *grid
	rules   [][]rule       // node·points + point
	kernels [][]lineKernel // by node, for the choices of the nodes around
	number  [][]int32      // likewise: which kernel is that of a choice
	v, next [][]float64    // φ·points + point, by node
}

// rule is what is remembered after a step: for each cell from a first one on, and for the ends.
type rule struct {
	choice int32
	first  int
	cells  []mixed
	ends   [2]mixed
}

// mixed are points, and the weights by which one of them is drawn.
type mixed struct {
	points  [mostLatents]int32
	weights [mostLatents]float64
	n       int
}

// mostLatents bounds the latents of a lower bound on a line.
const mostLatents = 4

// lineKernel is where the next place lies, by latent: a majorant.
type lineKernel struct {
	first       int
	left, right []float64 // cell·latents + φ
	ends        [2][]float64
	kept        []float64
}

// line computes the bound.
func (f *floor) line(ctx context.Context, g *grid, starts []bcpace.Start) (lower float64, err error) {
	x := f.upper
	if x.latents > mostLatents {
		return math.Inf(-1), unsupported(x.spec, "at most %d latents, for a lower bound of a model with an axis that tells something", mostLatents)
	}
	points := len(x.p.list)
	l := &lineFloor{floor: f, g: g, rules: make([][]rule, g.nodes), kernels: make([][]lineKernel, g.nodes), number: make([][]int32, g.nodes)}
	parallel(ctx, g.nodes, func(node int) { l.remember(node) })
	parallel(ctx, g.nodes, func(node int) { l.move(node) })
	if ctx.Err() != nil {
		return math.Inf(-1), ctx.Err()
	}
	kept := 1.0
	for _, list := range l.kernels {
		for _, k := range list {
			kept = max(kept, slices.Max(k.kept))
		}
	}
	if f.discount = x.discount * kept; !(f.discount < 1) {
		return math.Inf(-1), f.tooCoarse()
	}
	for range g.latents * points {
		v := make([]float64, g.nodes)
		for i := range v {
			v[i] = g.lowest
		}
		l.v, l.next = append(l.v, v), append(l.next, slices.Clone(v))
	}
	for n := range mostSweeps {
		change := l.sweep(ctx, n == 0)
		if ctx.Err() != nil {
			return math.Inf(-1), ctx.Err()
		}
		if change <= f.least {
			break
		}
	}
	for _, s := range starts {
		m, best := l.around(s.Belief), math.Inf(-1)
		x.segments(s.State, func(c corners) {
			v := 0.0
			for φ, p := range s.Belief {
				for i := range m.n {
					for n, node := range c.nodes {
						v += p * m.weights[i] * c.weights[n] * l.v[φ*points+int(m.points[i])][node]
					}
				}
			}
			best = max(best, v)
		})
		lower += s.Weight * best
	}
	return lower, nil
}

// remember makes the rules of a node.
func (l *lineFloor) remember(node int) {
	x, a := l.upper, l.g.axes[0]
	n := len(x.p.list)
	w := make([]float64, l.g.latents)
	for k := range n {
		r := rule{choice: x.found[node*n+k]}
		means := l.means(node, r.choice)
		lo, hi := slices.Min(means), slices.Max(means)
		first, end := a.window(lo-far*a.sigma, hi+far*a.sigma)
		r.first = first
		learn := func(of func(m float64) float64) mixed {
			for φ, m := range means {
				w[φ] = x.p.list[k][φ] * of(m)
			}
			return l.around(w)
		}
		for j := first; j < end; j++ {
			c := a.cellAt(j)
			r.cells = append(r.cells, learn(func(m float64) float64 { return normal.Density(((c.a+c.b)/2 - m) / a.sigma) }))
		}
		r.ends[0] = learn(func(m float64) float64 { return normal.CDF((a.low - m) / a.sigma) })
		r.ends[1] = learn(func(m float64) float64 { return normal.CDF((m - a.high) / a.sigma) })
		l.rules[node] = append(l.rules[node], r)
	}
}

// means returns those of a choice at a node.
func (l *lineFloor) means(node int, choice int32) []float64 {
	n := (l.g.group(node, 0)*len(l.g.choices) + int(choice)) * l.g.latents
	return l.g.rows[0].means[n : n+l.g.latents]
}

// around returns the points around an unnormalised belief. A belief that is not sure of a latent is held back from the
// points that are: there nothing more would be learned.
func (l *lineFloor) around(w []float64) (m mixed) {
	p := l.upper.p
	total, most := 0.0, 0.0
	for _, x := range w {
		total, most = total+x, max(most, x)
	}
	b := make([]float64, len(w))
	for φ, x := range w {
		switch {
		case !(total > leastTotal):
			b[φ] = 1 / float64(len(w))
		case most == total:
			b[φ] = x / total
		default:
			part := 1 / float64(p.grid.parts)
			b[φ] = max(part, x/total)
		}
	}
	total = 0
	for _, x := range b {
		total += x
	}
	between := p.grid.between()
	p.grid.corners(between, b, total)
	m.n = len(between.numbers)
	for i, number := range between.numbers {
		m.points[i], m.weights[i] = number, between.weights[i]
	}
	return m
}

// move makes the kernels of a node.
func (l *lineFloor) move(node int) {
	g, a := l.g, l.g.axes[0]
	l.number[node] = make([]int32, len(g.choices))
	for c := range l.number[node] {
		l.number[node][c] = -1
	}
	b := newBuilder(g, 0)
	b.above = true
	for _, from := range l.beside(node) {
		for _, r := range l.rules[from] {
			if l.number[node][r.choice] >= 0 {
				continue
			}
			l.number[node][r.choice] = int32(len(l.kernels[node]))
			group, means := g.group(node, 0), l.means(node, r.choice)
			lo, hi := slices.Min(means), slices.Max(means)
			first, end := a.window(lo-far*a.sigma, hi+far*a.sigma)
			k := lineKernel{first: first, left: make([]float64, (end-first)*g.latents), right: make([]float64, (end-first)*g.latents), kept: make([]float64, g.latents)}
			b.list(group, int(r.choice))
			for φ, m := range means {
				cells := b.around(nil, (group*len(g.choices)+int(r.choice))*g.latents+φ)
				j := φ
				b.inCells(m, cells, first, end, func(_ cell, left, right float64) {
					k.left[j], k.right[j] = left, right
					k.kept[φ] += left + right
					j += g.latents
				})
				low, high := b.ends(m, cells)
				k.ends[0], k.ends[1] = append(k.ends[0], low), append(k.ends[1], high)
				k.kept[φ] += low + high
			}
			l.kernels[node] = append(l.kernels[node], k)
		}
	}
}

// beside returns a node and those beside it.
func (l *lineFloor) beside(node int) []int {
	a, list := l.g.axes[0], []int{node}
	if a.left[node] >= 0 {
		list = append(list, int(a.left[node]))
	}
	if a.right[node] >= 0 {
		list = append(list, int(a.right[node]))
	}
	return list
}

// sweep computes what the rules earn at all nodes, points and latents, and returns the largest change. The first
// sweep settles the bounds as that of a solver does, from the other side. Where no episode ends, later sweeps rise by what
// all must rise by in the end (MacQueen 1966): if a sweep raises all by δ at least, so does each one after it by γ times
// as much.
func (l *lineFloor) sweep(ctx context.Context, first bool) (change float64) {
	g, n := l.g, len(l.upper.p.list)
	arrival := l.next // it is written when all is read
	values := make([][]float64, len(l.v))
	for i := range values {
		values[i] = make([]float64, g.nodes)
	}
	for φ := range g.latents {
		for k := range n {
			for node, v := range l.v[φ*n+k] {
				r := g.regionOf(node)
				switch at := &arrival[φ*n+k][node]; {
				case r.ends:
					*at = r.pays[φ]
				case r.tells:
					*at = r.pays[φ] + g.discount*l.v[φ*n+l.upper.p.sure[φ]][node]
				default:
					*at = r.pays[φ] + g.discount*v
				}
			}
		}
	}
	falls, rises := make([]float64, g.nodes), make([]float64, g.nodes)
	parallel(ctx, g.nodes, func(node int) {
		if g.regionOf(node).ends {
			return
		}
		rises[node] = math.Inf(1)
		for φ := range g.latents {
			for k := range n {
				least := math.Inf(1)
				for _, from := range l.beside(node) {
					least = min(least, l.value(arrival[φ*n:(φ+1)*n], node, φ, &l.rules[from][k]))
				}
				rise := least - l.v[φ*n+k][node]
				values[φ*n+k][node] = least
				falls[node], rises[node] = max(falls[node], -rise), min(rises[node], rise)
			}
		}
	})
	κ, c := 0.0, 0.0
	if first {
		κ = slices.Max(falls) / (1 - l.discount)
	} else if l.upper.closed {
		c = max(0, slices.Min(rises)) * g.discount * leastKept / (1 - g.discount*leastKept)
	}
	for i, list := range values {
		for node, v := range list {
			v = max(l.v[i][node]-κ, v-l.discount*κ) + c
			change = max(change, math.Abs(v-l.v[i][node]))
			list[node] = v
		}
	}
	l.v = values
	return change
}

// leastKept is what a majorant keeps at least.
const leastKept = 1 - 1e-8

// value returns what a rule earns at a node under a latent.
func (l *lineFloor) value(arrival [][]float64, node, φ int, r *rule) float64 {
	g, a := l.g, l.g.axes[0]
	k := &l.kernels[node][l.number[node][r.choice]]
	n := g.group(node, 0)*len(g.choices) + int(r.choice)
	upper := &g.rows[0].kernels[n]
	one := φ
	if len(upper.number) == 1 {
		one = 0
	}
	v := (1 - k.kept[φ]) * l.upper.told.values[φ][upper.number[one]]
	if g.reward != nil {
		v += g.reward[(node*len(g.choices)+int(r.choice))*g.latents+φ]
	}
	for j := 0; j*g.latents < len(k.left); j++ {
		left, right := k.left[j*g.latents+φ], k.right[j*g.latents+φ]
		if left+right == 0 {
			continue
		}
		c := a.cellAt(k.first + j)
		m := &r.cells[min(max(k.first+j-r.first, 0), len(r.cells)-1)]
		for i := range m.n {
			to := arrival[m.points[i]]
			v += m.weights[i] * (left*to[c.from] + right*to[c.to])
		}
	}
	for end, p := range k.ends {
		if p[φ] > 0 && !a.wraps {
			m, to := &r.ends[end], end*(len(a.node)-1)
			for i := range m.n {
				v += m.weights[i] * p[φ] * arrival[m.points[i]][to]
			}
		}
	}
	return v
}
