package randmodel

import (
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
)

// withReadings makes a model one with readings.
type withReadings struct {
	inner    bcpace.Finite
	axes     int             // of inner
	accuracy []bcpace.Belief // by latent: the probability of each reading
}

// AddReadings returns m with one more axis, of infinite Scale: the last of so many readings,
// which tells something about the latent.
func AddReadings(m bcpace.Finite, readings int, rng *rand.Rand) bcpace.Finite {
	var accuracy []bcpace.Belief
	for range m.Spec().Latents {
		accuracy = append(accuracy, simplex(rng, readings))
	}
	return WithReadings(m, accuracy)
}

// WithReadings is AddReadings with the probability of each reading by latent.
func WithReadings(m bcpace.Finite, accuracy []bcpace.Belief) bcpace.Finite {
	return bcpace.Derive(m, withReadings{m, len(m.Spec().Axes), accuracy}.change).(bcpace.Finite)
}

func (w withReadings) change(_ bcpace.Model, a *bcpace.Abilities) {
	a.Spec.Axes = append(slices.Clone(a.Spec.Axes), bcpace.Axis{Name: "reading", Max: float64(w.readings() - 1), Discrete: true, Scale: math.Inf(1)})
	a.OnFirstAxes(w.axes)
	a.Start, a.Step, a.LogLikelihood, a.Starts, a.Successors = w.start, w.step, w.logLikelihood, w.starts, w.successors
	a.NumberLast(w.axes, w.readings())
}

func (w withReadings) readings() int { return len(w.accuracy[0]) }

func (w withReadings) start(s []float64, latent int, rng *rand.Rand) {
	w.inner.Start(s[:w.axes], latent, rng)
	s[w.axes] = 0
}

func (w withReadings) step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	out := w.inner.Step(next[:w.axes], s[:w.axes], latent, action, rng)
	next[w.axes] = float64(w.accuracy[latent].Sample(rng))
	return out
}

func (w withReadings) logLikelihood(s []float64, action int, next []float64, latent int) float64 {
	return w.inner.LogLikelihood(s[:w.axes], action, next[:w.axes], latent) + math.Log(w.accuracy[latent][int(next[w.axes])])
}

// list adds the states that fill adds, each with so many readings.
func (w withReadings) list(fill func(*bcpace.Successors), z *bcpace.Successors, readings int) {
	var from bcpace.Successors
	from.Reset(w.axes, len(w.accuracy))
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
					prob[φ] *= w.accuracy[φ][k]
				}
			}
		}
	}
}

func (w withReadings) starts(z *bcpace.Successors) { w.list(w.inner.Starts, z, 1) }

func (w withReadings) successors(z *bcpace.Successors, s []float64, action int) {
	w.list(func(from *bcpace.Successors) { w.inner.Successors(from, s[:w.axes], action) }, z, w.readings())
}
