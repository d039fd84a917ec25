package proved

import (
	"math"

	"bayescpace/bcpace/internal/normal"
)

// kernel is where the next place on an axis may lie from a group of nodes: a minorant of its
// distribution under each latent.
//
// Where the axis tells nothing of the latent, prob has a probability for each node from first on.
// Elsewhere it has one for each latent of each row, which leads to the node to, and is what is
// learned there.
type kernel struct {
	first, end int32 // the nodes, to the one after the last
	to         []int32
	prob       []float64
	kept       []float64 // how much of the probability there is, by latent; one entry where the axis tells nothing
	rest       []reach   // likewise, where the rest may lie
}

// builder makes the kernels of an axis. It is for one goroutine.
//
// Those for a lower bound are majorants, for a control that stands where it is, and apart for each latent.
type builder struct {
	*grid
	above bool // makes majorants
	x     *axis
	rows  *rows
	down  float64    // as in grid, for the means of a kernel
	ways  [][2]way   // by coordinate: how a cell may go on from a corner
	cells [][]around // by latent: the cells of states and controls that have the corner
	at    []noise    // by latent: the noise at the corner

	coordinates int // of the cells: of states and controls

	prob, whole, chord, mass []float64 // by latent, see inside
	out                      []bool
}

// way is how a cell goes on from a corner along one coordinate.
type way struct {
	step int     // to the other corner, in entries of rows.means by latent
	part float64 // of the step that is this mean's
	open bool
}

// around is a cell that has a corner, as one mean sees it.
type around struct {
	steps  []step
	lo, hi float64 // of the means of all corners
	wavers *wavers // nil where the standard deviation is the same in all cells
}

// step is one coordinate of a cell: how far the mean moves along it, with the coordinates before it at the
// corner and those after it anywhere. Means are not in standard deviations.
type step struct {
	part        float64
	least, most float64 // of how far it moves, without the sign
	lo, hi      float64 // of the middle
	edges       []edge  // those of the cell along it, where the standard deviation is not the same in all cells
}

func newBuilder(g *grid, axis int, above bool) *builder {
	n := g.latents
	return &builder{grid: g, above: above, x: g.axes[axis], rows: &g.rows[axis], down: g.down, cells: make([][]around, n), at: make([]noise, n),
		prob: make([]float64, n), whole: make([]float64, n), chord: make([]float64, n), mass: make([]float64, n), out: make([]bool, n)}
}

// kernel makes that of a choice for a group of nodes.
func (b *builder) kernel(group, c int) (k kernel) {
	from, to := b.corner(group, c)
	latents := 1
	if b.rows.informs && !b.above {
		latents = b.latents
		k.kept = make([]float64, latents)
		b.tell(&k, from, to)
	} else {
		k.kept = make([]float64, 1)
		b.spread(&k, b.at[0], b.cells[0], from, to)
	}
	for φ, n := range b.at[:latents] {
		if !b.above {
			k.kept[φ] = min(1, k.kept[φ])
		}
		first, end := b.x.reached(n.mean, b.within(φ))
		k.rest = append(k.rest, reach{first / int32(b.x.block), (end - 1) / int32(b.x.block)})
	}
	if b.rows.alone && !b.above {
		k.widen(b.x.reached(b.at[0].mean, b.within(0)))
	}
	return k
}

// widen makes the kernel have all nodes where the rest may lie.
func (k *kernel) widen(first, end int32) {
	first, end = min(first, k.first), max(end, k.end)
	prob := make([]float64, end-first)
	copy(prob[k.first-first:], k.prob)
	k.first, k.end, k.prob = first, end, prob
}

// corner sets what the builder knows of a choice at a group of nodes, and returns the window of the
// cells that matter to it.
func (b *builder) corner(group, c int) (from, to int) {
	b.list(group, c)
	entry := (group*len(b.choices) + c) * b.latents
	lo, hi := math.Inf(1), math.Inf(-1)
	for φ := range b.at {
		n := b.rows.noise(b.x, entry+φ)
		lo, hi = min(lo, n.mean-far*n.sigma), max(hi, n.mean+far*n.sigma)
		b.at[φ], b.cells[φ] = n, b.around(b.cells[φ][:0], entry+φ)
	}
	b.round()
	return b.x.window(lo, hi)
}

// within returns how far from the mean of a corner the next place may be, but for what lies beyond far
// standard deviations.
func (b *builder) within(φ int) float64 {
	moved, σ := 0.0, b.at[φ].sigma
	for i := range b.cells[φ] {
		a := &b.cells[φ][i]
		moved = max(moved, b.at[φ].mean-a.lo, a.hi-b.at[φ].mean)
		if w := a.wavers; w != nil {
			σ = max(σ, w.most)
		}
	}
	return far*σ + moved + b.rows.bent
}

