package vectors

import (
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// Draws fills x with n draws from a belief, one behind the other: at equal distances of the weights where there are some, so
// that each point is drawn as often as its weight says, up to one more or less.
func Draws(x []float64, n int, b hidden.Belief, rng *rand.Rand) {
	dim := len(x) / n
	w, ok := b.(hidden.Weighted)
	if !ok {
		for i := range n {
			b.Draw(x[i*dim:(i+1)*dim], rng)
		}
		return
	}
	u, k := rng.Float64(), 0
	point, sum := w.At(0)
	for i := range n {
		for (float64(i)+u)/float64(n) >= sum && k < w.Len()-1 {
			k++
			next, p := w.At(k)
			if sum += p; p > 0 {
				point = next
			}
		}
		copy(x[i*dim:(i+1)*dim], point)
	}
}

// NeedActionList returns a *bcpace.UnsupportedError for a model some of whose actions have a Box.
func NeedActionList(m *hidden.Model, algorithm string) error {
	if m.Spec.HasBox() {
		return &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: algorithm, Need: "a list of actions, without a Box; pomcpow and pft draw controls"}
	}
	return nil
}
