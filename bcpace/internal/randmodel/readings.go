package randmodel

import (
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
)

// heard makes a model one with readings.
type heard struct {
	inner    bcpace.Finite
	axes     int             // of inner
	accuracy []bcpace.Belief // by latent: the probability of each reading
}

// Hear returns m with one more axis, of infinite Scale: the last of so many readings, which tells
// something about the latent.
func Hear(m bcpace.Finite, readings int, rng *rand.Rand) bcpace.Finite {
	spec := m.Spec()
	h := heard{inner: m, axes: len(spec.Axes)}
	for range spec.Latents {
		p := make(bcpace.Belief, readings)
		p.SampleSimplex(rng)
		h.accuracy = append(h.accuracy, p)
	}
	return bcpace.Derive(m, h.change).(bcpace.Finite)
}

func (h heard) change(_ bcpace.Model, a *bcpace.Abilities) {
	a.Spec.Axes = append(slices.Clone(a.Spec.Axes), bcpace.Axis{Name: "reading", Max: float64(h.readings() - 1), Discrete: true, Scale: math.Inf(1)})
	a.OnFirstAxes(h.axes)
	a.Start, a.Step, a.LogLikelihood, a.Starts, a.Successors = h.start, h.step, h.logLikelihood, h.starts, h.successors
	a.NumStates, a.StateAt, a.StateIndex = h.numStates, h.stateAt, h.stateIndex
}

func (h heard) readings() int { return len(h.accuracy[0]) }

func (h heard) start(s []float64, latent int, rng *rand.Rand) {
	h.inner.Start(s[:h.axes], latent, rng)
	s[h.axes] = 0
}

func (h heard) step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	out := h.inner.Step(next[:h.axes], s[:h.axes], latent, action, rng)
	next[h.axes] = float64(h.accuracy[latent].Sample(rng))
	return out
}

func (h heard) logLikelihood(s []float64, action int, next []float64, latent int) float64 {
	return h.inner.LogLikelihood(s[:h.axes], action, next[:h.axes], latent) + math.Log(h.accuracy[latent][int(next[h.axes])])
}

// list adds the states that fill adds, each with so many readings.
func (h heard) list(fill func(*bcpace.Successors), z *bcpace.Successors, readings int) {
	var from bcpace.Successors
	from.Reset(h.axes, len(h.accuracy))
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

func (h heard) starts(z *bcpace.Successors) { h.list(h.inner.Starts, z, 1) }

func (h heard) successors(z *bcpace.Successors, s []float64, action int) {
	h.list(func(from *bcpace.Successors) { h.inner.Successors(from, s[:h.axes], action) }, z, h.readings())
}

func (h heard) numStates() int { return h.inner.NumStates() * h.readings() }

func (h heard) stateAt(s []float64, number int) {
	h.inner.StateAt(s[:h.axes], number/h.readings())
	s[h.axes] = float64(number % h.readings())
}

func (h heard) stateIndex(s []float64) int {
	n, k := h.inner.StateIndex(s[:h.axes]), s[h.axes]
	if n < 0 || k != math.Trunc(k) || k < 0 || int(k) >= h.readings() {
		return -1
	}
	return n*h.readings() + int(k)
}
