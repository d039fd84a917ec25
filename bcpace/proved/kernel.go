package proved

import (
	"context"
	"math"
	"sync"

	"bayescpace/bcpace/internal/normal"
	"bayescpace/bcpace/internal/num"
)

// grid is the finite model of a line. Its states are the vertices v, from one end of the axis to the
// other, h apart. Row r of choice x = i·choices + c, at vertex i, leads to vertex to[r] with
// the probabilities prob[r·latents:] under each latent, and they are what is learned there; with
// the probability told[x·latents+φ] that is left the latent is told.
type grid struct {
	*line
	v       []float64
	h       float64
	choices []choice
	side    float64   // Σ over coordinates of the squared sides of a cell, in Scale
	means   []float64 // x·latents + φ: the mean of the next place

	first  []int // by x, and the end
	to     []int32
	prob   []float64
	told   []float64
	reward []float64 // x·latents + φ: at least the expected reward
	reach  []float64 // x·latents + φ: how far from the mean the rest lies, but for a probability of tail
	damp   damping
}

// tail bounds the probability beyond far standard deviations, on both sides.
const tail = 2e-10

// damping is shrink with tables for the few η that a model has.
type damping struct {
	mu     sync.RWMutex
	tables map[int]*shrinks
}

const (
	etaSteps   = 1e6 // an η is rounded down to a multiple of 1/etaSteps
	mostTables = 64
)

// shrink returns a factor for |r| at most and η at least.
func (d *damping) shrink(r, eta float64) float64 {
	key := int(eta * etaSteps)
	d.mu.RLock()
	s, ok := d.tables[key]
	n := len(d.tables)
	d.mu.RUnlock()
	if ok {
		return s.at(r)
	}
	if n >= mostTables {
		return shrink(r, eta)
	}
	s = newShrinks(float64(key) / etaSteps)
	d.mu.Lock()
	d.tables[key] = s
	d.mu.Unlock()
	return s.at(r)
}

// newGrid lists the finite model with so many cells on the axis and on each Box. ok is false
// where it and what a solver keeps for so many beliefs would take more than mostNumbers numbers; the error is that of ctx or the model's.
func newGrid(ctx context.Context, l *line, cells int, boxes []int, beliefs int) (g *grid, ok bool, err error) {
	defer l.spec.Guard(&err, "Smoothness", nil, -1, -1)
	g = &grid{line: l, h: (l.high - l.low) / float64(cells), damp: damping{tables: make(map[int]*shrinks)}}
	g.choices, g.side = l.choices(boxes)
	g.side += (g.h / l.sUnit) * (g.h / l.sUnit)
	for i := range cells {
		g.v = append(g.v, l.low+(l.high-l.low)*float64(i)/float64(cells))
	}
	g.v = append(g.v, l.high)
	n, all := len(g.v), len(g.v)*len(g.choices)
	perRow := 4 * (2*far*l.sigma/g.h + 2)
	if float64(all)*(perRow*float64(l.latents+1)+float64(beliefs)) > mostNumbers {
		return nil, false, nil
	}
	g.means, g.told, g.reward, g.reach = make([]float64, all*l.latents), make([]float64, all*l.latents), make([]float64, all*l.latents), make([]float64, all*l.latents)
	for i := range n {
		for c, x := range g.choices {
			for φ := range l.latents {
				k := (i*len(g.choices)+c)*l.latents + φ
				g.means[k] = l.mean(g.v[i], φ, x.id)
				r := l.smooth.Reward([]float64{g.v[i]}, φ, x.id)
				g.reward[k] = r + l.smooth.RewardCurve*g.side/8 + 1e-13*math.Abs(r)
				if !num.Finite(g.means[k]) || !num.Finite(r) {
					return nil, false, l.spec.Fault([]float64{g.v[i]}, x.id, φ, "the mean %v or the expected reward %v of Smoothness is no finite number", g.means[k], r)
				}
			}
		}
	}
	rows := make([]rows, n)
	numbers := 0
	for i := range n { // how far a list goes depends on the latents
		numbers += g.rowsAt(i)
		if numbers*(l.latents+1)+all*beliefs > mostNumbers {
			return nil, false, nil
		}
	}
	parallel(ctx, n, func(i int) { rows[i] = g.list(i) })
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	g.first = append(make([]int, 0, all+1), 0)
	for i := range rows {
		for _, end := range rows[i].ends {
			g.first = append(g.first, len(g.to)+end)
		}
		g.to, g.prob = append(g.to, rows[i].to...), append(g.prob, rows[i].prob...)
	}
	return g, true, nil
}

// mostNumbers bounds the numbers of a finite model: some 400 MB.
const mostNumbers = 5e7

