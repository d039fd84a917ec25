package certified

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/metric"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/solverkit"
)

// continuousBounds brackets from both sides the optimal values of an Enumerator whose
// states are not numbered. Its upper and lower bound are
//
//	U(s,b,a) = U0(s,b,a) − D⁻(s,b,a),  U(s,b) = max over a of U(s,b,a)
//	L(s,b,a) = U0(s,b,a) − D⁺(s,b,a),  L(s,b) = max(L0(s,b), max over a of L(s,b,a))
//
// with U0 = Σ_φ b(φ)·Q(s,φ,a), D⁻ and D⁺ the bounds of the shortfall D = U0 − Q* that
// the samples support (type shortfalls), and L0 the value of the best fixed policy.
// Where Q* jumps with the state, at the border of a goal, so does U0, and D is smooth.
//
// All statements here are about the model with the successors that it lists, and hold up
// to the error of the grid from which Q(s,φ,a), the fixed policies and the range w of
// values come. They direct the search. The certificate of the model itself comes from
// simulated episodes, and from grids whose error is estimated (gridUpper).
//
// Bounds. A sample's backup gives lo_j = U0 − (R + γ·ΣP·U) and hi_j = U0 − (R +
// γ·ΣP·L), at a time when L ≤ V* ≤ U. So lo_j ≤ D(x_j) ≤ hi_j, and type shortfalls
// carries that to every other point if D has the Lipschitz constant L_S in the
// state. U only falls and L only rises.
//
// Policy. Let π take the action of L(s,b): the a that attains it, or the action of the
// fixed policy that does. Then π is worth at least L(s,b), if the shortfall of a backup
// of L, E(s,b,a) = U0 − (R + γ·ΣP·L), carries from the samples as D does:
//
//	E(s,b,a) ≤ E(x_j) + L_S·d(s,s_j) + Σ_φ max(0, b(φ) − b_j(φ))·w_j(φ).
//
// For hi_j was a backup of an earlier L, and L only rises, so E(x_j) ≤ hi_j. Hence
// E ≤ D⁺, or L(s,b,a) ≤ R + γ·ΣP·L. With the action of L this reads L ≤ B_π L. It also
// holds where L0 is the largest, as the value of a fixed policy is its own backup and
// L ≥ L0 at the successors. B_π is monotone and a γ-contraction with fixed point V^π, so
// L ≤ V^π. That E carries is an assumption of its own, which holds if E changes no
// faster than D may.
//
// The certificate does not need this, as it simulates the policy of the run. That policy
// is another one: it takes the action whose two bounds have the largest mean, see
// choose. The two agree where the bounds are close. Elsewhere L does not show what the
// samples have not reached, and in the noisy rooms of package envs the mean earned more,
// by up to 0.5 % at ε = 0.5.
type continuousBounds struct {
	*continuousTables
	model       bcpace.Enumerator
	metric      metric.Metric
	lip         float64 // L_S
	epsilon     float64
	proof       *proof        // of the certificate's upper bound
	shortfallOf []*shortfalls // by action
	samplesOf   [][]int32     // by action: the samples in shortfallOf[action]

	// Nodes are the starts, and the successors of samples that do not end the episode.
	state       []float64 // nodes × axes
	belief      []float64 // nodes × latents
	prob        []float64 // of the successor, or the weight of the start
	first       []float64 // nodes × actions: U0
	top, bottom []float64 // U(s,b) and L(s,b) when last computed, which remain valid bounds
	sample      []int32   // nodes × actions: the sample there, or −1

	// Samples.
	node           []int32
	action         []int32
	item           []int32   // its number in shortfallOf[action]
	reward         []float64 // R(s,b,a)
	successorRange []int32   // 2 × samples: the successors of j are the nodes from successorRange[2j] to successorRange[2j+1]−1
	trial          []int32   // the trial that made it

	snapshot continuousSnapshot
	onGrid   *gridValues        // of another policy than that of the bounds, nil without one
	byProof  *proved.GridPolicy // likewise

	pool   sync.Pool // of *continuousQuery
	lister *bcpace.Lister
	point  []float64 // scratch
	other  []float64 // scratch
	row    []float64 // scratch: a number for each fixed policy
	fault  error     // of the model
}

