package proved

import (
	"context"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/normal"
)

// lineFloor is the controller of a floor on one axis that tells something of the latent. In a cell,
// and at an end of the axis, it plays one choice for each memory: the best one at a corner. It then
// remembers, for the cell of the next place, one of the points around the belief that follows from
// the middle of that cell. What it earns under a latent solves a linear system, whose unknowns
// stand at the corners of each cell: what another cell's choice earns at the same node is another
// number.
type lineFloor struct {
	*floor
	g       *grid
	spots   []spot
	rules   [][]rule               // by spot and point
	kernels []map[int32]lineKernel // by node and choice
	v       [][]float64            // φ·points + point, by 2·spot + corner: what is earned
}

// spot is a cell, or an end of the axis, both corners of which are its node. The ends come last,
// the lower one first.
type spot struct {
	middle float64
	corner [2]int32
}

// rule is what is played and then remembered: for each cell from a first one on, and for the ends.
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
	if g.latents > mostLatents {
		return math.Inf(-1), noLower(g.spec, "at most %d latents where an axis tells something of them", mostLatents)
	}
	l := newLineFloor(ctx, f, g)
	if ctx.Err() != nil {
		return math.Inf(-1), ctx.Err()
	}
	kept := 1.0
	for _, list := range l.kernels {
		for _, k := range list {
			kept = max(kept, slices.Max(k.kept))
		}
	}
	if f.discount = g.discount * kept; !(f.discount < 1) {
		return math.Inf(-1), f.tooCoarse()
	}
	sweeps(ctx, f.least, func(first bool) float64 { return l.sweep(ctx, first) }, f.report)
	if ctx.Err() != nil {
		return math.Inf(-1), ctx.Err()
	}
	for _, s := range starts {
		lower += s.Weight * l.start(s)
	}
	return lower, nil
}

// newLineFloor makes the rules and kernels.
func newLineFloor(ctx context.Context, f *floor, g *grid) *lineFloor {
	l := &lineFloor{floor: f, g: g, kernels: make([]map[int32]lineKernel, g.nodes)}
	a := g.axes[0]
	for _, c := range a.cells {
		l.spots = append(l.spots, spot{(c.a + c.b) / 2, [2]int32{c.from, c.to}})
	}
	if !a.wraps {
		last := int32(g.nodes - 1)
		l.spots = append(l.spots, spot{a.low, [2]int32{0, 0}}, spot{a.high, [2]int32{last, last}})
	}
	l.rules = make([][]rule, len(l.spots))
	parallel(ctx, len(l.spots), func(i int) {
		for k := range f.upper.p.list {
			l.rules[i] = append(l.rules[i], l.rule(i, k))
		}
	})
	choices := make([][]int32, g.nodes)
	for i, s := range l.spots {
		for _, r := range l.rules[i] {
			for _, node := range s.corner {
				if !slices.Contains(choices[node], r.choice) {
					choices[node] = append(choices[node], r.choice)
				}
			}
		}
	}
	parallel(ctx, g.nodes, func(node int) {
		l.kernels[node] = make(map[int32]lineKernel)
		for _, c := range choices[node] {
			l.kernels[node][c] = l.kernel(node, c)
		}
	})
	for range g.latents * len(f.upper.p.list) {
		v := make([]float64, 2*len(l.spots))
		for i := range v {
			v[i] = g.lowest
		}
		l.v = append(l.v, v)
	}
	return l
}

// region returns that of a spot.
func (l *lineFloor) region(i int) *region { return l.g.regionOf(int(l.spots[i].corner[0])) }

