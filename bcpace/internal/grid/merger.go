package grid

import (
	"math"
	"slices"

	"bayescpace/bcpace"

	"gonum.org/v1/gonum/floats"
)

// A Merger finds the rows of a list that are at a point and tell the same of the latent. Thousands of successors
// may come to a point of a coarse grid, so that it does not try them in turn.
type Merger struct {
	first []int32 // by hash of the point and of what is told: the first row there plus 1, 0 without one
	next  []int32 // by row: the next one of its hash plus 1, 0 after the last
	used  []int32 // the hashes of first that are not 0
	ended int32   // the row of all ends plus 1, 0 without one
}

// hashBits is how many bits the hash of a Merger has.
const hashBits = 12

// New returns that of a list without rows.
func NewMerger() *Merger { return &Merger{first: make([]int32, 1<<hashBits)} }

// Reset makes x that of a list without rows.
func (m *Merger) Reset() {
	for _, hash := range m.used {
		m.first[hash] = 0
	}
	m.next, m.used, m.ended = m.next[:0], m.used[:0], 0
}

// Merge adds weight·p at a point to z, all of whose rows have come from here: to the row of
// that point whose probabilities are proportional to p, and which therefore leads to the
// same belief, or else as a new row. told is Told(p).
func (m *Merger) Merge(z *bcpace.Successors, point int32, told uint64, weight float64, p, r []float64) {
	hash := mix(told, uint64(point)) >> (64 - hashBits)
	row := m.first[hash]
	for ; row > 0; row = m.next[row-1] {
		if at, q, _ := z.Row(int(row) - 1); at[0] == float64(point) && proportional(p, q) {
			break
		}
	}
	if row == 0 {
		if m.first[hash] == 0 {
			m.used = append(m.used, int32(hash))
		}
		row = m.add(z, point, false)
		m.next[row-1], m.first[hash] = m.first[hash], row
	}
	addTo(z, int(row)-1, weight, p, r)
}

// End adds p to the row of all ends, which share one, as the belief after an end does not matter.
func (m *Merger) End(z *bcpace.Successors, p, r []float64) {
	if m.ended == 0 {
		m.ended = m.add(z, 0, true)
	}
	addTo(z, int(m.ended)-1, 1, p, r)
}

// add returns the number of a new row plus 1.
func (m *Merger) add(z *bcpace.Successors, point int32, done bool) int32 {
	at, _, _ := z.Add(done)
	at[0] = float64(point)
	m.next = append(m.next, 0)
	return int32(z.Len())
}

// addTo adds weight·p to a row of z, with the rewards r.
func addTo(z *bcpace.Successors, row int, weight float64, p, r []float64) {
	_, q, mean := z.Row(row)
	for φ, f := range p {
		if f *= weight; f > 0 {
			mean[φ] = (q[φ]*mean[φ] + f*r[φ]) / (q[φ] + f)
			q[φ] += f
		}
	}
}

// Told returns a number that is the same for p and its multiples, but for rounding that crosses one of some borders.
// These lie beside simple ratios.
func Told(p []float64) (told uint64) {
	most := slices.Max(p)
	for _, x := range p {
		told = mix(told, uint64(x/most*1e6+1/math.Pi))
	}
	return told
}

// mix returns a hash of two numbers, whose first bits depend on all of theirs.
func mix(a, b uint64) uint64 {
	const odd = 0x9e3779b97f4a7c15 // 2⁶⁴ by the golden ratio
	x := (a ^ b) * odd
	return (x ^ x>>32) * odd
}

// proportional reports whether p and q are multiples of each other, but for rounding.
func proportional(p, q []float64) bool {
	at := floats.MaxIdx(p)
	for φ, x := range p {
		if a, b := x*q[at], q[φ]*p[at]; math.Abs(a-b) > 1e-12*max(a, b) {
			return false
		}
	}
	return q[at] > 0
}
