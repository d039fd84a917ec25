package certified

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/columns"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/runs"
)

// samples returns the samples for a run: the reward is R(s,b,a), the next state and
// belief are those of the likeliest successor that does not end the episode, and Q is
// the upper bound U0 − lo. A sample without such a successor has Done set.
func (e *continuousBounds) samples() *runs.Samples {
	c := runs.NewSamples(e.spec)
	for j := range e.node {
		s, b, first := e.nodeData(e.node[j])
		a := int(e.action[j])
		x := runs.Sample{State: s, Belief: b, Action: a, Reward: e.reward[j], Next: s, NextBelief: b, Done: true,
			Q: first[a] - e.shortfallOf[a].lo[e.item[j]], Episode: int(e.trial[j])}
		best := 0.0
		from, to := e.successors(int32(j))
		for k := from; k < to; k++ {
			if e.prob[k] > best {
				best, x.Done = e.prob[k], false
				x.Next, x.NextBelief, _ = e.nodeData(k)
			}
		}
		c.Add(x)
	}
	return c
}

// continuousQuery is what one goroutine needs to query a continuousBounds.
type continuousQuery struct {
	e     *continuousBounds
	point []float64
	first []float64 // U0 by action
	row   []float64 // a number for each fixed policy
}

func (e *continuousBounds) newQuery() *continuousQuery {
	return &continuousQuery{e: e, point: make([]float64, e.metric.Dim()), first: make([]float64, len(e.spec.Actions)), row: make([]float64, e.Policies)}
}

// prepare embeds (s, b), fills in U0 and the values of the fixed policies, and returns
// L0. It reports false if s is outside of the model's axes or b is no belief over its latents.
func (q *continuousQuery) prepare(s []float64, b bcpace.Belief) (least float64, ok bool) {
	var at dp.GridPlace
	if len(s) != len(q.e.spec.Axes) || len(b) != len(q.e.spec.Latents) || math.IsNaN(num.Sum(b)) || !at.Locate(q.e.Latent.Axes, s) {
		return math.NaN(), false
	}
	q.e.metric.Embed(q.point, s, b)
	q.e.initial(q.first, &at, s, b)
	if least = q.e.bestFixed(q.row, &at, b); q.e.given != nil {
		least = min(least, slices.Max(q.first))
	}
	return least, true
}

// bounds returns U(s,b), L(s,b) and the action of the policy.
func (q *continuousQuery) bounds(s []float64, b bcpace.Belief) (upper, lower float64, action int) {
	least, ok := q.prepare(s, b)
	if !ok {
		return math.NaN(), math.NaN(), 0
	}
	upper, _ = q.e.upperAt(q.point, q.first)
	lower = q.e.lowerAt(q.point, q.first, least)
	return upper, lower, q.choose(s, least)
}

// choose returns the policy's action at s: the one whose two bounds have the largest
// mean. The caller has called prepare, which returned least.
func (q *continuousQuery) choose(s []float64, least float64) (action int) {
	e := q.e
	action = q.fallBack(s, least)
	u := q.first[action]
	best := (u - e.shortfallOf[action].lower(q.point, math.Inf(1)) + max(least, u-e.shortfallOf[action].upper(q.point, math.Inf(1)))) / 2
	for a, u := range q.first {
		limit := u - best // a shortfall below it puts the upper bound above best
		if limit <= 0 {
			continue
		}
		d := e.shortfallOf[a].lower(q.point, limit)
		if d >= limit {
			continue
		}
		high := u - d
		limit = u + high - 2*best // a shortfall below it puts the mean above best
		if d := e.shortfallOf[a].upper(q.point, limit); d < limit {
			best, action = (u-d+high)/2, a
		}
	}
	return action
}

