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
func (x *Children) Reset(spec bcpace.Spec) {
	*x = Children{States: x.States[:0], Beliefs: x.Beliefs[:0], Prob: x.Prob[:0], Most: math.Inf(1), axes: len(spec.Axes), latents: len(spec.Latents)}
}

// Add adds a child.
func (x *Children) Add(s []float64, b bcpace.Belief, prob float64) {
	x.States, x.Beliefs, x.Prob = append(x.States, s...), append(x.Beliefs, b...), append(x.Prob, prob)
}

// Len returns the number of children.
func (x *Children) Len() int { return len(x.Prob) }

// State returns the state of child i, a view.
func (x *Children) State(i int) []float64 {
	return x.States[i*x.axes : (i+1)*x.axes : (i+1)*x.axes]
}

// Belief returns the belief of child i, a view.
func (x *Children) Belief(i int) bcpace.Belief {
	return x.Beliefs[i*x.latents : (i+1)*x.latents : (i+1)*x.latents]
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
