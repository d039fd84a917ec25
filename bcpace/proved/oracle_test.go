package proved_test

import (
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/normal"
)

// oracle has the values of a drawn model by dynamic programming on a grid of places and beliefs. It shares
// nothing with package proved.
//
// The next place on an axis is in one of some cells, which no jump cuts, or at an end. A cell has
// the probability that noise gives it, and stands at its middle. Between the places of the grid
// values are multilinear, and between beliefs linear. Every error is of second order in the sides
// of cells, so that two oracles say how much one errs.
type oracle struct {
	d       *drawn
	grid    [2]int       // places on an axis
	next    [2][]float64 // the middles of the cells, and the ends; a second axis that is not there has one
	lows    [2][]float64 // the cells
	highs   [2][]float64
	beliefs []bcpace.Belief
	parts   int // of a belief; 0 where beliefs move only when told
	sure    []int
	v       []float64 // place·beliefs + belief
	rows    []row     // place·controls + control
	counts  int
}

// row is what a control does at a place.
type row struct {
	action int
	reward []float64      // by latent
	prob   [2][][]float64 // by axis and latent: of next, from first on
	first  [2]int
}

// newOracle solves d with so many places in a standard deviation, each cell cut so many times, parts of a
// belief and places on each axis of a box.
func newOracle(d *drawn, at float64, times, parts, controls int, others []bcpace.Belief) *oracle {
	o := &oracle{d: d}
	latents := len(d.spec.Latents)
	for i := range 2 {
		if i >= d.noisy {
			o.grid[i], o.next[i], o.lows[i], o.highs[i] = 1, []float64{0}, []float64{0}, []float64{0}
			continue
		}
		a := d.spec.Axes[i]
		long := max((a.Max-a.Min)/d.sigma[i], short)
		cells := times * max(4, int(math.Ceil(long*at)))
		if o.grid[i] = cells + 1; d.wraps(i) {
			o.grid[i] = cells
		}
		add := func(lo, hi float64) {
			o.next[i], o.lows[i], o.highs[i] = append(o.next[i], (lo+hi)/2), append(o.lows[i], lo), append(o.highs[i], hi)
		}
		from := a.Min
		if !d.wraps(i) {
			add(from, from)
		}
		for _, to := range append(slices.Clone(d.jumps[i]), a.Max) {
			n := times * max(2, int(math.Ceil(2*long*(to-from)/(a.Max-a.Min)*at)))
			for k := range n {
				add(from+(to-from)*float64(k)/float64(n), from+(to-from)*float64(k+1)/float64(n))
			}
			from = to
		}
		if !d.wraps(i) {
			add(from, from)
		}
	}
	switch {
	case latents == 1 || !d.informs[0] && !d.informs[1] && d.moves == nil:
		for φ := range latents {
			o.beliefs = append(o.beliefs, sureOf(latents, φ))
		}
		o.beliefs = append(o.beliefs, others...)
	case latents == 2:
		o.parts = parts
		for k := range parts + 1 {
			p := float64(k) / float64(parts)
			o.beliefs = append(o.beliefs, bcpace.Belief{p, 1 - p})
		}
	default:
		o.parts = parts / 2
		for i := range o.parts + 1 {
			for j := range o.parts + 1 - i {
				p, q := float64(i)/float64(o.parts), float64(j)/float64(o.parts)
				o.beliefs = append(o.beliefs, bcpace.Belief{p, q, max(0, 1-p-q)})
			}
		}
	}
	for φ := range latents {
		o.sure = append(o.sure, slices.IndexFunc(o.beliefs, func(b bcpace.Belief) bool { return b[φ] == 1 }))
	}
	o.list(controls)
	o.solve()
	return o
}

func sureOf(latents, φ int) bcpace.Belief {
	b := make(bcpace.Belief, latents)
	b[φ] = 1
	return b
}

// at returns a place of the grid.
func (o *oracle) at(i, k int) float64 {
	if i >= o.d.noisy {
		return 0
	}
	a, n := o.d.spec.Axes[i], o.grid[i]-1
	if o.d.wraps(i) {
		n++
	}
	return a.Min + (a.Max-a.Min)*float64(k)/float64(n)
}