// window returns the cells within far standard deviations of the means of a choice at a vertex.
func (g *grid) window(x int) (from, to int) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, m := range g.means[x*g.latents : (x+1)*g.latents] {
		lo, hi = min(lo, m), max(hi, m)
	}
	last := float64(len(g.v) - 2)
	from = int(max(0, min(math.Floor((lo-far*g.sigma-g.low)/g.h), last)))
	to = int(max(0, min(math.Ceil((hi+far*g.sigma-g.low)/g.h), last)))
	return from, to
}

// rowsAt bounds the number of rows of all choices at a vertex.
func (g *grid) rowsAt(i int) (n int) {
	for c := range g.choices {
		from, to := g.window(i*len(g.choices) + c)
		n += 4*(to-from+1) + 2
	}
	return n
}

// rows are those of all choices at a vertex, one choice after the other.
type rows struct {
	to   []int32
	prob []float64
	ends []int // of each choice
}

// around is a cell of states and controls that has a vertex: its means under a latent at the ends
// of the side of states, first for the control of the vertex, and the same of the other control.
type around struct {
	m     [2][2]float64
	side  [2]float64 // of the controls, at the vertex' own state: the means there
	boxed bool
}

// list makes the rows at vertex i.
func (g *grid) list(i int) (z rows) {
	shares := &cellShares{make([]float64, g.latents), make([]float64, g.latents), make([]float64, g.latents), make([]float64, g.latents), make([]bool, g.latents)}
	prob := shares.prob
	kept := make([]float64, g.latents) // of the probability
	cells := make([][]around, g.latents)
	bent := g.smooth.MeanCurve[0] * g.side / 8 / g.sigma // what a mean bends within a cell, in σ
	for c := range g.choices {
		x := i*len(g.choices) + c
		for φ := range g.latents {
			kept[φ] = 0
			cells[φ] = g.around(cells[φ][:0], i, c, φ)
		}
		add := func(to int) {
			z.to, z.prob = append(z.to, int32(to)), append(z.prob, prob...)
			for φ, p := range prob {
				kept[φ] += p
			}
		}
		from, to := g.window(x)
		for j := from; j <= to; j++ {
			g.inside(shares, x, j, cells, bent, add)
		}
		for _, end := range []int{0, len(g.v) - 1} {
			top := 0.0
			for φ := range prob {
				prob[φ] = g.stopped(g.means[x*g.latents+φ], end, cells[φ], bent)
				top = max(top, prob[φ])
			}
			if top > 0 {
				add(end)
			}
		}
		for φ := range kept {
			g.told[x*g.latents+φ] = max(0, 1-kept[φ])
			m := g.means[x*g.latents+φ]
			moved := 0.0
			for _, a := range cells[φ] {
				for _, y := range []float64{a.m[0][0], a.m[0][1], a.m[1][0], a.m[1][1]} {
					moved = max(moved, math.Abs(y-m))
				}
			}
			g.reach[x*g.latents+φ] = far*g.sigma + moved + bent*g.sigma
		}
		z.ends = append(z.ends, len(z.to))
	}
	return z
}

// around appends the cells that have vertex i and choice c.
func (g *grid) around(list []around, i, c, φ int) []around {
	x, n := g.choices[c], len(g.choices)
	at := func(i, c int) float64 { return g.means[(i*n+c)*g.latents+φ] }
	for _, j := range []int{i - 1, i} {
		if j < 0 || j+1 >= len(g.v) {
			continue
		}
		for _, k := range []int{c - 1, c + 1} {
			if x.to-x.from == 1 {
				k = c
			} else if k < x.from || k >= x.to {
				continue
			}
			list = append(list, around{m: [2][2]float64{{at(j, c), at(j+1, c)}, {at(j, k), at(j+1, k)}}, side: [2]float64{at(i, c), at(i, k)}, boxed: k != c})
			if k == c {
				break
			}
		}
	}
	return list
}

// cellShares is scratch for the shares of a cell, by latent.
type cellShares struct {
	prob  []float64 // of a row
	whole []float64 // of the rows with what is learned at one vertex, for a cell of the weight 1
	chord []float64 // the factor by which the chord of the density lies below it
	mass  []float64 // about the probability of the cell
	out   []bool    // left out of the cell
}

