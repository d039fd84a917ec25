package proved

import (
	"math"
	"sync"
	"sync/atomic"
)

// shortfall returns a D ≥ 0 with
//
//	e^−D·((1−λ)·f_a + λ·f_b) ≤ f_a^(1−λ)·f_b^λ·e^(λ(1−λ)η²/2)   for all λ in [0, 1],
//
// where r = log(f_b/f_a). The right side is a normal density between two points that are η
// standard deviations apart, as a function of the point or of the mean: its log is quadratic with
// the second derivative −1. So e^−D times the chord of such a density lies below the density.
//
// D is at least the maximum over λ of φ(λ) − q(λ), φ(λ) = log(1−λ+λe^r) − λr and q(λ) = λ(1−λ)η²/2. On
// each of some intervals of λ, the concave φ lies below a tangent and the concave q above its
// chord, so that D is at most what these two lines differ by at one end. D grows with |r|, as
// ∂φ/∂r = λe^r/(1−λ+λe^r) − λ has the sign of r, and falls with η; so a bound of |r| from above
// and of η from below gives one that will do. It is convex in r, as φ is.
func shortfall(r, eta float64) float64 {
	const parts = 16
	r = math.Abs(r) // λ and 1−λ change places
	if !(r < 700) { // e^r is no number, and the factor none that matters
		return math.Inf(1)
	}
	worst, e := 0.0, math.Expm1(r)
	for k := range parts {
		a, b := float64(k)/parts, float64(k+1)/parts
		m := (a + b) / 2
		value, half := math.Log1p(m*e)-m*r, (e/(1+m*e)-r)*(b-a)/2
		worst = max(worst, value-half-a*(1-a)*eta*eta/2, value+half-b*(1-b)*eta*eta/2)
	}
	return worst
}

// excess returns an E ≥ 0 with
//
//	f_a^(1−λ)·f_b^λ·e^(λ(1−λ)η²/2) ≤ e^E·((1−λ)·f_a + λ·f_b)   for all λ in [0, 1],
//
// the other side of shortfall: E is at least the maximum of q(λ) − φ(λ), of which on each interval
// the tangent of q and the chord of φ give a bound. It falls with |r| and grows with η.
func excess(r, eta float64) float64 {
	const parts = 16
	r = min(math.Abs(r), 30)
	worst, e, last := 0.0, math.Expm1(r), 0.0
	for k := range parts {
		a, b := float64(k)/parts, float64(k+1)/parts
		m := (a + b) / 2
		next := math.Log1p(b*e) - b*r
		q, half := m*(1-m)*eta*eta/2, (1-2*m)*eta*eta/2*(b-a)/2
		worst = max(worst, q-half-last, q+half-next)
		last = next
	}
	return worst
}

// shortfalls has those of one η by |r|: those of steps of 1/stepsOfR, of which the next one above
// |r| is taken. They are computed when they are first asked for.
type shortfalls struct {
	eta  float64
	list []atomic.Uint64 // the bits of a float64, and 1; 0 where it is not there yet
}

const (
	stepsOfR = 2048
	mostR    = 20 // the largest |r| in a table
)

// at returns that for |r| of so many steps.
func (s *shortfalls) at(step int) float64 {
	known := &s.list[step]
	if bits := known.Load(); bits > 0 {
		return math.Float64frombits(bits - 1)
	}
	d := shortfall(float64(step)/stepsOfR, s.eta)
	known.Store(math.Float64bits(d) + 1)
	return d
}

// damping is shortfall with tables for the few η that many models have.
type damping struct {
	steps, most int // an η is rounded down to a multiple of 1/steps; the number of tables
	mu          sync.RWMutex
	tables      map[int]*shortfalls
}

// newDamping returns one for few η, or, where the noise wavers or means bend, for many.
func newDamping(many bool) *damping {
	d := &damping{steps: 1e6, most: 64, tables: make(map[int]*shortfalls)}
	if many {
		d.steps, d.most = 512, 512
	}
	return d
}

// of returns a shortfall for |r| at most and η at least. Both are rounded in the same way with a
// table and without, so that it does not matter which goroutine came first.
func (d *damping) of(r, eta float64) float64 {
	if r == 0 {
		return 0
	}
	key := int(eta * float64(d.steps))
	d.mu.RLock()
	s, ok := d.tables[key]
	n := len(d.tables)
	d.mu.RUnlock()
	eta = float64(key) / float64(d.steps)
	if !ok && n < d.most {
		s, ok = &shortfalls{eta: eta, list: make([]atomic.Uint64, int(min(mostR, (2*far+2)*eta)*stepsOfR)+2)}, true
		d.mu.Lock()
		d.tables[key] = s
		d.mu.Unlock()
	}
	step := math.Ceil(math.Abs(r) * stepsOfR)
	if ok && step < float64(len(s.list)) {
		return s.at(int(step))
	}
	return shortfall(step/stepsOfR, eta)
}

// far is how many standard deviations from its mean a normal density is kept; what lies beyond
// is told.
const far = 6.5
