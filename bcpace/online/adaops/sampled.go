package adaops

import (
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
	"bayescpace/bcpace/online/bracket"
)

// sampled is the Source of next states that are drawn.
type sampled struct {
	spec  bcpace.Spec
	walk  *online.Walk
	bayes *bcpace.Bayes
	next  bcpace.Belief
	width int
}

// newSampled draws width next states of m for each action.
func newSampled(m bcpace.Model, width int) *sampled {
	spec := m.Spec()
	return &sampled{spec, online.NewWalk(m), bcpace.NewBayes(m), make(bcpace.Belief, len(spec.Latents)), width}
}

// List implements bracket.Source.
func (x *sampled) List(to *bracket.Children, s []float64, b bcpace.Belief, action int, rng *rand.Rand) error {
	to.Reset(x.spec)
	prob := 1 / float64(x.width)
	for range x.width {
		x.walk.Start(s, b.Sample(rng))
		reward := x.walk.Step(action, rng)
		if err := x.spec.CheckOutcome(bcpace.Outcome{Reward: reward}, x.walk.State, s, action, -1); err != nil {
			return err
		}
		to.Reward += prob * reward
		if x.walk.Done {
			continue
		}
		if err := x.bayes.Update(x.next, b, s, action, x.walk.State); err != nil {
			return err
		}
		to.Add(x.walk.State, x.next, prob)
	}
	return nil
}

// Bounds implements bracket.Source.
func (*sampled) Bounds() bool { return false }