// round sets down for the corner: on an axis that goes round, places far round are rounded by more.
func (b *builder) round() {
	if b.down = b.grid.down; b.x.wraps {
		for _, n := range b.at {
			b.down = min(b.down, b.grid.down-rounding*math.Abs(n.mean)/n.sigma)
		}
	}
}

// list finds how cells go on from the corner of a group and a choice.
func (b *builder) list(group, c int) {
	b.ways, b.coordinates = b.ways[:0], len(b.axes)+len(b.choices[c].at)
	n := len(b.choices) * b.latents
	for j, stride := range b.rows.stride {
		if stride == 0 {
			continue
		}
		x := b.axes[j]
		at := group / stride % len(x.node)
		var w [2]way
		if l := x.left[at]; l >= 0 {
			w[0] = way{-stride * n, b.rows.split[j][l].part, true}
		}
		if x.right[at] >= 0 {
			w[1] = way{stride * n, b.rows.split[j][at].part, true}
		}
		if w[0].open || w[1].open {
			b.ways = append(b.ways, w)
		}
	}
	if b.above {
		return
	}
	x := b.choices[c]
	for q, beside := range b.control[c] {
		var w [2]way
		if beside.lower >= 0 {
			w[0] = way{(beside.lower - c) * b.latents, b.rows.boxes[x.action][q][x.at[q]-1].part, true}
		}
		if beside.upper >= 0 {
			w[1] = way{(beside.upper - c) * b.latents, b.rows.boxes[x.action][q][x.at[q]].part, true}
		}
		if w[0].open || w[1].open {
			b.ways = append(b.ways, w)
		}
	}
}

// around appends the cells that have the corner whose mean is the entry.
func (b *builder) around(list []around, entry int) []around {
	n := len(b.ways)
	for side := range 1 << n { // bit k: on which side of the corner the cell lies along coordinate k
		open := true
		for k := range n {
			open = open && b.ways[k][side>>k&1].open
		}
		if !open {
			continue
		}
		corner := func(set int) float64 { return b.rows.means[b.other(entry, side, set)] }
		a := around{lo: math.Inf(1), hi: math.Inf(-1)}
		for set := range 1 << n {
			m := corner(set)
			a.lo, a.hi = min(a.lo, m), max(a.hi, m)
		}
		for k := range n {
			s := step{part: b.ways[k][side>>k&1].part, least: math.Inf(1), lo: math.Inf(1), hi: math.Inf(-1)}
			if s.part == 0 {
				continue
			}
			up, down := false, false
			for later := range 1 << (n - k - 1) {
				p, q := corner(later<<(k+1)), corner(later<<(k+1)|1<<k)
				up, down = up || q >= p, down || q <= p
				s.most, s.least = max(s.most, math.Abs(q-p)), min(s.least, math.Abs(q-p))
				s.lo, s.hi = min(s.lo, (p+q)/2), max(s.hi, (p+q)/2)
			}
			if up && down {
				s.least = 0
			}
			a.steps = append(a.steps, s)
		}
		if b.rows.sigmas != nil {
			b.waver(&a, entry, side)
		}
		list = append(list, a)
	}
	return list
}

// other returns the entry of the corner to which the coordinates of a set have gone, in the cell on a side of an entry.
func (b *builder) other(entry, side, set int) int {
	for k := range b.ways {
		if set>>k&1 > 0 {
			entry += b.ways[k][side>>k&1].step
		}
	}
	return entry
}

// majorant is source from the other side: its share is no less.
func (b *builder) majorant(cells []around, x, y float64) float64 {
	worst := 1.0
	for i := range cells {
		a := &cells[i]
		if w := a.wavers; w != nil {
			worst = max(worst, math.Exp(w.excess(a, x, y)))
			continue
		}
		σ, d := b.x.sigma, 0.0
		for _, s := range a.steps {
			if s.part < 1 { // other means move too, and may undo what this one does
				d += square(s.most/σ) / 8
				continue
			}
			off := 0.0 // of the place that is closest to a middle
			if x > s.hi || y < s.lo {
				off = max(x-s.hi, s.lo-y)
			}
			d += excess(s.least/σ*off/σ, s.most/σ)
		}
		d += b.rows.bent / σ * a.farthest(x, y) / σ
		worst = max(worst, math.Exp(d))
	}
	return worst
}

// farthest returns how far places from x to y are from the means of a cell at most.
func (a *around) farthest(x, y float64) float64 {
	return max(math.Abs(x-a.lo), math.Abs(x-a.hi), math.Abs(y-a.lo), math.Abs(y-a.hi))
}

func square(x float64) float64 { return x * x }

