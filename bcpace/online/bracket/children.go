package bracket

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// Children are what follows an action at a state and belief, but for what ends the episode.
type Children struct {
	Reward  float64   // E[R(s, b, a)]
	States  []float64 // n × axes
	Beliefs []float64 // n × latents
	Prob    []float64 // n, given the action
	// A child that stands for several has the mean of their beliefs, so that V* there is at
	// most the mean of theirs. Spread bounds by how much, summed over the children by Prob,
	// in reward units; 0 where each stands for itself.
	Spread float64
	// Most bounds the mean of V* over what follows; +Inf if nothing but the children does.
	Most float64

	axes, latents int
}

// Reset empties x and sets the sizes of a state and a belief.
func (c *Children) Reset(spec bcpace.Spec) {
	*c = Children{States: c.States[:0], Beliefs: c.Beliefs[:0], Prob: c.Prob[:0], Most: math.Inf(1), axes: len(spec.Axes), latents: len(spec.Latents)}
}

// Add adds a child.
func (c *Children) Add(s []float64, b bcpace.Belief, prob float64) {
	c.States, c.Beliefs, c.Prob = append(c.States, s...), append(c.Beliefs, b...), append(c.Prob, prob)
}

// Len returns the number of children.
func (c *Children) Len() int { return len(c.Prob) }

// State returns the state of child i, a view.
func (c *Children) State(i int) []float64 {
	return c.States[i*c.axes : (i+1)*c.axes : (i+1)*c.axes]
}

// Belief returns the belief of child i, a view.
func (c *Children) Belief(i int) bcpace.Belief {
	return c.Beliefs[i*c.latents : (i+1)*c.latents : (i+1)*c.latents]
}

// Source makes children. It is for one goroutine.
type Source interface {
	// List sets x to the children of an action at (s, b). All that is random comes from rng.
	List(x *Children, s []float64, b bcpace.Belief, action int, rng *rand.Rand) error
	// Bounds says that what it lists is all that may follow, so that bounds behind it are
	// bounds of V*.
	Bounds() bool
}

// listed is the Source of a model that lists what follows.
type listed struct {
	spec   bcpace.Spec
	lister *bcpace.Lister
	next   bcpace.Belief
}

// Listed returns the Source of the successors that a model lists.
func Listed(m bcpace.Enumerator) Source {
	spec := m.Spec()
	return &listed{spec, bcpace.NewLister(m), make(bcpace.Belief, len(spec.Latents))}
}

// List implements Source.
func (l *listed) List(x *Children, s []float64, b bcpace.Belief, action int, _ *rand.Rand) error {
	x.Reset(l.spec)
	if err := l.lister.List(s, action); err != nil {
		return err
	}
	x.Reward = b.Dot(l.lister.Reward)
	z := &l.lister.Successors
	for i := range z.Len() {
		if w := l.lister.Update(l.next, b, i); w > 0 && !z.Done[i] {
			next, _, _ := z.Row(i)
			x.Add(next, l.next, w)
		}
	}
	return nil
}

// Bounds implements Source.
func (*listed) Bounds() bool { return true }