// list makes the rows.
func (o *oracle) list(controls int) {
	d := o.d
	type control struct {
		a int
		u []float64
	}
	var all []control
	for a, action := range d.spec.Actions {
		list := []control{{a: a}}
		for _, b := range action.Box {
			var longer []control
			for _, c := range list {
				for k := range controls {
					longer = append(longer, control{a, append(slices.Clone(c.u), b.Min+(b.Max-b.Min)*float64(k)/float64(controls-1))})
				}
			}
			list = longer
		}
		all = append(all, list...)
	}
	o.counts = len(all)
	latents := len(d.spec.Latents)
	s, means := make([]float64, len(d.spec.Axes)), make([][]float64, latents)
	for p := range o.grid[0] {
		for q := range o.grid[1] {
			s[0] = o.at(0, p)
			if d.noisy == 2 {
				s[1] = o.at(1, q)
			}
			for _, c := range all {
				r := row{action: c.a}
				sigmas := make([][]float64, latents)
				for φ := range latents {
					means[φ] = make([]float64, d.noisy)
					d.mean(means[φ], s, φ, c.a, c.u)
					sigmas[φ] = d.sigmas(s, φ, c.a, c.u)
					reward := 0.0
					if d.reward != nil {
						reward = d.reward(s, φ, c.a, c.u)
					}
					r.reward = append(r.reward, reward)
				}
				for i := range 2 {
					r.prob[i] = make([][]float64, latents)
					for φ := range latents {
						if i >= d.noisy {
							r.prob[i][φ] = []float64{1}
							continue
						}
						r.prob[i][φ] = o.probabilities(i, means[φ][i], sigmas[φ][i])
					}
					first, end := len(o.next[i]), 0
					for φ := range latents {
						for k, x := range r.prob[i][φ] {
							if x > 1e-9 {
								first, end = min(first, k), max(end, k+1)
							}
						}
					}
					r.first[i] = first
					for φ := range latents {
						r.prob[i][φ] = r.prob[i][φ][first:end]
					}
				}
				o.rows = append(o.rows, r)
			}
		}
	}
}

// probabilities returns those of the cells and ends of an axis, for a mean and a standard deviation.
func (o *oracle) probabilities(i int, mean, σ float64) (list []float64) {
	a := o.d.spec.Axes[i]
	between := func(lo, hi float64) float64 {
		p, q := (lo-mean)/σ, (hi-mean)/σ
		if p > 0 {
			p, q = -q, -p
		}
		return normal.CDF(q) - normal.CDF(p)
	}
	for k := range o.next[i] {
		lo, hi := o.lows[i][k], o.highs[i][k]
		switch {
		case o.d.wraps(i):
			length := a.Max - a.Min
			sum, round := 0.0, math.Round((mean-lo)/length)
			most := math.Ceil(8*σ/length) + 1
			for turn := round - most; turn <= round+most; turn++ {
				sum += between(lo+turn*length, hi+turn*length)
			}
			list = append(list, sum)
		case lo < hi:
			list = append(list, between(lo, hi))
		case k == 0:
			list = append(list, normal.CDF((lo-mean)/σ))
		default:
			list = append(list, normal.CDF((mean-hi)/σ))
		}
	}
	return list
}

// around sets the beliefs around one, and returns their weights.
func (o *oracle) around(b []float64, at *[3]int) (w [3]float64) {
	n := float64(o.parts)
	if len(b) == 2 {
		p := min(max(b[0], 0), 1) * n
		i := min(int(p), o.parts-1)
		at[0], at[1], at[2] = i, i+1, i
		return [3]float64{1 - (p - float64(i)), p - float64(i), 0}
	}
	number := func(i, j int) int { return i*(o.parts+1) - i*(i-1)/2 + j }
	p, q := b[0]*n, b[1]*n
	i, j := min(int(p), o.parts), min(int(q), o.parts)
	f, g := p-float64(i), q-float64(j)
	if i+j >= o.parts { // at the border
		i, j = min(i, o.parts), max(0, o.parts-min(i, o.parts))
		at[0] = number(i, j)
		at[1], at[2] = at[0], at[0]
		return [3]float64{1, 0, 0}
	}
	if f+g <= 1 || i+j+2 > o.parts {
		at[0], at[1], at[2] = number(i, j), number(i+1, j), number(i, j+1)
		return [3]float64{1 - f - g, f, g}
	}
	at[0], at[1], at[2] = number(i+1, j+1), number(i+1, j), number(i, j+1)
	return [3]float64{f + g - 1, 1 - g, 1 - f}
}

// corner finds the places of the grid beside a place, and the weight of the second one.
func (o *oracle) corner(i int, x float64) (k, l int, w float64) {
	if i >= o.d.noisy {
		return 0, 0, 0
	}
	a, n := o.d.spec.Axes[i], o.grid[i]
	if o.d.wraps(i) {
		p := (x - a.Min) / (a.Max - a.Min) * float64(n)
		k = min(int(p), n-1)
		return k, (k + 1) % n, p - float64(k)
	}
	p := (x - a.Min) / (a.Max - a.Min) * float64(n-1)
	k = min(int(p), n-2)
	return k, k + 1, p - float64(k)
}