// fallBack returns the action at s of the best fixed policy, whose value there is least,
// L0(s,b). Often several are equally good: all walks that enter no corner of a room are
// worth 0. Of their actions it returns the one with the largest upper bound, so that the
// policy goes where it may earn something, and does not stay without end where it loses
// nothing.
func (q *continuousQuery) fallBack(s []float64, least float64) (action int) {
	e, top := q.e, math.Inf(-1)
	// The error of the solver may make equal values of the grid differ by less.
	tie := 1e-6 * (e.spec.VMax() - e.spec.VMin())
	for p, value := range q.row {
		if value < least-tie {
			continue
		}
		a := e.actionOf(p, s)
		if u := q.first[a] - e.shortfallOf[a].lower(q.point, math.Inf(1)); u > top {
			action, top = a, u
		}
	}
	return action
}

// Query returns U(s,b,a), or NaN if s is outside of the model's axes.
func (e *continuousBounds) Query(s []float64, b bcpace.Belief, action int) (value float64, known bool) {
	q := e.pool.Get().(*continuousQuery)
	defer e.pool.Put(q)
	_, lower, _ := q.bounds(s, b)
	if math.IsNaN(lower) {
		return math.NaN(), false
	}
	value = q.first[action] - e.shortfallOf[action].lower(q.point, math.Inf(1))
	return value, value-lower <= e.epsilon
}

// At implements runs.Values.
func (e *continuousBounds) At(s []float64, b bcpace.Belief) (value float64, action int) {
	q := e.pool.Get().(*continuousQuery)
	defer e.pool.Put(q)
	value, _, action = q.bounds(s, b)
	return value, action
}

// Upper implements runs.Values.
func (e *continuousBounds) Upper(s []float64, b bcpace.Belief, action int) float64 {
	return dp.Expected(e.LatentValues(), s, b, action)
}

// Policy implements runs.Values.
func (e *continuousBounds) Policy() bcpace.Policy { return e.newQuery() }

// Act implements Policy.
func (q *continuousQuery) Act(s []float64, b bcpace.Belief, _ *rand.Rand) int {
	least, ok := q.prepare(s, b)
	if !ok {
		return -1
	}
	return q.choose(s, least)
}

// Fork is bcpace.PolicyAbilities.Fork.
func (q *continuousQuery) Fork() bcpace.Policy { return q.e.newQuery() }

// Plans returns the policies by dynamic programming on a grid and of the finite model of proved bounds, which
// Run.Choice tries, or nil without one.
func (e *continuousBounds) Plans() (grid, proof bcpace.Policy) {
	if e.onGrid != nil {
		grid = newGridPolicy(e.model, e.onGrid)
	}
	if e.byProof != nil {
		proof = e.byProof.Fork()
	}
	return grid, proof
}

// Bytes implements runs.Values: it encodes what the samples do not hold, L_S, both bounds of
// each shortfall and, if there are any, −1, the length and the bytes of the policy of proved bounds, and the values on
// a grid. If the step of the grid was halved, −1 times the number of halvings comes before all.
func (e *continuousBounds) Bytes() ([]byte, error) {
	lo, hi := e.shortfallBounds()
	bounds := []float64{e.lip}
	if e.halvings > 0 {
		bounds = []float64{-float64(e.halvings), e.lip}
	}
	for j := range lo {
		bounds = append(bounds, lo[j], hi[j])
	}
	out := &columns.Encoder{Out: columns.AppendFloats(nil, bounds...)}
	if e.byProof != nil {
		policy, err := e.byProof.AppendBinary(nil)
		if err != nil {
			return nil, err
		}
		out.Ints(&[]int32{-1, int32(len(policy))}, 2)
		out.Out = append(out.Out, policy...)
	}
	if e.onGrid != nil {
		e.onGrid.write(out)
	}
	return out.Out, nil
}