// newContinuousBounds returns the bounds without samples, from tables; lip is
// Solver.LipState.
func newContinuousBounds(m bcpace.Enumerator, t *continuousTables, lip, epsilon float64) *continuousBounds {
	e := &continuousBounds{continuousTables: t, model: m, lister: bcpace.NewLister(t.list), lip: lip, epsilon: epsilon, proof: newProof()}
	if e.lip == 0 {
		e.lip = t.slope()
	}
	lo, hi := solverkit.RangeOfReturns(m)
	e.lip = max(e.lip, 1e-9*(hi-lo)) // if values do not depend on the state at all
	// Values at two places of a discrete axis are unrelated, so their distance is large
	// enough to make every bound that is carried from one to the other trivial.
	e.metric = metric.NewWeighted(t.spec, func(a bcpace.Axis) float64 {
		if a.Discrete {
			return max(hi-lo, 1) / max(e.lip, math.SmallestNonzeroFloat64)
		}
		return 1 / a.MetricUnit()
	})
	for range t.spec.Actions {
		e.shortfallOf = append(e.shortfallOf, &shortfalls{axes: e.metric.Dim() - len(t.spec.Latents), latents: len(t.spec.Latents), periods: e.metric.Periods(), lip: e.lip})
		e.samplesOf = append(e.samplesOf, nil)
	}
	e.point, e.other = make([]float64, e.metric.Dim()), make([]float64, e.metric.Dim())
	e.row = make([]float64, t.Policies)
	e.pool.New = func() any { return e.newQuery() }
	return e
}

// nodeData returns the state, belief and values U0 of a node.
func (e *continuousBounds) nodeData(n int32) (s []float64, b bcpace.Belief, first []float64) {
	axes, latents, actions := len(e.spec.Axes), len(e.spec.Latents), len(e.spec.Actions)
	return e.state[int(n)*axes : (int(n)+1)*axes], e.belief[int(n)*latents : (int(n)+1)*latents], e.first[int(n)*actions : (int(n)+1)*actions]
}

// newNode adds a node with the bounds that come from the tables.
func (e *continuousBounds) newNode(s []float64, b bcpace.Belief, p float64) int32 {
	n := int32(len(e.prob))
	e.state = append(e.state, s...)
	e.belief = append(e.belief, b...)
	e.prob = append(e.prob, p)
	for range e.spec.Actions {
		e.sample = append(e.sample, -1)
	}
	var at dp.GridPlace
	if !at.Locate(e.Latent.Axes, s) {
		e.fail(e.spec.Fault(nil, -1, -1, "the state %v of a start or a sample is outside of the model's axes", s))
		at = dp.GridPlace{}
	}
	first := e.row[:len(e.spec.Actions)]
	e.initial(first, &at, s, b)
	for a, u := range first {
		if !num.Finite(u) {
			e.fail(bcpace.In(fmt.Sprintf("latent values at state %v under action %q", s, e.spec.Actions[a].Name)).Bad("their mean over the belief", u, "a number"))
		}
	}
	e.first = append(e.first, first...)
	top := slices.Max(first)
	e.top = append(e.top, top)
	least := e.bestFixed(e.row, &at, b)
	if e.given != nil { // the values of the grid may err by more
		least = min(least, top)
	}
	e.bottom = append(e.bottom, least)
	return n
}

// fail records the first fault of the model.
func (e *continuousBounds) fail(err error) {
	if e.fault == nil {
		e.fault = err
	}
}

// gap returns U − L at a node, from the bounds kept there.
func (e *continuousBounds) gap(n int32) float64 { return e.top[n] - e.bottom[n] }

// refresh tightens the bounds kept at a node, and returns the action with the largest
// upper bound.
func (e *continuousBounds) refresh(n int32) (action int) {
	s, b, first := e.nodeData(n)
	e.metric.Embed(e.point, s, b)
	u, action := e.upperAt(e.point, first)
	l := e.lowerAt(e.point, first, e.bottom[n])
	if u < e.top[n] {
		e.snapshot.top.record(n, e.top[n])
		e.top[n] = u
	}
	if l > e.bottom[n] {
		e.snapshot.bottom.record(n, e.bottom[n])
		e.bottom[n] = l
	}
	return action
}

// upperAt returns U at an embedded point, and the first action that attains it. first
// has U0 at that point, by action.
func (e *continuousBounds) upperAt(x, first []float64) (value float64, action int) {
	value = math.Inf(-1)
	for a, u := range first {
		// An action matters if its shortfall d is less than u − value. Do not compare
		// u − d to value instead: they may differ in the last bit.
		if limit := u - value; limit > 0 {
			if d := e.shortfallOf[a].lower(x, limit); d < limit {
				value, action = u-d, a
			}
		}
	}
	return value, action
}

// lowerAt returns the largest of least and of all L(s,b,a) at an embedded point. first
// has U0 at that point, by action.
func (e *continuousBounds) lowerAt(x, first []float64, least float64) float64 {
	for a, u := range first {
		limit := u - least
		if d := e.shortfallOf[a].upper(x, limit); d < limit {
			least = u - d
		}
	}
	return least
}