// inside adds the rows of choice x that lead into the cell from vertex j to the next one.
//
// Within the cell all latents have one factor, so that what is learned at a place between the
// vertices is what is learned at them. A latent that is unlikely there, and whose density bends
// more than that of the others, is left out where that tells less: its share is then 0.
func (g *grid) inside(z *cellShares, x, j int, cells [][]around, bent float64, add func(to int)) {
	a, b := g.v[j], g.v[j+1]
	e := g.h / g.sigma
	for φ := range z.prob {
		y := ((a+b)/2 - g.means[x*g.latents+φ]) / g.sigma
		z.chord[φ], z.mass[φ], z.out[φ] = g.damp.shrink(e*y, e), e*normal.Density(y), false
	}
	chord := z.leaveOut()
	for info := range 2 {
		top := 0.0
		for φ := range z.whole {
			if z.whole[φ] = 0; z.out[φ] {
				continue
			}
			y := (g.v[j+info] - g.means[x*g.latents+φ]) / g.sigma
			z.whole[φ] = g.down * chord * g.source(cells[φ], a, b, bent) * e * normal.Density(y)
			top = max(top, z.whole[φ])
		}
		if top < 1e-13 {
			continue
		}
		for state := range 2 { // ∫κ_jκ_l over the cell is a third or a sixth of it
			part := 1.0 / 6
			if state == info {
				part = 1.0 / 3
			}
			for φ, p := range z.whole {
				z.prob[φ] = p * part
			}
			add(j + state)
		}
	}
}

// leaveOut leaves out latents as long as that keeps more of the probability than it loses, and
// returns the factor of those that stay.
func (z *cellShares) leaveOut() float64 {
	for {
		worst, least, next, others := -1, math.Inf(1), math.Inf(1), 0.0
		for φ, c := range z.chord {
			if z.out[φ] {
				continue
			}
			others += z.mass[φ]
			switch {
			case c < least:
				worst, least, next = φ, c, least
			case c < next:
				next = c
			}
		}
		if others -= z.mass[worst]; math.IsInf(next, 1) || z.mass[worst]*least >= (next-least)*others {
			return least
		}
		z.out[worst] = true
	}
}

// source returns the factor for the density at a vertex that makes its share of every density from
// a state and a control in the cells around it, in places from a to b.
func (g *grid) source(cells []around, a, b, bent float64) float64 {
	worst := 1.0
	for _, x := range cells {
		// Between states, for the controls at both ends and so for all between.
		most, least, off, farthest := 0.0, math.Inf(1), 0.0, 0.0
		for _, m := range x.m {
			eta, middle := (m[1]-m[0])/g.sigma, (m[0]+m[1])/2
			most, least = max(most, math.Abs(eta)), min(least, math.Abs(eta))
			off = max(off, math.Abs(a-middle), math.Abs(b-middle))
			farthest = max(farthest, math.Abs(a-m[0]), math.Abs(a-m[1]), math.Abs(b-m[0]), math.Abs(b-m[1]))
		}
		if (x.m[0][1]-x.m[0][0])*(x.m[1][1]-x.m[1][0]) <= 0 {
			least = 0
		}
		f := g.damp.shrink(most*off/g.sigma, least)
		if x.boxed { // between controls, at the vertex' state
			eta, middle := math.Abs(x.side[1]-x.side[0])/g.sigma, (x.side[0]+x.side[1])/2
			f *= g.damp.shrink(eta*max(math.Abs(a-middle), math.Abs(b-middle))/g.sigma, eta)
		}
		if bent > 0 {
			f *= math.Exp(-bent * (farthest/g.sigma + bent/2))
		}
		worst = min(worst, f)
	}
	return worst
}

// stopped returns a probability of stopping at an end, for a mean, that makes its share of every
// such probability from the cells around. That is A(y) = Φ(−y) of how many standard
// deviations the mean y is off. Within a cell the mean of A over the corners exceeds A of their
// mean by B·L²/8 at most, where B bounds A” = y·φ(y) and L is the range of y.
func (g *grid) stopped(mean float64, end int, cells []around, bent float64) float64 {
	sign := 1.0
	if end > 0 {
		sign = -1
	}
	off := func(m float64) float64 { return sign * (m - g.v[end]) / g.sigma }
	worst := 1.0
	for _, x := range cells {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, m := range []float64{x.m[0][0], x.m[0][1], x.m[1][0], x.m[1][1]} {
			lo, hi = min(lo, off(m)), max(hi, off(m))
		}
		bend := 0.0
		if y := min(max(1, lo), hi); y > 0 {
			bend = y * normal.Density(y)
		}
		least := normal.CDF(-hi)
		moved := bent * normal.Density(min(max(0, lo-bent), hi+bent))
		worst = min(worst, max(0, least-moved)/(least+bend*(hi-lo)*(hi-lo)/8))
	}
	if !(worst > 0) {
		return 0
	}
	return worst * normal.CDF(-off(mean)) * g.down
}
