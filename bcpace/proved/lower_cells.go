package proved

import (
	"context"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/normal"
	"bayescpace/bcpace/internal/num"
)

// cellFloor is the controller of a floor where the belief moves on: where the first axis tells
// something of the latent, or the latent moves. In a spot, a product of cells and ends of the axes, it plays one
// choice for each memory: the best one at a corner. It then remembers, for the cell of the next
// place on the first axis, one of the points around the belief that follows from the middle of that
// cell. What it earns under a latent solves a linear system, whose unknowns stand at the corners of
// each spot: what another spot's choice earns at the same node is another number.
//
// Corners are numbered as nodes are, by a slot on each axis: two to a cell or an end.
type cellFloor struct {
	*floor
	g     *grid
	p     *points // the memories
	near  []int   // by memory: the point of the upper bound that is nearest
	moved [][][]part

	lines  []line
	spots  int
	stride []int   // of the spots of an axis
	node   []int32 // by slots
	slots  tensor  // how many there are, without values

	choice  [][]int32            // by memory and spot: what is played
	kernels [][]*lineKernel      // by axis: group·choices + choice; nil where nobody needs it
	news    map[[3]int][]float64 // by newsOf: how likely each spot of the first axis is, spot·latents + φ
	v       [][]float64          // latent·memories + memory, by slots: what is earned
}

// line has the spots of an axis.
type line struct {
	spots  []spot
	first  int // the spot of the first cell
	stride int // of the slots
}

// spot is a cell, or an end of the axis, both corners of which are its node.
type spot struct {
	a, b   float64
	corner [2]int32
}

func newLine(x *axis) line {
	l := line{}
	end := func(place float64, node int) {
		if !x.wraps {
			l.spots = append(l.spots, spot{place, place, [2]int32{int32(node), int32(node)}})
		}
	}
	end(x.low, 0)
	l.first = len(l.spots)
	for _, c := range x.cells {
		l.spots = append(l.spots, spot{c.a, c.b, [2]int32{c.from, c.to}})
	}
	end(x.high, len(x.node)-1)
	return l
}

// lineKernel is where the next place on an axis lies, by latent where the axis tells something: a
// majorant, in slots.
type lineKernel struct {
	by   []kernel
	kept []float64
}

// cells computes the bound.
func (f *floor) cells(ctx context.Context, g *grid, starts []bcpace.Start) (lower float64, err error) {
	l := &cellFloor{floor: f, g: g, news: make(map[[3]int][]float64), spots: 1}
	many := 1
	l.stride, l.slots.many, l.slots.first = make([]int, len(g.axes)), make([]int, len(g.axes)), make([]int32, len(g.axes))
	for _, x := range g.axes {
		l.lines = append(l.lines, newLine(x))
	}
	for i := len(g.axes) - 1; i >= 0; i-- {
		l.stride[i], l.lines[i].stride = l.spots, many
		l.slots.many[i] = 2 * len(l.lines[i].spots)
		l.spots, many = l.spots*len(l.lines[i].spots), many*l.slots.many[i]
	}
	for slots := range many {
		node := 0
		for i := range l.lines {
			s := slots / l.lines[i].stride % l.slots.many[i]
			node += int(l.lines[i].spots[s/2].corner[s%2]) * g.stride[i]
		}
		l.node = append(l.node, int32(node))
	}
	for i := range g.axes {
		l.kernels = append(l.kernels, make([]*lineKernel, g.rows[i].groups*len(g.choices)))
	}
	if !l.remembers() {
		return math.Inf(-1), noLower(g.spec, "fewer nodes or latents: a controller that learns takes more than %g multiplications a sweep", mostFloorWork)
	}
	for range g.latents * len(l.p.list) {
		l.v = append(l.v, make([]float64, many))
	}
	if g.steps > 0 {
		l.down(ctx)
	} else if err := l.solve(ctx); err != nil {
		return math.Inf(-1), err
	}
	if ctx.Err() != nil {
		return math.Inf(-1), ctx.Err()
	}
	for _, s := range starts {
		lower += s.Weight * l.start(s)
	}
	return lower, nil
}

// mostFloorWork bounds the multiplications of a sweep.
const mostFloorWork = 3e9

// remembers chooses the memories: as many as a sweep can do with, but no more than make a difference. It
// reports false where the fewest are too many.
func (l *cellFloor) remembers() bool {
	g, last := l.g, len(l.g.axes)-1
	work, outer, all := 1.0, 1.0, math.Pow(2, float64(last+1)) // of corners
	for i := last; i >= 0; i-- {
		if all *= float64(len(l.lines[i].spots)); i > 0 {
			outer *= float64(l.slots.many[i])
			work *= 2 * g.axes[i].width()
		}
	}
	sums := min(float64(len(g.choices)), fewChoices) * outer * float64(l.slots.many[0]) * work
	if last == 0 {
		sums = 0
	} else if l.coupled() {
		sums *= 2 * g.axes[0].width()
	}
	for _, parts := range cuts(g.latents, len(g.axes), mostParts) {
		l.p = gridPoints(g.latents, parts)
		values := float64(g.latents * len(l.p.list))
		numbers := 3 * values * float64(len(l.node))
		if values*(sums+4*all*g.axes[0].width()) > mostFloorWork || numbers > mostNumbers {
			continue
		}
		l.near = nil
		grid := l.upper.p.grid
		for _, b := range l.p.list {
			at, tail := make([]int, g.latents), 0.0
			for i := g.latents - 1; i >= 0; i-- {
				tail += b[i]
				at[i] = int(math.Round(tail * float64(grid.parts)))
			}
			at[0] = grid.parts
			l.near = append(l.near, grid.number(at))
		}
		l.moved = g.moves.moved(l.p)
		return true
	}
	return false
}