// rule makes the rule of a spot for a point.
func (l *lineFloor) rule(i, k int) rule {
	x, a, s := l.upper, l.g.axes[0], l.spots[i]
	if l.region(i).ends {
		return rule{}
	}
	r := rule{choice: x.found[int(s.corner[0])*len(x.p.list)+k]}
	means := make([]float64, l.g.latents)
	for φ := range means {
		means[φ] = (l.means(int(s.corner[0]), r.choice)[φ] + l.means(int(s.corner[1]), r.choice)[φ]) / 2
	}
	first, end := a.window(slices.Min(means)-far*a.sigma, slices.Max(means)+far*a.sigma)
	w := make([]float64, len(means))
	learn := func(of func(m float64) float64) mixed {
		for φ, m := range means {
			w[φ] = x.p.list[k][φ] * of(m)
		}
		return l.remember(w)
	}
	r.first = first
	for j := first; j < end; j++ {
		c := a.cellAt(j)
		r.cells = append(r.cells, learn(func(m float64) float64 { return normal.Density(((c.a+c.b)/2 - m) / a.sigma) }))
	}
	r.ends[0] = learn(func(m float64) float64 { return normal.CDF((a.low - m) / a.sigma) })
	r.ends[1] = learn(func(m float64) float64 { return normal.CDF((m - a.high) / a.sigma) })
	return r
}

// means returns those of a choice at a node.
func (l *lineFloor) means(node int, choice int32) []float64 {
	n := l.entry(node, choice) * l.g.latents
	return l.g.rows[0].means[n : n+l.g.latents]
}

// entry returns the number of a choice at a node among the kernels.
func (l *lineFloor) entry(node int, choice int32) int {
	return l.g.group(node, 0)*len(l.g.choices) + int(choice)
}

// remember returns the points around an unnormalised belief. One that is not sure of a latent is held
// back from the points that are: there nothing more would be learned.
func (l *lineFloor) remember(w []float64) (m mixed) {
	p := l.upper.p
	total, most := 0.0, 0.0
	for _, x := range w {
		total, most = total+x, max(most, x)
	}
	b, all := make([]float64, len(w)), 0.0
	for φ, x := range w {
		switch {
		case !(total > leastTotal):
			b[φ] = 1
		case most == total:
			b[φ] = x / total
		default:
			b[φ] = max(1/float64(p.grid.parts), x/total)
		}
		all += b[φ]
	}
	between := p.grid.between()
	p.grid.corners(between, b, all)
	m.n = len(between.numbers)
	for i, number := range between.numbers {
		m.points[i], m.weights[i] = number, between.weights[i]
	}
	return m
}

// kernel makes the majorants of a choice at a node.
func (l *lineFloor) kernel(node int, choice int32) lineKernel {
	g, a := l.g, l.g.axes[0]
	b := newBuilder(g, 0)
	b.above = true
	b.list(g.group(node, 0), int(choice))
	means, n := l.means(node, choice), g.latents
	lo, hi := slices.Min(means), slices.Max(means)
	b.round(lo, hi)
	first, end := a.window(lo-far*a.sigma, hi+far*a.sigma)
	k := lineKernel{first: first, left: make([]float64, (end-first)*n), right: make([]float64, (end-first)*n), kept: make([]float64, n)}
	for φ, m := range means {
		cells := b.around(nil, l.entry(node, choice)*n+φ)
		j := φ
		b.inCells(m, cells, first, end, func(_ cell, left, right float64) {
			k.left[j], k.right[j] = left, right
			k.kept[φ] += left + right
			j += n
		})
		low, high := b.ends(m, cells)
		k.ends[0], k.ends[1] = append(k.ends[0], low), append(k.ends[1], high)
		k.kept[φ] += low + high
	}
	return k
}

// arrivals returns what arriving at each corner is worth, by latent and point.
func (l *lineFloor) arrivals() [][]float64 {
	points := len(l.upper.p.list)
	all := make([][]float64, len(l.v))
	for p := range all {
		φ := p / points
		told := l.v[φ*points+l.upper.p.sure[φ]]
		all[p] = make([]float64, len(l.v[p]))
		for i := range all[p] {
			r := l.region(i / 2)
			all[p][i] = r.pays[φ]
			switch {
			case r.ends:
			case r.tells:
				all[p][i] += l.g.discount * told[i]
			default:
				all[p][i] += l.g.discount * l.v[p][i]
			}
		}
	}
	return all
}

