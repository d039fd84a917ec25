package runs

import (
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/numtext"
)

// Samples is the sample set C of the paper: tuples (s, b, a, r, s', b') in flat
// arrays, in the order in which they were added. Q[i] is Q̃(s_i, b_i, a_i).
//
// A sample takes 16·(axes + latents) + 29 bytes here. With the indexes and the
// neighbour lists of the incremental fixed point an exploration keeps more: for
// two axes, two latents, four actions and K = 3, where no two samples coincide,
// 1.4 kB for each sample at 100,000 samples, and up to 2.6 kB on the way, garbage
// included (BenchmarkGrowth). A pair of an action and a neighbour adds some 36
// bytes; samples that coincide share their lists.
type Samples struct {
	State, Next            []float64 // n × axes: s_i and s'_i
	Belief, NextBelief     []float64 // n × latents: b_i and b'_i
	Action                 []int32   // a_i: its index in Spec.Actions
	ID                     []int64   // the ids of the actions, if some action has a Box; nil otherwise
	Reward                 []float64 // r_i
	Done                   []bool    // the episode ended in s'_i, so that V(s'_i, b'_i) = 0
	Q                      []float64 // Q̃(s_i, b_i, a_i) at the last fixed point
	Episode, Time          []int32   // where it was met: the episode, and the step in it, 2³¹−1 for all later ones
	axes, latents, actions int
	boxed                  bool
}

// String says how many there are, as a text with all of them is of no use.
func (c *Samples) String() string { return numtext.Count(c.Len()) + " samples" }

// NewSamples returns an empty set for a model of that Spec.
func NewSamples(spec bcpace.Spec) *Samples {
	return &Samples{axes: len(spec.Axes), latents: len(spec.Latents), actions: len(spec.Actions), boxed: spec.HasBox()}
}

// Sample is one element of a Samples. Its slices are views.
type Sample struct {
	State, Next        []float64
	Belief, NextBelief bcpace.Belief
	Action             int // its id
	Reward             float64
	Done               bool
	Q                  float64
	Episode, Time      int
}

// Clone returns a sample with slices of its own.
func (s Sample) Clone() Sample {
	s.State, s.Next = append([]float64(nil), s.State...), append([]float64(nil), s.Next...)
	s.Belief, s.NextBelief = append(bcpace.Belief(nil), s.Belief...), append(bcpace.Belief(nil), s.NextBelief...)
	return s
}

// Len returns |C|.
func (c *Samples) Len() int { return len(c.Reward) }

// At returns sample i.
func (c *Samples) At(i int) Sample {
	s, b := i*c.axes, i*c.latents
	return Sample{
		State: c.State[s : s+c.axes : s+c.axes], Next: c.Next[s : s+c.axes : s+c.axes],
		Belief: c.Belief[b : b+c.latents : b+c.latents], NextBelief: c.NextBelief[b : b+c.latents : b+c.latents],
		Action: c.ActionID(i), Reward: c.Reward[i], Done: c.Done[i], Q: c.Q[i],
		Episode: int(c.Episode[i]), Time: int(c.Time[i]),
	}
}

// ActionID returns the id of the action of sample i.
func (c *Samples) ActionID(i int) int {
	if c.boxed {
		return int(c.ID[i])
	}
	return int(c.Action[i])
}

// Add appends a copy of x and returns its index.
func (c *Samples) Add(x Sample) int {
	c.State = append(c.State, x.State...)
	c.Next = append(c.Next, x.Next...)
	c.Belief = append(c.Belief, x.Belief...)
	c.NextBelief = append(c.NextBelief, x.NextBelief...)
	c.Action = append(c.Action, int32(num.BoxIndex(x.Action)))
	if c.boxed {
		c.ID = append(c.ID, int64(x.Action))
	}
	c.Reward = append(c.Reward, x.Reward)
	c.Done = append(c.Done, x.Done)
	c.Q = append(c.Q, x.Q)
	c.Episode = append(c.Episode, int32(x.Episode))
	c.Time = append(c.Time, int32(min(x.Time, math.MaxInt32)))
	return len(c.Reward) - 1
}

// Actions returns how many samples each action has.
func (c *Samples) Actions() []int {
	n := make([]int, c.actions)
	for _, a := range c.Action {
		n[a]++
	}
	return n
}