// source returns the factor for the density at a corner that makes its share of every density from
// a state and a control in the cells around it, in places from x to y.
func (b *builder) source(cells []around, x, y float64) float64 {
	worst := 1.0
	for i := range cells {
		a := &cells[i]
		if w := a.wavers; w != nil {
			worst = min(worst, math.Exp(-w.shortfall(a, b.damp, x, y)))
			continue
		}
		σ, d := b.x.sigma, 0.0
		for _, s := range a.steps {
			off := max(math.Abs(x-s.lo), math.Abs(x-s.hi), math.Abs(y-s.lo), math.Abs(y-s.hi))
			d += s.part * b.damp.of(s.most/σ*off/σ/s.part, s.least/σ/math.Sqrt(s.part))
		}
		if e := b.rows.bent / σ; e > 0 {
			d += e * (a.farthest(x, y)/σ + e/2)
		}
		worst = min(worst, math.Exp(-d))
	}
	return worst
}

// spread makes the kernel of an axis that tells nothing, or that of one latent.
func (b *builder) spread(k *kernel, n noise, cells []around, from, to int) {
	x := b.x
	k.first, k.end = x.nodes(from, to)
	low, high := b.ends(n, cells)
	if low > 0 {
		k.first = 0
	}
	if high > 0 {
		k.end = int32(len(x.node))
	}
	k.prob = make([]float64, k.end-k.first)
	b.inCells(n, cells, from, to, func(c cell, left, right float64) {
		k.prob[c.from-k.first] += left
		k.prob[c.to-k.first] += right
	})
	if low > 0 {
		k.prob[0] += low
	}
	if high > 0 {
		k.prob[len(k.prob)-1] += high
	}
	for _, p := range k.prob {
		k.kept[0] += p
	}
}

// inCells calls add with the share of each cell's probability that belongs to its left node, and to
// its right one.
func (b *builder) inCells(n noise, cells []around, from, to int, add func(c cell, left, right float64)) {
	m, σ := n.mean, n.sigma
	for j := from; j < to; j++ {
		c := b.x.cellAt(j)
		p, q := (c.a-m)/σ, (c.b-m)/σ
		mass := probability(p, q)
		// ∫(x−a)/h over the cell, of the density
		right := min(max(0, ((m-c.a)*mass+σ*(normal.Density(p)-normal.Density(q)))/(c.b-c.a)), mass)
		f := 0.0
		if b.above {
			f = (2 - b.down) * b.majorant(cells, c.a, c.b)
		} else {
			f = b.down * b.source(cells, c.a, c.b)
		}
		add(c, f*(mass-right), f*right)
	}
}

// probability is that between two places of the standard normal distribution, from the tail in
// which it is exact.
func probability(p, q float64) float64 {
	if p > 0 {
		return normal.CDF(-p) - normal.CDF(-q)
	}
	return normal.CDF(q) - normal.CDF(p)
}

// ends returns the probabilities of stopping at the ends of the axis, for the noise of a corner.
func (b *builder) ends(n noise, cells []around) (low, high float64) {
	if b.x.wraps {
		return 0, 0
	}
	if b.above {
		return b.stops(n, b.x.low, 1, cells), b.stops(n, b.x.high, -1, cells)
	}
	return b.stopped(n, b.x.low, 1, cells), b.stopped(n, b.x.high, -1, cells)
}

// tell makes the kernel of an axis that tells something.
func (b *builder) tell(k *kernel, from, to int) {
	k.first, k.end = int32(len(b.x.node)), 0
	add := func(to int32) {
		k.to, k.prob = append(k.to, to), append(k.prob, b.prob...)
		k.first, k.end = min(k.first, to), max(k.end, to+1)
		for φ, p := range b.prob {
			k.kept[φ] += p
		}
	}
	for j := from; j < to; j++ {
		b.inside(b.x.cellAt(j), add)
	}
	if b.x.wraps {
		return
	}
	for end := range 2 {
		top := 0.0
		for φ, n := range b.at {
			low, high := b.ends(n, b.cells[φ])
			b.prob[φ] = [2]float64{low, high}[end]
			top = max(top, b.prob[φ])
		}
		if top > 0 {
			add(int32(end * (len(b.x.node) - 1)))
		}
	}
	if k.end == 0 { // nothing is kept
		k.first, k.end = 0, 1
	}
}

