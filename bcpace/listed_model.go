package bcpace

import (
	"math"
	"math/rand/v2"
	"slices"
)

// listedModel is a Finite model in flat lists. Row (state, action) = state·actions +
// action has the entries of the states that can follow under some latent.
type listedModel struct {
	spec  Spec
	prior Belief

	places   valueGrid
	placeOf  []int32 // by state: the number of its combination of values
	numberAt []int32 // by that: the state, or −1

	starts              []int32
	startProb, startCum []float64

	row       []int     // rows+1: row r is next[row[r]:row[r+1]]
	next      []int32   // entries
	done      []bool    // entries
	prob, cum []float64 // entries × latents: the probability, and the sum of them so far in the row
	reward    []float64 // entries × latents
}

// grow makes room for so many rows and entries in all.
func (m *listedModel) grow(rows, entries int) {
	numbers := entries * len(m.spec.Latents)
	m.row = make([]int, 1, rows+1)
	m.next, m.done = make([]int32, 0, entries), make([]bool, 0, entries)
	m.prob, m.cum, m.reward = make([]float64, 0, numbers), make([]float64, 0, numbers), make([]float64, 0, numbers)
}

// add adds an entry to the last row.
func (m *listedModel) add(next int32, done bool, prob, reward []float64) {
	m.next, m.done = append(m.next, next), append(m.done, done)
	m.prob, m.reward = append(m.prob, prob...), append(m.reward, reward...)
}

// endRow ends the last row.
func (m *listedModel) endRow() {
	n := len(m.prob) - len(m.cum)
	m.cum = cumulate(m.cum, m.prob[len(m.prob)-n:], len(m.spec.Latents))
	m.row = append(m.row, len(m.next))
}

// cumulate appends the sums of the entries of prob, n numbers each, so far; a sum that
// grows no more is 1.
func cumulate(cum, prob []float64, n int) []float64 {
	from := len(cum)
	for i, p := range prob {
		if i >= n {
			p += cum[len(cum)-n]
		}
		cum = append(cum, p)
	}
	for k := range n {
		i := len(prob) - n + k
		for cum[from+i] = 1; prob[i] == 0 && i >= n; i -= n {
			cum[from+i-n] = 1
		}
	}
	return cum
}

// draw returns the entry of a row, whose sums are given, that u in [0, 1) stands for: the
// first whose sum exceeds it.
func draw(cum []float64, n, latent int, u float64) int {
	lo, hi := 0, len(cum)/n-1
	for lo < hi {
		if mid := (lo + hi) / 2; u < cum[mid*n+latent] {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// entries returns the entries of (s, action).
func (m *listedModel) entries(s []float64, action int) (from, to int) {
	r := m.StateIndex(s)*len(m.spec.Actions) + action
	return m.row[r], m.row[r+1]
}

// Spec implements Model.
func (m *listedModel) Spec() Spec { return m.spec }

// Prior implements Model.
func (m *listedModel) Prior(b Belief) { copy(b, m.prior) }

// Start implements Model.
func (m *listedModel) Start(s []float64, _ int, rng *rand.Rand) {
	m.StateAt(s, int(m.starts[draw(m.startCum, 1, 0, rng.Float64())]))
}

// Step implements Model.
func (m *listedModel) Step(next, s []float64, latent, action int, rng *rand.Rand) Outcome {
	n := len(m.spec.Latents)
	from, to := m.entries(s, action)
	e := from + draw(m.cum[from*n:to*n], n, latent, rng.Float64())
	m.StateAt(next, int(m.next[e]))
	return Outcome{Reward: m.reward[e*n+latent], Done: m.done[e]}
}

// LogLikelihood implements Model.
func (m *listedModel) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	k := m.StateIndex(next)
	if k < 0 || m.StateIndex(s) < 0 {
		return math.Inf(-1)
	}
	from, to := m.entries(s, action)
	i, found := slices.BinarySearch(m.next[from:to], int32(k))
	if !found {
		return math.Inf(-1)
	}
	return math.Log(m.prob[(from+i)*len(m.spec.Latents)+latent])
}

// Starts implements Enumerator.
func (m *listedModel) Starts(z *Successors) {
	for i, start := range m.starts {
		s, prob, _ := z.Add(false)
		m.StateAt(s, int(start))
		for φ := range prob {
			prob[φ] = m.startProb[i]
		}
	}
}

// Successors implements Enumerator.
func (m *listedModel) Successors(z *Successors, s []float64, action int) {
	n := len(m.spec.Latents)
	from, to := m.entries(s, action)
	for e := from; e < to; e++ {
		next, prob, reward := z.Add(m.done[e])
		m.StateAt(next, int(m.next[e]))
		copy(prob, m.prob[e*n:(e+1)*n])
		copy(reward, m.reward[e*n:(e+1)*n])
	}
}

// NumStates implements Finite.
func (m *listedModel) NumStates() int { return len(m.placeOf) }

// StateAt implements Finite.
func (m *listedModel) StateAt(s []float64, number int) { m.places.at(s, int(m.placeOf[number])) }

// StateIndex implements Finite.
func (m *listedModel) StateIndex(s []float64) int {
	place := m.places.number(s)
	if place < 0 {
		return -1
	}
	return int(m.numberAt[place])
}

// valueGrid numbers the combinations of values of discrete axes, of which the last one
// changes fastest.
type valueGrid struct {
	axes  []Axis
	sizes []int // values of each axis
}

// at fills s with the combination of that number.
func (g valueGrid) at(s []float64, number int) {
	for i := len(g.sizes) - 1; i >= 0; i-- {
		s[i] = math.Ceil(g.axes[i].Min) + float64(number%g.sizes[i])
		number /= g.sizes[i]
	}
}

// number returns the number of s, or −1 where it is none of the combinations.
func (g valueGrid) number(s []float64) int {
	if len(s) != len(g.sizes) {
		return -1
	}
	number := 0
	for i, n := range g.sizes {
		x := s[i] - math.Ceil(g.axes[i].Min)
		if !(x >= 0 && x < float64(n)) || x != math.Trunc(x) {
			return -1
		}
		number = number*n + int(x)
	}
	return number
}