// solve makes sweeps, most of them for the best control of an earlier one.
func (o *oracle) solve() {
	d, nb, n0, n1 := o.d, len(o.beliefs), len(o.next[0]), len(o.next[1])
	latents := len(d.spec.Latents)
	o.v = make([]float64, o.grid[0]*o.grid[1]*nb)
	best := make([]int, len(o.v))
	arrivals := make([][]float64, len(d.spec.Actions)) // by action
	for a := range arrivals {
		if arrivals[a] = make([]float64, n0*n1*nb); d.moves == nil {
			arrivals[a] = arrivals[0]
		}
	}
	arrival := arrivals[0] // that of the control
	places := o.grid[0] * o.grid[1]
	arriveBy := func(a int) {
		moved := func(s []float64, b bcpace.Belief) float64 {
			to := make(bcpace.Belief, latents)
			for φ, x := range b {
				for ψ := range to {
					to[ψ] += x * d.moves[a][φ*latents+ψ]
				}
			}
			return o.optimum(s, to)
		}
		s := make([]float64, 2)
		for k := range n0 {
			for l := range n1 {
				s[0], s[1] = o.next[0][k], o.next[1][l]
				r := d.regionOf(s)
				for i, b := range o.beliefs {
					x := 0.0
					for φ, p := range b {
						x += p * r.pays[φ]
					}
					switch {
					case r.ends:
					case d.moves != nil && r.tells:
						for φ, p := range b {
							x += d.spec.Discount * p * moved(s, o.beliefs[o.sure[φ]])
						}
					case d.moves != nil:
						x += d.spec.Discount * moved(s, b)
					case r.tells:
						for φ, p := range b {
							if p > 0 {
								x += d.spec.Discount * p * o.value(s, o.sure[φ])
							}
						}
					default:
						x += d.spec.Discount * o.value(s, i)
					}
					arrivals[a][(k*n1+l)*nb+i] = x
				}
			}
		}
	}
	arrive := func() {
		for a := range arrivals {
			if a == 0 || d.moves != nil {
				arriveBy(a)
			}
		}
	}
	w := make([]float64, latents)
	sums := make([]float64, max(n0, n1)*nb)
	// prepare sums up an axis that tells nothing, and one then computes the value of a control at a
	// place and a belief.
	prepare := func(r *row) {
		arrival = arrivals[r.action]
		if d.informs[0] && d.informs[1] {
			return
		}
		if !d.informs[1] { // the second axis is summed up
			for k := range r.prob[0][0] {
				to := sums[k*nb : (k+1)*nb]
				clear(to)
				for l, p := range r.prob[1][0] {
					from := arrival[((k+r.first[0])*n1+l+r.first[1])*nb:]
					for i := range to {
						to[i] += p * from[i]
					}
				}
			}
			return
		}
		for l := range r.prob[1][0] {
			to := sums[l*nb : (l+1)*nb]
			clear(to)
			for k, p := range r.prob[0][0] {
				from := arrival[((k+r.first[0])*n1+l+r.first[1])*nb:]
				for i := range to {
					to[i] += p * from[i]
				}
			}
		}
	}
	var at [3]int
	posterior := func(values []float64) float64 {
		total := 0.0
		if latents == 2 {
			if total = w[0] + w[1]; total < 1e-14 {
				return 0
			}
			p := w[0] / total * float64(o.parts)
			k := min(int(p), o.parts-1)
			return total * (values[k] + (p-float64(k))*(values[k+1]-values[k]))
		}
		for _, x := range w {
			total += x
		}
		if total < 1e-14 {
			return 0
		}
		var b [3]float64
		for φ, x := range w {
			b[φ] = x / total
		}
		c := o.around(b[:latents], &at)
		return total * (c[0]*values[at[0]] + c[1]*values[at[1]] + c[2]*values[at[2]])
	}
	one := func(r *row, i int) float64 {
		b, q := o.beliefs[i], 0.0
		for φ, p := range b {
			q += p * r.reward[φ]
		}
		switch {
		case o.parts == 0:
			for k, p := range r.prob[0][0] {
				q += p * sums[k*nb+i]
			}
		case !d.informs[0] && !d.informs[1]: // the latent moves
			for k, p := range r.prob[0][0] {
				q += p * sums[k*nb+i]
			}
		case d.informs[0] && d.informs[1]:
			for k := range r.prob[0][0] {
				for l := range r.prob[1][0] {
					for φ := range w {
						w[φ] = b[φ] * r.prob[0][φ][k] * r.prob[1][φ][l]
					}
					q += posterior(arrival[((k+r.first[0])*n1+l+r.first[1])*nb:])
				}
			}
		default:
			axis := 0
			if d.informs[1] {
				axis = 1
			}
			for k := range r.prob[axis][0] {
				for φ := range w {
					w[φ] = b[φ] * r.prob[axis][φ][k]
				}
				q += posterior(sums[k*nb:])
			}
		}
		return q
	}
	least := 1e-5 * (1 - d.spec.Discount) * (d.spec.RewardMax - d.spec.RewardMin)
	next := make([]float64, len(o.v))
	sweeps := 400
	if d.spec.Horizon > 0 {
		sweeps = d.spec.Horizon
	}
	for sweep := range sweeps {
		arrive()
		full := sweep%6 == 0 || d.spec.Horizon > 0
		change := 0.0
		for p := range places {
			if full {
				for i := range nb {
					next[p*nb+i] = math.Inf(-1)
				}
				for k := range o.counts {
					r := &o.rows[p*o.counts+k]
					prepare(r)
					for i := range nb {
						if q := one(r, i); q > next[p*nb+i] {
							next[p*nb+i], best[p*nb+i] = q, k
						}
					}
				}
			} else {
				for k := range o.counts {
					if !slices.Contains(best[p*nb:(p+1)*nb], k) {
						continue
					}
					r := &o.rows[p*o.counts+k]
					prepare(r)
					for i := range nb {
						if best[p*nb+i] == k {
							next[p*nb+i] = one(r, i)
						}
					}
				}
			}
			for i := range nb {
				change = max(change, math.Abs(next[p*nb+i]-o.v[p*nb+i]))
			}
		}
		copy(o.v, next)
		if full && change < least && d.spec.Horizon == 0 {
			return
		}
	}
}