// sweep computes what the rules earn, and returns the largest change. The first sweep settles the bounds as
// that of a solver does, from the other side. Where no episode ends, later sweeps rise by what all must rise by
// in the end (MacQueen 1966): if one raises all by δ at least, so does each one after it by γ times as much.
func (l *lineFloor) sweep(ctx context.Context, first bool) (change float64) {
	points := len(l.upper.p.list)
	arrival, next := l.arrivals(), make([][]float64, len(l.v))
	for i := range next {
		next[i] = slices.Clone(l.v[i])
	}
	falls, rises := make([]float64, len(l.spots)), make([]float64, len(l.spots))
	parallel(ctx, len(l.spots), func(i int) {
		if rises[i] = math.Inf(1); l.region(i).ends {
			return
		}
		for p := range l.v {
			φ := p / points
			for side, node := range l.spots[i].corner {
				v := l.value(arrival[φ*points:(φ+1)*points], int(node), φ, &l.rules[i][p%points])
				rise := v - l.v[p][2*i+side]
				next[p][2*i+side] = v
				falls[i], rises[i] = max(falls[i], -rise), min(rises[i], rise)
			}
		}
	})
	κ, c := 0.0, 0.0
	if first {
		κ = slices.Max(falls) / (1 - l.discount)
	} else if l.upper.closed {
		c = max(0, slices.Min(rises)) * l.g.discount * leastKept / (1 - l.g.discount*leastKept)
	}
	for p, list := range next {
		for i, v := range list {
			old := l.v[p][i]
			if !l.region(i / 2).ends {
				list[i] = max(old-κ, v-l.discount*κ) + c
			}
			change = max(change, math.Abs(list[i]-old))
		}
	}
	l.v = next
	return change
}

// leastKept is what a majorant keeps at least.
const leastKept = 1 - 1e-8

// value returns what a rule earns at a node under a latent.
func (l *lineFloor) value(arrival [][]float64, node, φ int, r *rule) float64 {
	g, a := l.g, l.g.axes[0]
	k := l.kernels[node][r.choice]
	rest := g.rows[0].restOf(l.entry(node, r.choice), φ, g.latents)
	v := (1 - k.kept[φ]) * l.upper.told.values[l.upper.p.sure[φ]][rest.number]
	if g.reward != nil {
		v += g.reward[(node*len(g.choices)+int(r.choice))*g.latents+φ]
	}
	cells := len(a.cells)
	for j := 0; j*g.latents < len(k.left); j++ {
		left, right := k.left[j*g.latents+φ], k.right[j*g.latents+φ]
		if left+right == 0 {
			continue
		}
		at := k.first + j
		if a.wraps {
			at = ((at % cells) + cells) % cells
		}
		m := &r.cells[min(max(k.first+j-r.first, 0), len(r.cells)-1)]
		for i := range m.n {
			to := arrival[m.points[i]]
			v += m.weights[i] * (left*to[2*at] + right*to[2*at+1])
		}
	}
	for end, p := range k.ends {
		if p[φ] > 0 {
			m := &r.ends[end]
			for i := range m.n {
				v += m.weights[i] * p[φ] * arrival[m.points[i]][2*(cells+end)]
			}
		}
	}
	return v
}

// start returns what the controller earns from a start, where it remembers one of the points around
// the belief: the most of the spots that have the state.
func (l *lineFloor) start(s bcpace.Start) float64 {
	a, best := l.g.axes[0], math.Inf(-1)
	x, m, points := s.State[a.number], l.remember(s.Belief), len(l.upper.p.list)
	for i, spot := range l.spots {
		left, right := a.node[spot.corner[0]], a.node[spot.corner[1]]
		if x < left || x > right || l.region(i).ends {
			continue
		}
		w := 0.0
		if right > left {
			w = (x - left) / (right - left)
		}
		v := 0.0
		for φ, p := range s.Belief {
			for n := range m.n {
				at := l.v[φ*points+int(m.points[n])]
				v += p * m.weights[n] * ((1-w)*at[2*i] + w*at[2*i+1])
			}
		}
		best = max(best, v)
	}
	return best
}