// fewChoices is about how many choices are the best ones somewhere in a row of spots.
const fewChoices = 4

// coupled reports whether what is summed up on later axes depends on the first one.
func (l *cellFloor) coupled() bool {
	for i := 1; i < len(l.g.axes); i++ {
		if l.g.rows[i].stride[0] > 0 {
			return true
		}
	}
	return false
}

// corner returns the slots of a corner of a spot: bit i says which side on axis i.
func (l *cellFloor) corner(spot, set int) (slots int) {
	for i := range l.lines {
		s := spot / l.stride[i] % len(l.lines[i].spots)
		slots += (2*s + set>>i&1) * l.lines[i].stride
	}
	return slots
}

// play sets the rules to the best choices, and makes what they need.
func (l *cellFloor) play(ctx context.Context, found []int32) {
	points := len(l.upper.p.list)
	l.choice = nil
	for _, k := range l.near {
		list := make([]int32, l.spots)
		for s := range list {
			list[s] = found[int(l.node[l.corner(s, 0)])*points+k]
		}
		l.choice = append(l.choice, list)
	}
	type need struct{ axis, entry int }
	var needs []need
	for i := range l.lines {
		wanted := make([]bool, len(l.kernels[i]))
		for s := range l.spots {
			if l.region(s).ends {
				continue
			}
			for set := range 1 << len(l.lines) {
				group := l.g.group(int(l.node[l.corner(s, set)]), i) * len(l.g.choices)
				for k := range l.choice {
					if e := group + int(l.choice[k][s]); !wanted[e] && l.kernels[i][e] == nil {
						wanted[e] = true
						needs = append(needs, need{i, e})
					}
				}
			}
		}
	}
	parallel(ctx, len(needs), func(n int) {
		i, e := needs[n].axis, needs[n].entry
		l.kernels[i][e] = l.kernel(i, e/len(l.g.choices), e%len(l.g.choices))
	})
	if ctx.Err() != nil {
		return
	}
	for s := range l.spots {
		for k := range l.choice {
			if key := l.newsOf(s, int(l.choice[k][s])); l.news[key] == nil && !l.region(s).ends {
				l.news[key] = l.learn(key)
			}
		}
	}
}

// region returns that of a spot.
func (l *cellFloor) region(spot int) *region { return l.g.regionOf(int(l.node[l.corner(spot, 0)])) }

// newsOf returns the key of news: the groups of the corners of a spot on the first axis that are
// farthest apart, and the choice.
func (l *cellFloor) newsOf(spot, choice int) [3]int {
	all := 1<<len(l.lines) - 1
	return [3]int{l.g.group(int(l.node[l.corner(spot, 0)]), 0), l.g.group(int(l.node[l.corner(spot, all)]), 0), choice}
}

// learn makes the news of a key: as if the noise were the mean of that at the two corners.
func (l *cellFloor) learn(key [3]int) (like []float64) {
	g, x := l.g, l.g.axes[0]
	for _, s := range l.lines[0].spots {
		for φ := range g.latents {
			p, q := g.rows[0].noise(x, (key[0]*len(g.choices)+key[2])*g.latents+φ), g.rows[0].noise(x, (key[1]*len(g.choices)+key[2])*g.latents+φ)
			n := noise{(p.mean + q.mean) / 2, (p.sigma + q.sigma) / 2}
			place, p0 := (s.a+s.b)/2, 0.0
			switch {
			case s.a == s.b && s.a == x.low:
				p0 = normal.CDF((x.low - n.mean) / n.sigma)
			case s.a == s.b:
				p0 = normal.CDF((n.mean - x.high) / n.sigma)
			default:
				if x.wraps { // the turn that is closest
					place -= math.Round((place-n.mean)/(x.high-x.low)) * (x.high - x.low)
				}
				p0 = normal.Density((place-n.mean)/n.sigma) / n.sigma
			}
			like = append(like, p0)
		}
	}
	return like
}

