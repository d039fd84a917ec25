package randmodel

import (
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
)

// heard is a model with readings.
type heard struct {
	bcpace.Finite
	moves    bcpace.SparseLatent // of the model, nil if it has none
	accuracy []bcpace.Belief     // by latent: the probability of each reading
}

// Hear returns m with one more axis, of infinite Scale: the last of so many readings, which tells
// something about the latent.
func Hear(m bcpace.Finite, readings int, rng *rand.Rand) bcpace.Finite {
	h := heard{Finite: m}
	h.moves, _ = bcpace.AsSparseLatent(m)
	for range m.Spec().Latents {
		p := make(bcpace.Belief, readings)
		p.SampleSimplex(rng)
		h.accuracy = append(h.accuracy, p)
	}
	return h
}

func (h heard) readings() int { return len(h.accuracy[0]) }

// Spec implements bcpace.Model.
func (h heard) Spec() bcpace.Spec {
	spec := h.Finite.Spec()
	spec.Axes = append(slices.Clone(spec.Axes), bcpace.Axis{Name: "reading", Max: float64(h.readings() - 1), Discrete: true, Scale: math.Inf(1)})
	return spec
}

// inner returns the state of the model without readings.
func (h heard) inner(s []float64) []float64 { return s[:len(s)-1] }

// Start implements bcpace.Model.
func (h heard) Start(s []float64, latent int, rng *rand.Rand) {
	h.Finite.Start(h.inner(s), latent, rng)
	s[len(s)-1] = 0
}

// Step implements bcpace.Model.
func (h heard) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	out := h.Finite.Step(h.inner(next), h.inner(s), latent, action, rng)
	next[len(s)-1] = float64(h.accuracy[latent].Sample(rng))
	return out
}

// LogLikelihood implements bcpace.Model.
func (h heard) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	return h.Finite.LogLikelihood(h.inner(s), action, h.inner(next), latent) + math.Log(h.accuracy[latent][int(next[len(s)-1])])
}

// list adds the states that fill adds, each with so many readings.
func (h heard) list(fill func(*bcpace.Successors), z *bcpace.Successors, readings int) {
	var from bcpace.Successors
	spec := h.Finite.Spec()
	from.Reset(len(spec.Axes), len(spec.Latents))
	fill(&from)
	for i := range from.Len() {
		for k := range readings {
			to, p, r := from.Row(i)
			s, prob, reward := z.Add(from.Done[i])
			copy(s, to)
			s[len(to)] = float64(k)
			copy(reward, r)
			for φ := range p {
				if prob[φ] = p[φ]; readings > 1 {
					prob[φ] *= h.accuracy[φ][k]
				}
			}
		}
	}
}

// Starts implements bcpace.Enumerator.
func (h heard) Starts(z *bcpace.Successors) { h.list(h.Finite.Starts, z, 1) }

// Successors implements bcpace.Enumerator.
func (h heard) Successors(z *bcpace.Successors, s []float64, action int) {
	h.list(func(from *bcpace.Successors) { h.Finite.Successors(from, h.inner(s), action) }, z, h.readings())
}

// NumStates implements bcpace.Finite.
func (h heard) NumStates() int { return h.Finite.NumStates() * h.readings() }

// StateAt implements bcpace.Finite.
func (h heard) StateAt(s []float64, number int) {
	h.Finite.StateAt(h.inner(s), number/h.readings())
	s[len(s)-1] = float64(number % h.readings())
}

// StateIndex implements bcpace.Finite.
func (h heard) StateIndex(s []float64) int {
	n, k := h.Finite.StateIndex(h.inner(s)), s[len(s)-1]
	if n < 0 || k != math.Trunc(k) || k < 0 || int(k) >= h.readings() {
		return -1
	}
	return n*h.readings() + int(k)
}

// LatentKind implements bcpace.LatentDynamics.
func (h heard) LatentKind() bcpace.LatentKind { return bcpace.KindOf(h.Finite) }

// LatentTransition implements bcpace.LatentDynamics.
func (h heard) LatentTransition(p, s []float64, action, latent int) bool {
	d, ok := h.Finite.(bcpace.LatentDynamics)
	return ok && d.LatentTransition(p, h.inner(s), action, latent)
}

// IsSparse reports whether the model is a SparseLatent.
func (h heard) IsSparse() bool { return h.moves != nil }

// LatentMoves implements bcpace.SparseLatent.
func (h heard) LatentMoves(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
	return h.moves.LatentMoves(to, share, h.inner(s), action, latent)
}