// readContinuousBounds returns the bounds of a run from its samples and from the bytes
// that continuousBounds.Bytes has written.
func readContinuousBounds(r *runs.Run, m bcpace.Enumerator, s Solver, extra []byte) (*continuousBounds, error) {
	extra, halvings, err := readHalvings(extra)
	if err != nil {
		return nil, err
	}
	n := 1 + 2*r.Samples.Len()
	if len(extra) < 8*n {
		return nil, fmt.Errorf("%w: the bounds of %d samples have %d bytes, want %d", runs.ErrFormat, r.Samples.Len(), len(extra), 8*n)
	}
	in := &columns.Decoder{In: extra}
	var bounds []float64
	in.Floats(&bounds, n)
	for i, x := range bounds {
		if !num.Finite(x) || x < 0 && i == 0 {
			return nil, fmt.Errorf("%w: bound %d of its samples is %v", runs.ErrFormat, i, x)
		}
	}
	t, err := solveContinuousTables(context.Background(), m, s, halvings)
	if err != nil {
		return nil, err
	}
	e := newContinuousBounds(m, t, bounds[0], s.Epsilon)
	if err := e.load(r.Samples, bounds[1:]); err != nil {
		return nil, fmt.Errorf("%w: %w", runs.ErrFormat, err)
	}
	if e.byProof, err = readProofPolicy(in, m); err != nil {
		return nil, err
	}
	if len(in.In) > 0 {
		if bcpace.AbilitiesOf(m).Behind == nil {
			return nil, fmt.Errorf("%w: the bounds of %d samples have %d bytes more than they need", runs.ErrFormat, r.Samples.Len(), len(in.In))
		}
		if e.onGrid, err = readGridValues(in, e.spec, e.Latent.Axes); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// readProofPolicy takes the policy of proved bounds off what continuousBounds.Bytes has written; nil where there is none.
func readProofPolicy(in *columns.Decoder, m bcpace.Model) (*proved.GridPolicy, error) {
	const head = 8
	if len(in.In) < head {
		return nil, nil
	}
	var first []int32
	rest := *in
	if rest.Ints(&first, 2); first[0] >= 0 {
		return nil, nil
	}
	if n := int(first[1]); first[0] != -1 || n < 0 || n > len(rest.In) {
		return nil, fmt.Errorf("%w: the policy of its proved bounds begins with %d, %d before %d bytes", runs.ErrFormat, first[0], n, len(rest.In))
	}
	p, err := proved.ReadPolicy(m, rest.In[:first[1]])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", runs.ErrFormat, err)
	}
	in.In = rest.In[first[1]:]
	return p, nil
}

// readHalvings takes the number of halvings off what continuousBounds.Bytes has written.
func readHalvings(extra []byte) (rest []byte, halvings int, err error) {
	var first []float64
	if len(extra) < 8 {
		return extra, 0, nil
	}
	in := &columns.Decoder{In: extra}
	in.Floats(&first, 1)
	n := -first[0]
	if !(n > 0) {
		return extra, 0, nil
	}
	if n > mostHalvings || n != math.Trunc(n) {
		return nil, 0, fmt.Errorf("%w: the step of its grid was halved %v times, want a number from 0 to %d", runs.ErrFormat, n, mostHalvings)
	}
	return in.In, int(n), nil
}

// ResumableEpisodes implements runs.Values.
func (e *continuousBounds) ResumableEpisodes(r *runs.Run) int {
	n, _ := savedRounds(r)
	return n
}

// load adds the samples of a run with their bounds. The error is an *InputError for a
// sample that this model cannot have.
func (e *continuousBounds) load(c *runs.Samples, bounds []float64) error {
	for i := range c.Len() {
		x := c.At(i)
		if err := x.Belief.Validate(); err != nil {
			return bcpace.In("run").Bad(fmt.Sprintf("belief of sample %d", i), x.Belief, "a distribution over the latents")
		}
		n := e.newNode(x.State, x.Belief, 0)
		if e.fault != nil { // before the model is called with such a state
			return e.fault
		}
		j := e.sampleAt(n, x.Action, x.Episode)
		if e.fault != nil {
			return e.fault
		}
		t, k := e.shortfallOf[x.Action], e.item[j]
		t.raise(k, bounds[2*i])
		t.drop(k, bounds[2*i+1])
	}
	return nil
}
