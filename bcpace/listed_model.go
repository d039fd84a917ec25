package bcpace

import (
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace/internal/sparse"
)

// listedModel is a Finite model in lists that keep once what occurs many times. An entry of a row
// has a vector of numbers: the probability by latent, the reward by latent, and 1 where the
// episode ends.
type listedModel struct {
	spec  Spec
	prior Belief

	places   sparse.Places
	placeOf  []int32 // by state: the number of its combination of values
	numberAt []int32 // by that: the state, or −1

	starts               []int32
	startProb, startSums []float64

	row     []int32 // by state·actions + action: the number of its row, which has the states that can follow under some latent
	rows    *sparse.SuccessorRows
	vectors *sparse.VectorTable
	draws   sparse.Draws
}

// seal ends the lists: no more may be added to them.
func (m *listedModel) seal() {
	m.rows.Seal()
	m.vectors.Seal()
	m.draws = sparse.NewDraws(m.rows, m.vectors, len(m.spec.Latents))
}

// rowOf returns the number of the row of (s, action).
func (m *listedModel) rowOf(s []float64, action int) int32 {
	return m.row[m.StateIndex(s)*len(m.spec.Actions)+action]
}

// Spec implements Model.
func (m *listedModel) Spec() Spec { return m.spec }

// Prior implements Model.
func (m *listedModel) Prior(b Belief) { copy(b, m.prior) }

// ShowsEnds is Abilities.ShowsEnds: a row has each state once.
func (m *listedModel) ShowsEnds() bool { return true }

// Start implements Model.
func (m *listedModel) Start(s []float64, _ int, rng *rand.Rand) {
	m.StateAt(s, int(m.starts[sparse.Draw(m.startSums, 1, 0, rng.Float64())]))
}

// Step implements Model.
func (m *listedModel) Step(next, s []float64, latent, action int, rng *rand.Rand) Outcome {
	n := len(m.spec.Latents)
	r := m.rowOf(s, action)
	i := m.draws.Draw(r, latent, rng.Float64())
	to, kinds := m.rows.Row(r)
	m.StateAt(next, int(to[i]))
	v := m.vectors.At(kinds[i])
	return Outcome{Reward: v[n+latent], Done: v[2*n] != 0}
}

// LogLikelihood implements Model.
func (m *listedModel) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	k := m.StateIndex(next)
	if k < 0 || m.StateIndex(s) < 0 {
		return math.Inf(-1)
	}
	to, kinds := m.rows.Row(m.rowOf(s, action))
	i, found := slices.BinarySearch(to, int32(k))
	if !found {
		return math.Inf(-1)
	}
	return math.Log(m.vectors.At(kinds[i])[latent])
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
	to, kinds := m.rows.Row(m.rowOf(s, action))
	for i, kind := range kinds {
		v := m.vectors.At(kind)
		next, prob, reward := z.Add(v[2*n] != 0)
		m.StateAt(next, int(to[i]))
		copy(prob, v[:n])
		copy(reward, v[n:])
	}
}

// NumStates implements Finite.
func (m *listedModel) NumStates() int { return len(m.placeOf) }

// StateAt implements Finite.
func (m *listedModel) StateAt(s []float64, number int) { m.places.At(s, int(m.placeOf[number])) }

// StateIndex implements Finite.
func (m *listedModel) StateIndex(s []float64) int {
	place := m.places.Number(s)
	if place < 0 {
		return -1
	}
	return int(m.numberAt[place])
}
