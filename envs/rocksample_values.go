package envs

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync"

	"bayescpace/bcpace"
)

// rockTours are the values of RockSample where the rocks are known.
type rockTours struct {
	once  sync.Once
	power []float64 // power[n] is γⁿ
	// value[cell<<rocks | φ] is that in a cell where φ are the rocks that are good.
	value []float64
	rooms sync.Pool // of *rockRoom
}

// rockRoom is what a lower bound is computed in.
type rockRoom struct {
	folded []float64
	good   []float64 // by rock: the probability that it is good
	rocks  []int     // of the tour
	after  []float64 // after[i<<len(rocks) | set] is the value in the cell of the i-th of them, of which set are left
}

// tourRocks is the largest number of rocks of a tour for the lower bound, which takes
// 2ⁿ·n² steps.
const tourRocks = 8

// known returns the values where the rocks are known: who knows them tours the good ones. The
// values of tours over sets of rocks are found by dynamic programming (Held and Karp 1962).
func (m *rockSample) known() *rockTours {
	t := &m.tours
	t.once.Do(func() {
		for n := range 2 * m.size {
			t.power = append(t.power, math.Pow(m.spec.Discount, float64(n)))
		}
		t.rooms.New = func() any { return &rockRoom{} }
		cells, sets := m.size*m.size, 1<<m.rocks
		t.value = make([]float64, cells*sets)
		for φ := range sets { // after all of its subsets
			for _, p := range m.place {
				m.tour(p[0], p[1], φ)
			}
		}
		for cell, r := range m.rockAt {
			if r < 0 {
				for φ := range sets {
					m.tour(cell%m.size, cell/m.size, φ)
				}
			}
		}
	})
	return t
}

// tour sets the value in a cell where φ are the rocks that are good, from those in the cells of
// the rocks where they are fewer.
func (m *rockSample) tour(x, y, φ int) {
	t := &m.tours
	best := rockPay * t.power[m.size-1-x]
	for left := φ; left != 0; left &= left - 1 {
		r := bits.TrailingZeros(uint(left))
		p := m.place[r]
		best = max(best, t.power[apart(p, [2]int{x, y})]*(rockPay+m.spec.Discount*t.value[(p[1]*m.size+p[0])<<m.rocks|φ&^(1<<r)]))
	}
	t.value[(y*m.size+x)<<m.rocks|φ] = best
}

// Q implements bcpace.LatentValues.
func (m *rockSample) Q(s []float64, latent, action int) float64 {
	if m.ended(s) {
		return 0
	}
	q := m.reward(s, action, latent)
	if x, y := m.move(s, action); x < float64(m.size) {
		q += m.spec.Discount * m.known().value[(int(y)*m.size+int(x))<<m.rocks|m.NextLatent(s, action, latent)]
	}
	return q
}

// Max is the largest Q(s, φ, a) of all actions.
func (m *rockSample) Max(s []float64, latent int) float64 {
	if m.ended(s) {
		return 0
	}
	return m.known().value[m.cell(s)<<m.rocks|latent]
}

// Upper implements bcpace.ValueBounds: QMDP. All checks have one value.
func (m *rockSample) Upper(s []float64, b bcpace.Belief) float64 {
	if m.ended(s) {
		return 0
	}
	t, top := m.known(), math.Inf(-1)
	for a := range rockCheck + 1 {
		x, y := m.move(s, a)
		if x == float64(m.size) {
			top = max(top, rockPay)
			continue
		}
		r := m.taken(s, a)
		if a == rockTake && r < 0 {
			continue // no better than a check
		}
		v := t.value[(int(y)*m.size+int(x))<<m.rocks:][:len(b)]
		reward, q := 0.0, 0.0
		if r < 0 {
			q = b.Dot(v)
		} else {
			right := 0.0 // the probability that the rock is good
			for φ, p := range b {
				q += p * v[φ&^(1<<r)]
				if good(r, φ) {
					right += p
				}
			}
			reward = rockPay * (2*right - 1)
		}
		top = max(top, reward+m.spec.Discount*q)
	}
	return top
}

// Lower implements bcpace.ValueBounds: the best tour that leaves at last, and at each of its
// rocks takes a sample, or checks it, which tells the truth there, takes a sample of a good one
// and waits for as long beside a bad one. So no reading changes how long the tour takes, and
// what it earns depends on the probabilities of single rocks alone. It goes to the tourRocks
// rocks that are good with the largest probability, at most; where there are more, a check
// does not change which they are, as rocks are independent from the start on.
func (m *rockSample) Lower(s []float64, b bcpace.Belief) (value float64, action int) {
	if m.ended(s) {
		return 0, toEast
	}
	t := m.known()
	w := t.rooms.Get().(*rockRoom)
	defer t.rooms.Put(w)
	m.chances(w, b)
	n := len(w.rocks)
	w.after = slices.Grow(w.after[:0], n<<n)[:n<<n]
	for set := range 1 << n { // after all of its subsets
		for i, r := range w.rocks {
			if set>>i&1 == 0 {
				w.after[i<<n|set], _ = m.tourFrom(w, m.place[r][0], m.place[r][1], set)
			}
		}
	}
	x, y := int(s[axisX]), int(s[axisY])
	value, first := m.tourFrom(w, x, y, 1<<n-1)
	if first < 0 {
		return value, toEast
	}
	r := w.rocks[first]
	if action = towards([2]int{x, y}, m.place[r]); action != rockTake {
		return value, action
	}
	if sampled, checked := m.visit(w, first, (1<<n-1)&^(1<<first)); checked > sampled {
		return value, rockCheck + r
	}
	return value, rockTake
}

// chances fills w with the rocks of a tour and the probabilities that they are good.
func (m *rockSample) chances(w *rockRoom, b bcpace.Belief) {
	w.folded, w.rocks = append(w.folded[:0], b...), w.rocks[:0]
	w.good = slices.Grow(w.good[:0], m.rocks)[:m.rocks]
	for r := m.rocks - 1; r >= 0; r-- { // the last rock is the highest bit
		half := 1 << r
		without, with := w.folded[:half], w.folded[half:2*half]
		p := 0.0
		for i, q := range with {
			p += q
			without[i] += q
		}
		if w.good[r] = p; p > 0 {
			w.rocks = append(w.rocks, r)
		}
	}
	if len(w.rocks) > tourRocks {
		slices.SortStableFunc(w.rocks, func(i, j int) int { return cmp.Compare(w.good[j], w.good[i]) })
		w.rocks = w.rocks[:tourRocks]
	}
}

// tourFrom returns the value in a cell of the best tour of some rocks of a set, and its first
// one; −1 if it leaves at once.
func (m *rockSample) tourFrom(w *rockRoom, x, y, set int) (best float64, first int) {
	t := &m.tours
	best, first = rockPay*t.power[m.size-1-x], -1
	for left := set; left != 0; left &= left - 1 {
		i := bits.TrailingZeros(uint(left))
		sampled, checked := m.visit(w, i, set&^(1<<i))
		if v := t.power[apart(m.place[w.rocks[i]], [2]int{x, y})] * max(sampled, checked); v > best {
			best, first = v, i
		}
	}
	return best, first
}

// visit returns the values in the cell of a rock, from which a tour goes on to those of a set:
// with a sample, and with a check before it.
func (m *rockSample) visit(w *rockRoom, i, set int) (sampled, checked float64) {
	p, later := w.good[w.rocks[i]], m.spec.Discount*w.after[i<<len(w.rocks)|set]
	return rockPay*(2*p-1) + later, m.spec.Discount * (rockPay*p + later)
}