// inside adds the rows that lead into a cell.
//
// Within the cell all latents have one factor, so that what is learned at a place between the
// nodes is what is learned at them. A latent that is unlikely there, and whose density bends
// more than that of the others, is left out where that tells less: its share is then 0.
func (b *builder) inside(c cell, add func(to int32)) {
	for φ, n := range b.at {
		e, y := (c.b-c.a)/n.sigma, ((c.a+c.b)/2-n.mean)/n.sigma
		b.chord[φ], b.mass[φ], b.out[φ] = math.Exp(-b.damp.of(e*y, e)), e*normal.Density(y), false
	}
	chord := b.leaveOut()
	for info, place := range [2]float64{c.a, c.b} {
		top := 0.0
		for φ, n := range b.at {
			if b.whole[φ] = 0; b.out[φ] {
				continue
			}
			b.whole[φ] = b.down * chord * b.source(b.cells[φ], c.a, c.b) * (c.b - c.a) / n.sigma * normal.Density((place-n.mean)/n.sigma)
			top = max(top, b.whole[φ])
		}
		if top < 1e-13 {
			continue
		}
		for state, node := range [2]int32{c.from, c.to} { // ∫κ_jκ_l over the cell is a third or a sixth of it
			part := 1.0 / 6
			if state == info {
				part = 1.0 / 3
			}
			for φ, p := range b.whole {
				b.prob[φ] = p * part
			}
			add(node)
		}
	}
}

// leaveOut leaves out latents as long as that keeps more of the probability than it loses, and
// returns the factor of those that stay.
func (b *builder) leaveOut() float64 {
	for {
		worst, least, next, others := -1, math.Inf(1), math.Inf(1), 0.0
		for φ, c := range b.chord {
			if b.out[φ] {
				continue
			}
			others += b.mass[φ]
			switch {
			case c < least:
				worst, least, next = φ, c, least
			case c < next:
				next = c
			}
		}
		if others -= b.mass[worst]; math.IsInf(next, 1) || b.mass[worst]*least >= (next-least)*others {
			return least
		}
		b.out[worst] = true
	}
}

// stopped returns a probability of stopping at an end, for a mean, that makes its share of every
// such probability from the cells around. That is Φ(−y) of how many standard deviations the mean y
// is off, sign times what it is above the end. With the hazard H = φ(y)/Φ(−y), the log of Φ(−y) has
// the derivative −H, and the second one −H·(H−y), whose size grows with y; so shortfall serves for
// it as for a density, with the least of H·(H−y) in the place of 1.
func (b *builder) stopped(n noise, end, sign float64, cells []around) float64 {
	log := func(y float64) float64 { return math.Log(normal.CDF(-y)) }
	worst := 1.0
	for i := range cells {
		o := b.off(&cells[i], end, sign)
		if o.high+o.bent > farOff {
			return 0
		}
		bends := 0.0
		if o.low > -farOff {
			h := hazard(o.low)
			bends = max(0, h*(h-o.low)-1e-9)
		}
		d := o.bent * hazard(o.high+o.bent)
		for k, s := range cells[i].steps {
			least, most := o.step(k)
			r := log(o.high-most) - log(o.high) // the slope is steepest there
			d += s.part * shortfall(r/s.part, least*math.Sqrt(bends/s.part))
		}
		worst = min(worst, math.Exp(-d))
	}
	return worst * normal.CDF(-sign*(n.mean-end)/n.sigma) * b.down
}

// stops is stopped from the other side: its share is no less.
func (b *builder) stops(n noise, end, sign float64, cells []around) float64 {
	worst := 1.0
	for i := range cells {
		o := b.off(&cells[i], end, sign)
		if o.low-o.bent > farOff {
			continue
		}
		high := min(o.high, farOff)
		h := hazard(high)
		d := o.bent * h
		for k := range cells[i].steps {
			_, most := o.step(k)
			d += square(most) / 8 * min(1, h*(h-high)+1e-9)
		}
		worst = max(worst, math.Exp(d))
	}
	y := sign * (n.mean - end) / n.sigma
	if y > farOff {
		return 0
	}
	return worst * normal.CDF(-y) * (2 - b.down)
}

// off says how many standard deviations the means of a cell are off an end.
type off struct {
	low, high float64 // of the corners
	bent      float64 // what it may be off its interpolation
	step      func(k int) (least, most float64)
}

// off returns that of a cell.
func (b *builder) off(a *around, end, sign float64) off {
	if a.wavers != nil {
		return a.wavers.off(a, end, sign)
	}
	σ := b.x.sigma
	low, high := sign*(a.lo-end)/σ, sign*(a.hi-end)/σ
	return off{min(low, high), max(low, high), b.rows.bent / σ, func(k int) (least, most float64) {
		return a.steps[k].least / σ, a.steps[k].most / σ
	}}
}

// hazard is φ(y)/Φ(−y).
func hazard(y float64) float64 { return normal.Density(y) / normal.CDF(-y) }

// farOff is how many standard deviations off an end a mean may be for it to matter that it stops there.
const farOff = 7.0
