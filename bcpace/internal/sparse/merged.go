package sparse

import (
	"math"
	"slices"

	"bayescpace/bcpace/internal/num"
)

// Merged has the outcomes of a state and action, as merged from lists of what may follow under
// one latent after the other. It is reused from one state and action to the next.
type Merged struct {
	Order   []MergedOutcome // in ascending order of their places, which differ
	latents int
	values  []float64 // by slot: probabilities by latent, rewards by latent, and 1 for an end
}

// MergedOutcome is a place that may follow.
type MergedOutcome struct {
	Place, slot int32
	Done        bool
}

// Reset leaves x without outcomes.
func (m *Merged) Reset(latents int) {
	m.Order, m.values, m.latents = m.Order[:0], m.values[:0], latents
}

// At returns the outcome at a place, which it adds if there is none.
func (m *Merged) At(place int32, done bool) MergedOutcome {
	i, found := slices.BinarySearchFunc(m.Order, place, func(y MergedOutcome, place int32) int { return int(y.Place - place) })
	if !found {
		m.Order = slices.Insert(m.Order, i, MergedOutcome{place, int32(len(m.Order)), done})
		for range 2 * m.latents {
			m.values = append(m.values, 0)
		}
		m.values = append(m.values, num.OfBool(done))
	}
	return m.Order[i]
}

// Vector returns all numbers of an outcome: a view.
func (m *Merged) Vector(y MergedOutcome) []float64 {
	size := 2*m.latents + 1
	return m.values[int(y.slot)*size : (int(y.slot)+1)*size]
}

// Of returns the probabilities and rewards of an outcome, by latent: views.
func (m *Merged) Of(y MergedOutcome) (prob, reward []float64) {
	v := m.Vector(y)
	return v[:m.latents], v[m.latents : 2*m.latents]
}

// Places numbers the combinations of values of axes of whole numbers, of which the last one changes fastest.
type Places struct {
	First []float64 // by axis: its lowest value
	Sizes []int     // how many values each has
}

// At fills s with the combination of that number.
func (p Places) At(s []float64, number int) {
	for i := len(p.Sizes) - 1; i >= 0; i-- {
		s[i] = p.First[i] + float64(number%p.Sizes[i])
		number /= p.Sizes[i]
	}
}

// Number returns the number of s, or −1 where it is none of the combinations.
func (p Places) Number(s []float64) int {
	if len(s) != len(p.Sizes) {
		return -1
	}
	number := 0
	for i, n := range p.Sizes {
		x := s[i] - p.First[i]
		if !(x >= 0 && x < float64(n)) || x != math.Trunc(x) {
			return -1
		}
		number = number*n + int(x)
	}
	return number
}
