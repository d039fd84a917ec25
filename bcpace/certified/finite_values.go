package certified

import (
	"context"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/columns"
	"bayescpace/bcpace/internal/kept"
	"bayescpace/bcpace/runs"
)

// samples returns the samples for a run: the reward is R(s,b,a), and the next state and
// belief are those of the likeliest successor.
func (e *finiteBounds) samples() *runs.Samples {
	c := runs.NewSamples(e.spec)
	s, next := make([]float64, len(e.spec.Axes)), make([]float64, len(e.spec.Axes))
	belief := make(bcpace.Belief, e.Latents)
	for j, n := range e.node {
		r := int(e.rowOf[j])
		b := e.beliefOf(n)
		best := edge{prob: math.Inf(-1)}
		for _, k := range e.successors(int32(j)) {
			if k.prob > best.prob {
				best = k
			}
		}
		e.StateAt(s, int(e.state[n]))
		e.NextAt(next, int(best.entry))
		e.Update(belief, b, r, int(best.entry), e.scratch)
		c.Add(runs.Sample{State: s, Belief: b, Action: r % e.Actions, Reward: e.Expected(r, b),
			Next: next, NextBelief: belief, Done: best.node < 0, Q: e.q[j], Episode: int(e.trial[j])})
	}
	return c
}

// Query returns U(s,b,a), or NaN if s is not a state of the model.
func (e *finiteBounds) Query(s []float64, b bcpace.Belief, action int) (q float64, known bool) {
	i := e.StateIndex(s)
	if i < 0 {
		return math.NaN(), false
	}
	q = e.upperQ(i*e.Actions+action, b)
	l, _ := e.lowerValue(i, b)
	return q, q-l <= e.epsilon
}

// At implements runs.Values.
func (e *finiteBounds) At(s []float64, b bcpace.Belief) (value float64, action int) {
	i := e.StateIndex(s)
	if i < 0 {
		return math.NaN(), 0
	}
	value, _ = e.upperValue(i, b)
	_, v := e.lowerValue(i, b)
	return value, int(e.action[v])
}

// Lower returns the lower bound of V*(s,b), which the policy earns, and its action there; NaN
// if s is not a state of the model. It is what package lookahead asks for.
func (e *finiteBounds) Lower(s []float64, b bcpace.Belief) (value float64, action int) {
	i := e.StateIndex(s)
	if i < 0 {
		return math.NaN(), 0
	}
	value, v := e.lowerValue(i, b)
	return value, int(e.action[v])
}

// Upper implements runs.Values.
func (e *finiteBounds) Upper(s []float64, b bcpace.Belief, action int) float64 {
	i := e.StateIndex(s)
	if i < 0 {
		return math.NaN()
	}
	return e.initialQ(i*e.Actions+action, b)
}

// LatentValues implements runs.Values.
func (e *finiteBounds) LatentValues() bcpace.LatentValues { return e.latent }

// Policy implements runs.Values.
func (e *finiteBounds) Policy() bcpace.Policy { return vectorPolicy{e} }

// ResumableEpisodes implements runs.Values.
func (e *finiteBounds) ResumableEpisodes(r *runs.Run) int {
	n, _ := savedRounds(r)
	return n
}

// UpperAtStart implements runs.Values. The certificate of such a run is proved, so
// nothing calls it.
func (e *finiteBounds) UpperAtStart(_ context.Context, r *runs.Run) (upper, grid float64, err error) {
	return r.Value, 0, nil
}

// vectorPolicy is the policy that takes the action of the best α-vector.
type vectorPolicy struct{ e *finiteBounds }

func (p vectorPolicy) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	i := p.e.StateIndex(s)
	if i < 0 || len(b) != p.e.Latents {
		return -1
	}
	_, v := p.e.lowerValue(i, b)
	return int(p.e.action[v])
}

// tibMark comes before the α-vectors of a run that began with the tighter informed bound, where a run
// without it has their number. See cutMark.
const tibMark = -1

// Bytes implements runs.Values: it encodes the α-vectors except for the blind ones,
// which a reader computes.
func (e *finiteBounds) Bytes() ([]byte, error) {
	c := &columns.Encoder{}
	if e.tib != nil {
		c.Ints(&[]int32{tibMark}, 1)
	}
	blind := e.States * e.Actions
	c.Ints(&[]int32{int32(len(e.home) - blind), int32(len(e.choice) - e.from[blind])}, 2)
	tail := func(x []int32, at int) { y := x[at:]; c.Ints(&y, len(y)) }
	tail(e.home, blind)
	tail(e.action, blind)
	tail(e.choice, e.from[blind])
	values := e.value[blind*e.Latents:]
	c.Floats(&values, len(values))
	return c.Out, nil
}

// Keep is bcpace.PolicyAbilities.Keep: the vectors of the lower bound.
func (p vectorPolicy) Keep() (kind string, data any, err error) {
	list := kept.ClassesOf(p.e.model, p.e.StateIndex)
	for _, set := range p.e.best {
		list.Next()
		for i := range set.Len() {
			list.Add(int(p.e.action[set.Action(i)]), set.Vector(i))
		}
	}
	return kept.ByClass, list, nil
}
