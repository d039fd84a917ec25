package sparse

import (
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
func (x *Merged) Reset(latents int) {
	x.Order, x.values, x.latents = x.Order[:0], x.values[:0], latents
}

// At returns the outcome at a place, which it adds if there is none.
func (x *Merged) At(place int32, done bool) MergedOutcome {
	i, found := slices.BinarySearchFunc(x.Order, place, func(y MergedOutcome, place int32) int { return int(y.Place - place) })
	if !found {
		x.Order = slices.Insert(x.Order, i, MergedOutcome{place, int32(len(x.Order)), done})
		for range 2 * x.latents {
			x.values = append(x.values, 0)
		}
		x.values = append(x.values, num.OfBool(done))
	}
	return x.Order[i]
}

// Vector returns all numbers of an outcome: a view.
func (x *Merged) Vector(y MergedOutcome) []float64 {
	size := 2*x.latents + 1
	return x.values[int(y.slot)*size : (int(y.slot)+1)*size]
}

// Of returns the probabilities and rewards of an outcome, by latent: views.
func (x *Merged) Of(y MergedOutcome) (prob, reward []float64) {
	v := x.Vector(y)
	return v[:x.latents], v[x.latents : 2*x.latents]
}