// kernel makes the majorants of a choice at a group of nodes.
func (l *cellFloor) kernel(axis, group, choice int) *lineKernel {
	x, line := l.g.axes[axis], &l.lines[axis]
	b := newBuilder(l.g, axis, true)
	from, to := b.corner(group, choice)
	k := &lineKernel{}
	for φ, at := range b.at {
		if φ > 0 && !l.g.rows[axis].informs {
			break
		}
		low, high := b.ends(at, b.cells[φ])
		one := kernel{first: int32(2 * (line.first + from)), end: int32(2 * (line.first + to))}
		if x.wraps || low > 0 {
			one.first = 0
		}
		if x.wraps || high > 0 {
			one.end = int32(2 * len(line.spots))
		}
		one.prob = make([]float64, one.end-one.first)
		j := 2 * (line.first + from) // beyond the cells where the axis goes round
		b.inCells(at, b.cells[φ], from, to, func(_ cell, left, right float64) {
			i := j
			if x.wraps {
				i = ((j % len(one.prob)) + len(one.prob)) % len(one.prob)
			}
			i -= int(one.first)
			one.prob[i] += left
			one.prob[i+1] += right
			j += 2
		})
		if low > 0 {
			one.prob[0] += low
		}
		if high > 0 {
			one.prob[len(one.prob)-2] += high
		}
		k.by, k.kept = append(k.by, one), append(k.kept, num.Sum(one.prob))
	}
	return k
}

// of returns the kernel under a latent, and how much it keeps.
func (k *lineKernel) of(φ int) (*kernel, float64) {
	φ = min(φ, len(k.by)-1)
	return &k.by[φ], k.kept[φ]
}

// entry returns the number of a choice at a node among the kernels of an axis.
func (l *cellFloor) entry(node, axis int, choice int32) int {
	return l.g.group(node, axis)*len(l.g.choices) + int(choice)
}

// mostKept bounds what a choice keeps.
func (l *cellFloor) mostKept() float64 {
	all := 1.0
	for _, list := range l.kernels {
		most := 1.0
		for _, k := range list {
			if k != nil {
				most = max(most, slices.Max(k.kept))
			}
		}
		all *= most
	}
	return all
}

// solve computes what the controller earns where there is no horizon.
func (l *cellFloor) solve(ctx context.Context) error {
	if l.play(ctx, l.upper.found); ctx.Err() != nil {
		return nil
	}
	if l.discount = l.g.discount * l.mostKept(); !(l.discount < 1) {
		return l.tooCoarse()
	}
	for _, v := range l.v {
		for i := range v {
			v[i] = l.g.lowest
		}
	}
	sweeps(ctx, l.least, func(first bool) float64 { return l.sweep(ctx, first) }, l.report)
	return nil
}

// down computes what the controller earns with a horizon.
func (l *cellFloor) down(ctx context.Context) {
	for t := 1; t <= l.g.steps && ctx.Err() == nil; t++ {
		l.upper.goTo(t - 1)
		if l.play(ctx, l.upper.layers[t].found); ctx.Err() == nil {
			l.v = l.evaluate(ctx)
		}
		l.report(float64(t) / float64(l.g.steps))
	}
}

// sweep computes what the rules earn, and returns the largest change. The first sweep settles the bounds as
// that of a solver does, from the other side. Where no episode ends, later sweeps rise by what all must rise by
// in the end (MacQueen 1966): if one raises all by δ at least, so does each one after it by γ times as much.
func (l *cellFloor) sweep(ctx context.Context, first bool) (change float64) {
	next := l.evaluate(ctx)
	if ctx.Err() != nil {
		return 0
	}
	falls, rises := 0.0, math.Inf(1)
	goes := make([]bool, len(l.node))
	for slots, node := range l.node {
		goes[slots] = !l.g.regionOf(int(node)).ends
	}
	for p, list := range next {
		for i, v := range list {
			if goes[i] {
				rise := v - l.v[p][i]
				falls, rises = max(falls, -rise), min(rises, rise)
			}
		}
	}
	κ, c := 0.0, 0.0
	if first {
		κ = falls / (1 - l.discount)
	} else if l.upper.closed {
		c = max(0, rises) * l.g.discount * leastKept / (1 - l.g.discount*leastKept)
	}
	for p, list := range next {
		for i, v := range list {
			old := l.v[p][i]
			if goes[i] {
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

// start returns what the controller earns from a start, where it remembers one of the points around
// the belief: the most of the spots that have the state.
func (l *cellFloor) start(s bcpace.Start) float64 {
	best := math.Inf(-1)
	m := newMixer(l)
	m.remember(s.Belief)
	for spot := range l.spots {
		if l.region(spot).ends {
			continue
		}
		v, inside := 0.0, true
		for set := range 1 << len(l.lines) {
			weight := 1.0
			for i, x := range l.g.axes {
				place := s.State[x.number]
				p := l.lines[i].spots[spot/l.stride[i]%len(l.lines[i].spots)]
				inside = inside && place >= p.a && place <= p.b
				right := 0.0
				if p.b > p.a {
					right = (place - p.a) / (p.b - p.a)
				}
				if set>>i&1 > 0 {
					weight *= right
				} else {
					weight *= 1 - right
				}
			}
			for φ, b := range s.Belief {
				for n, k := range m.points {
					v += weight * b * m.weights[n] * l.v[φ*len(l.p.list)+int(k)][l.corner(spot, set)]
				}
			}
		}
		if inside {
			best = max(best, v)
		}
	}
	return best
}