// sampleAt returns the sample of (node, action), and makes it if there is none; −1 if the
// model is at fault there.
func (e *continuousBounds) sampleAt(n int32, a, trial int) int32 {
	at := int(n)*len(e.spec.Actions) + a
	if j := e.sample[at]; j >= 0 {
		return j
	}
	j := int32(len(e.node))
	if e.listSuccessors(n, a); e.fault != nil {
		return -1
	}
	e.sample[at] = j
	e.node, e.action, e.trial = append(e.node, n), append(e.action, int32(a)), append(e.trial, int32(trial))

	s, b, _ := e.nodeData(n)
	width, latent := make([]float64, len(b)), e.LatentValues()
	reach := 0.0
	for φ := range width {
		width[φ] = max(0, latent.Q(s, φ, a)-e.Worst.Q(s, φ, a))
		reach += b[φ] * width[φ]
	}
	e.metric.Embed(e.point, s, b)
	e.samplesOf[a] = append(e.samplesOf[a], j)
	e.item = append(e.item, e.shortfallOf[a].add(e.point, width, 0, reach))
	return j
}

// massTolerance is how far the sum of the probabilities of all successors may be from 1.
const massTolerance = 1e-9

// listSuccessors adds the successors of (node, action), as nodes, and its reward.
func (e *continuousBounds) listSuccessors(n int32, a int) {
	s, b, _ := e.nodeData(n)
	if err := e.lister.List(s, a); err != nil {
		e.fail(err)
		return
	}
	from, reward, total := int32(len(e.prob)), 0.0, 0.0
	next := make(bcpace.Belief, len(b))
	for i, done := range e.lister.Successors.Done {
		to, p, r := e.lister.Successors.Row(i)
		w := e.lister.Update(next, b, i)
		if w == 0 {
			continue
		}
		total += w
		for φ := range p {
			reward += b[φ] * p[φ] * r[φ]
		}
		if done {
			continue
		}
		if k := e.sameNode(from, to, next); k >= 0 {
			e.prob[k] += w
			continue
		}
		e.newNode(to, next, w)
		s, b, _ = e.nodeData(n) // the arrays may have moved
	}
	if !(math.Abs(total-1) <= massTolerance) {
		e.fail(e.spec.Fault(s, a, -1, "the probabilities of its successors sum to %v under belief %.4g, want 1", total, b))
		return
	}
	e.reward = append(e.reward, reward)
	e.successorRange = append(e.successorRange, from, int32(len(e.prob)))
}

// sameNode returns a node, not before the first one, whose belief is the given one and
// whose state differs only on axes that are left out, or −1. It looks where there are such
// axes alone.
func (e *continuousBounds) sameNode(first int32, s []float64, b bcpace.Belief) int32 {
	if e.metric.Dim() == len(s)+len(b) {
		return -1
	}
	e.metric.Embed(e.point, s, b)
	for k := first; int(k) < len(e.prob); k++ {
		at, belief, _ := e.nodeData(k)
		e.metric.Embed(e.other, at, belief)
		if slices.EqualFunc(e.point, e.other, func(x, y float64) bool { return math.Abs(x-y) <= sameBelief }) {
			return k
		}
	}
	return -1
}

// sameBelief is how far apart, by rounding, two probabilities of a belief may be that are
// the same.
const sameBelief = 1e-12

// successors returns the range of nodes, from up to but not including to, that follow
// sample j.
func (e *continuousBounds) successors(j int32) (from, to int32) {
	return e.successorRange[2*j], e.successorRange[2*j+1]
}

// backup returns R + γ·ΣP·v of sample j, where v has a value for each node.
func (e *continuousBounds) backup(j int32, v []float64) float64 {
	sum := 0.0
	from, to := e.successors(j)
	for k := from; k < to; k++ {
		sum += e.prob[k] * v[k]
	}
	return e.reward[j] + e.spec.Discount*sum
}

// tighten backs up both bounds of a sample, and reports whether either moved.
func (e *continuousBounds) tighten(j int32) (moved bool) {
	_, _, first := e.nodeData(e.node[j])
	a, i := e.action[j], e.item[j]
	if lo := first[a] - e.backup(j, e.top); lo > e.shortfallOf[a].lo[i] {
		e.snapshot.lo.record(j, e.shortfallOf[a].lo[i])
		e.shortfallOf[a].raise(i, lo)
		moved = true
	}
	if hi := first[a] - e.backup(j, e.bottom); hi < e.shortfallOf[a].hi[i] {
		e.snapshot.hi.record(j, e.shortfallOf[a].hi[i])
		e.shortfallOf[a].drop(i, hi)
		moved = true
	}
	return moved
}

// continuousSnapshot is for a continuousBounds what finiteSnapshot is for a
// finiteBounds.
type continuousSnapshot struct {
	rounds              int
	lo, hi, top, bottom undoLog[float64] // by sample, by node
}
