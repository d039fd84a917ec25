package games

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace"
)

// eachRow calls visit with each row i of the list z of what follows a state and an action of m.
func eachRow(m bcpace.Finite, visit func(z *bcpace.Successors, i int, s []float64, action int) error) error {
	spec, l := m.Spec(), bcpace.NewLister(m)
	s := make([]float64, len(spec.Axes))
	for g := range m.NumStates() {
		m.StateAt(s, g)
		for a := range spec.Actions {
			if err := l.List(s, a); err != nil {
				return err
			}
			for i := range l.Successors.Len() {
				if err := visit(&l.Successors, i, s, a); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// refuseTelling returns an error of the algorithm name where a reward of m, before the end of an
// episode, tells of the latent what the next state does not: the belief never hears of it.
func refuseTelling(m bcpace.Finite, name string) error {
	spec := m.Spec()
	slack := 1e-9 * (spec.RewardMax - spec.RewardMin)
	return eachRow(m, func(z *bcpace.Successors, i int, s []float64, action int) error {
		if z.Done[i] || !tells(z, i, slack) {
			return nil
		}
		return &bcpace.UnsupportedError{Model: spec.Name, Algorithm: name,
			Need: fmt.Sprintf("rewards that tell no more of the latent than the next state does, until an episode ends. Those of action %s at state %v tell more: put the last reward on an axis of the state",
				strconv.Quote(spec.ActionName(action)), s)}
	})
}

// tells reports whether the reward of row i of z tells of the latent what the next state does not:
// it differs between two latents, or from that of an earlier row with the same next state, of which
// the two latents make another share.
func tells(z *bcpace.Successors, i int, slack float64) bool {
	to, p, r := z.Row(i)
	for j := range i + 1 {
		other, q, x := z.Row(j)
		if z.Done[j] || !slices.Equal(other, to) {
			continue
		}
		for φ := range p {
			for k := range p {
				if p[φ]*q[k] > 0 && math.Abs(r[φ]-x[k]) > slack && (i == j || math.Abs(p[φ]*q[k]-p[k]*q[φ]) > 1e-12) {
					return true
				}
			}
		}
	}
	return false
}
