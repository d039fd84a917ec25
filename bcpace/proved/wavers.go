package proved

import "math"

// edge is one of a cell, with the noise at its ends.
type edge struct{ a, b noise }

// wavers is what a cell needs where the standard deviation is not the same in all cells: see the
// theorem, which has z, δ and ε.
type wavers struct {
	corners     []noise
	least, most float64 // the standard deviations of the whole cell
	bent        float64 // what the mean may be off its interpolation
	flat, grow  float64 // δ = flat + grow·|x−m|
	slant       float64 // ε
}

// waver sets what a cell needs on a side of a corner, whose mean is the entry.
func (b *builder) waver(a *around, entry, side int) {
	n, next := len(b.ways), 0
	corner := func(set int) noise { return b.rows.noise(b.x, b.other(entry, side, set)) }
	w := &wavers{least: math.Inf(1), bent: b.rows.bent}
	for set := range 1 << n {
		c := corner(set)
		w.corners, w.least, w.most = append(w.corners, c), min(w.least, c.sigma), max(w.most, c.sigma)
	}
	w.least, w.most = w.least-b.rows.wavers, w.most+b.rows.wavers
	// The slope along a coordinate times its side is at most what an edge has, and half of all that bends.
	bend, spread := 4*b.rows.bent, 4*b.rows.wavers
	beyond := float64(b.coordinates - n) // along which nothing moves, but may bend
	cross, squares := beyond*bend*spread, beyond*spread*spread
	for k := range n {
		moves, widens := 0.0, 0.0
		for set := range 1 << n {
			if set>>k&1 == 0 {
				p, q := corner(set), corner(set|1<<k)
				moves, widens = max(moves, math.Abs(q.mean-p.mean)), max(widens, math.Abs(q.sigma-p.sigma))
			}
		}
		cross, squares = cross+(moves+bend)*(widens+spread), squares+square(widens+spread)
		if b.ways[k][side>>k&1].part == 0 {
			continue
		}
		s := &a.steps[next]
		for later := range 1 << (n - k - 1) {
			s.edges = append(s.edges, edge{corner(later << (k + 1)), corner(later<<(k+1) | 1<<k)})
		}
		next++
	}
	σ := w.least
	w.flat = b.rows.bent/σ + cross/4/square(σ)
	w.grow = (b.rows.wavers/σ + squares/4/square(σ)) / σ
	w.slant = w.most * w.grow
	a.wavers = w
}

// offAt bounds what z is off in places from x to y, and z as the corners have it.
func (w *wavers) offAt(a *around, x, y float64) (delta, z float64) {
	for _, c := range w.corners {
		z = max(z, math.Abs(x-c.mean)/c.sigma, math.Abs(y-c.mean)/c.sigma)
	}
	return w.flat + w.grow*(a.farthest(x, y)+w.bent), z
}

// shortfall bounds minus the log of the factor that a corner needs in places from x to y.
func (w *wavers) shortfall(a *around, damp *damping, x, y float64) float64 {
	if !(w.least > 0) {
		return math.Inf(1)
	}
	delta, z := w.offAt(a, x, y)
	d := delta*(z+delta/2) + w.slant
	for _, s := range a.steps {
		slope := s.slope(x, y)
		d += s.part * damp.of(slope.r/s.part, slope.least/math.Sqrt(s.part))
	}
	return d
}

// excess is shortfall from the other side. The log of 1/σ exceeds its chord by an eighth of its square
// at most, as that of (1−λ)+λe^r does.
func (w *wavers) excess(a *around, x, y float64) float64 {
	if !(w.least > 0) {
		return math.Inf(1)
	}
	delta, z := w.offAt(a, x, y)
	d := delta*z + w.slant
	for _, s := range a.steps {
		slope := s.slope(x, y)
		d += (square(slope.most) + square(slope.wider)) / 8
	}
	return d
}

// slope is how a density changes along a coordinate of a cell.
type slope struct {
	r           float64 // bounds its log
	least, most float64 // of how much z moves, without the sign
	wider       float64 // bounds the log of how much wider the noise becomes
}

// slope returns that for places from x to y: all that is affine in the place is largest at one of them.
func (s *step) slope(x, y float64) slope {
	inf := math.Inf(1)
	move, middle, wider := [2]float64{inf, -inf}, [2]float64{inf, -inf}, [2]float64{inf, -inf} // from, to
	widen := func(of *[2]float64, by float64) { of[0], of[1] = min(of[0], by), max(of[1], by) }
	for _, e := range s.edges {
		widen(&wider, math.Log(e.a.sigma/e.b.sigma))
		for _, place := range [2]float64{x, y} {
			p, q := (place-e.a.mean)/e.a.sigma, (place-e.b.mean)/e.b.sigma
			widen(&move, q-p)
			widen(&middle, (p+q)/2)
		}
	}
	product := [2]float64{inf, -inf}
	for _, m := range move {
		widen(&product, m*middle[0])
		widen(&product, m*middle[1])
	}
	return slope{r: max(math.Abs(wider[0]-product[1]), math.Abs(wider[1]-product[0])), least: leastOf(move), most: max(-move[0], move[1]),
		wider: max(-wider[0], wider[1])}
}

// leastOf returns the least distance from 0 of what lies between two numbers.
func leastOf(between [2]float64) float64 { return max(between[0], -between[1], 0) }

// off is what builder.off is.
func (w *wavers) off(a *around, end, sign float64) off {
	o := off{low: math.Inf(1), high: math.Inf(-1)}
	if !(w.least > 0) {
		inf := math.Inf(1)
		return off{-inf, inf, inf, func(int) (least, most float64) { return 0, inf }}
	}
	for _, c := range w.corners {
		y := sign * (c.mean - end) / c.sigma
		o.low, o.high = min(o.low, y), max(o.high, y)
	}
	o.bent, _ = w.offAt(a, end, end)
	o.step = func(k int) (least, most float64) {
		s := a.steps[k].slope(end, end)
		return s.least, s.most
	}
	return o
}