// value returns that of a place at a belief of the list.
func (o *oracle) value(s []float64, i int) float64 {
	nb := len(o.beliefs)
	k, l, w := o.corner(0, s[0])
	second := 0.0
	if o.d.noisy == 2 {
		second = s[1]
	}
	m, n, x := o.corner(1, second)
	at := func(p, q int) float64 { return o.v[(p*o.grid[1]+q)*nb+i] }
	return (1-w)*((1-x)*at(k, m)+x*at(k, n)) + w*((1-x)*at(l, m)+x*at(l, n))
}

// optimum returns the value at a state and a belief.
func (o *oracle) optimum(s []float64, b bcpace.Belief) float64 {
	if o.parts == 0 {
		i := slices.IndexFunc(o.beliefs, func(x bcpace.Belief) bool { return slices.Equal(x, b) })
		return o.value(s, i)
	}
	var at [3]int
	w := o.around(b, &at)
	v := 0.0
	for k, p := range w {
		if p != 0 {
			v += p * o.value(s, at[k])
		}
	}
	return v
}

// optima returns what two oracles say of the value at a state and a belief, and how much that may err.
func optima(coarse, fine *oracle, s []float64, b bcpace.Belief) (v, off float64) {
	x, y := coarse.optimum(s, b), fine.optimum(s, b)
	return y + (y-x)/3, math.Abs(y-x) + 1e-4*(fine.d.spec.RewardMax-fine.d.spec.RewardMin)*fine.d.spec.EffectiveHorizon()*0.2
}

// oracles returns two of a model, the second one twice as fine as the first in everything, so that their
// difference shows every error: the finest ones whose sweeps take so many additions. Where beliefs
// move only when told, they are solved at others alone.
func (d *drawn) oracles(work float64, others []bcpace.Belief) (coarse, fine *oracle) {
	at, parts, controls := 5.0, 16, 9
	if work > 1e7 {
		at = 16
	}
	for ; at > 0.8 && d.work(at, 2, 2*parts, 2*controls-1) > work; at *= 0.85 {
		parts, controls = max(6, parts-2), max(5, controls-1)
	}
	return newOracle(d, at, 1, parts, controls, others), newOracle(d, at, 2, 2*parts, 2*controls-1, others)
}

// short is the length of an axis, in standard deviations, below which means and rewards are what
// matters on it, not the noise.
const short = 2.5

// work is about how many additions a sweep takes.
func (d *drawn) work(at float64, times, parts, controls int) float64 {
	work, beliefs := 1.0, 3.0
	if d.informs[0] || d.informs[1] || d.moves != nil {
		beliefs = math.Pow(float64(parts), float64(len(d.spec.Latents)-1))
	}
	for i := range d.noisy {
		a := d.spec.Axes[i]
		length := max((a.Max-a.Min)/d.sigma[i], short)
		cells := max(4, length*at)
		work *= float64(times*times) * cells * min(2*cells, min(length, 12)*2*at+2)
	}
	count := 0.0
	for _, a := range d.spec.Actions {
		count += math.Pow(float64(controls), float64(len(a.Box)))
	}
	if d.informs[0] && d.informs[1] {
		beliefs *= 6 // posteriors
	}
	return work * beliefs * count
}
