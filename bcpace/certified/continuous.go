package certified

import (
	"context"
	"math"
	"slices"
	"sync"

	"bayescpace/bcpace"
)

// continuum brackets the optimal values of an Enumerator whose states are not
// numbered, from both sides: the certified algorithm for continuous states. Its
// upper and lower bound are
//
//	U(s,b,a) = U0(s,b,a) − D⁻(s,b,a),  U(s,b) = max over a of U(s,b,a)
//	L(s,b,a) = U0(s,b,a) − D⁺(s,b,a),  L(s,b) = max(L0(s,b), max over a of L(s,b,a))
//
// with U0 = Σ_φ b(φ)·Q(s,φ,a), D⁻ and D⁺ what the samples say of the shortfall
// D = U0 − Q* (type shortfalls), and L0 the best of the fixed policies. Where Q*
// jumps with the state, at the border of a goal, so does U0, and D is smooth.
//
// The model is that of the quadrature, and Q(s,φ,a), the fixed policies and the
// range w of values come from a grid: all statements are about that model, and up
// to the error of the grid. They direct the search. What is certified of the model
// itself is simulated, and from grids whose error is estimated (Run.gridUpper).
//
// Bounds. A sample's backup gives lo_j = U0 − (R + γ·ΣP·U) and hi_j = U0 − (R +
// γ·ΣP·L), at a time when L ≤ V* ≤ U; so lo_j ≤ D(x_j) ≤ hi_j, and type shortfalls
// carries that to every other point if D has the Lipschitz constant L_S in the
// state. U only falls and L only rises.
//
// Policy. A policy that takes the action of L(s,b), the a that attains it or that of
// the fixed policy, is worth L(s,b) at least, if the shortfall of a backup of L,
// E(s,b,a) = U0 − (R + γ·ΣP·L), carries from the samples as D does:
//
//	E(s,b,a) ≤ E(x_j) + L_S·d(s,s_j) + Σ_φ max(0, b(φ) − b_j(φ))·w_j(φ).
//
// For hi_j was a backup of an earlier L, and L only rises, so that E(x_j) ≤ hi_j.
// Hence E ≤ D⁺, which is L(s,b,a) ≤ R + γ·ΣP·L. With the action of L this reads
// L ≤ B_π L, also where L0 is the largest, for the value of a fixed policy is its
// own backup and L ≥ L0 afterwards. B_π is monotone and a γ-contraction with fixed
// point V^π, so L ≤ V^π. That E carries is an assumption of its own, which holds
// where E moves no faster than D may; the certificate does without, and has the
// policy simulated. So the run's policy need not be that one: it takes the action
// whose two bounds have the largest mean, see choose. The two agree where the bounds
// are close. Elsewhere L is silent about what has not been looked at, and in the
// noisy rooms of package envs the mean earned more, by up to 0.5 % at ε = 0.5.
type continuum struct {
	*continuousTables
	model   bcpace.Enumerator
	metric  bcpace.Metric
	lip     float64 // L_S
	epsilon float64
	by      []*shortfalls // by action
	ids     [][]int32     // by action: the samples in by[action]

	// Nodes are the starts and the successors of samples that the episode goes
	// on from.
	state       []float64 // nodes × axes
	belief      []float64 // nodes × latents
	prob        []float64 // of the successor
	first       []float64 // nodes × actions: U0
	top, bottom []float64 // U(s,b) and L(s,b) when last computed; valid ever after
	sample      []int32   // nodes × actions: the sample there, or −1

	// Samples.
	node   []int32
	action []int32
	item   []int32   // its number in by[action]
	reward []float64 // R(s,b,a)
	kids   []int32   // samples+1: successors of j are the nodes kids[2j]…kids[2j+1]
	trial  []int32   // the trial that made it

	before continuumBefore

	pool  sync.Pool // of *continuousQuery
	list  *bcpace.Lister
	point []float64 // scratch
	row   []float64 // scratch: a number for each fixed policy
	fault error     // of the model
}

// openContinuum computes the first bounds of a model.
func openContinuum(ctx context.Context, m bcpace.Enumerator, s Solver) (*continuum, error) {
	t, err := solveContinuous(ctx, m)
	if err != nil {
		return nil, err
	}
	return newContinuum(m, t, s.LipState, s.Epsilon), nil
}

// newContinuum starts from the bounds that come from tables; lip is
// Solver.LipState.
func newContinuum(m bcpace.Enumerator, t *continuousTables, lip, epsilon float64) *continuum {
	e := &continuum{continuousTables: t, model: m, list: bcpace.NewLister(m), lip: lip, epsilon: epsilon}
	if e.lip == 0 {
		e.lip = t.slope()
	}
	lo, hi := bcpace.RangeOfReturns(m)
	e.lip = max(e.lip, 1e-9*(hi-lo)) // values that do not depend on the state at all
	// Values of a discrete axis are unrelated: from one to the next, a bound is
	// worth nothing.
	e.metric = bcpace.NewWeightedMetric(t.spec, func(a bcpace.Axis) float64 {
		if a.Discrete {
			return max(hi-lo, 1) / max(e.lip, math.SmallestNonzeroFloat64)
		}
		return 1 / a.MetricUnit()
	})
	for range t.spec.Actions {
		e.by = append(e.by, &shortfalls{axes: e.metric.Dim() - len(t.spec.Latents), latents: len(t.spec.Latents), lip: e.lip})
		e.ids = append(e.ids, nil)
	}
	e.point = make([]float64, e.metric.Dim())
	e.row = make([]float64, t.Policies)
	return e
}

// place returns the state, belief and values U0 of a node.
func (e *continuum) place(n int32) (s []float64, b bcpace.Belief, first []float64) {
	axes, latents, actions := len(e.spec.Axes), len(e.spec.Latents), len(e.spec.Actions)
	return e.state[int(n)*axes : (int(n)+1)*axes], e.belief[int(n)*latents : (int(n)+1)*latents], e.first[int(n)*actions : (int(n)+1)*actions]
}

// newNode appends a node with the bounds that come from the tables.
func (e *continuum) newNode(s []float64, b bcpace.Belief, p float64) int32 {
	n := int32(len(e.prob))
	e.state = append(e.state, s...)
	e.belief = append(e.belief, b...)
	e.prob = append(e.prob, p)
	for range e.spec.Actions {
		e.sample = append(e.sample, -1)
	}
	var at bcpace.GridPlace
	if !at.Locate(e.Latent.Axes, s) {
		e.fail(e.spec.Fault(nil, -1, -1, "state %v is a start or a sample, want a state within the axes of the model", s))
		at = bcpace.GridPlace{}
	}
	first := e.row[:len(e.spec.Actions)]
	e.Latent.Mean(first, &at, b)
	e.first = append(e.first, first...)
	e.top = append(e.top, slices.Max(first))
	e.bottom = append(e.bottom, e.lower(e.row, &at, b))
	return n
}

// fail keeps the first fault of the model.
func (e *continuum) fail(err error) {
	if e.fault == nil {
		e.fault = err
	}
}

// gap returns U − L at a node, from the bounds kept there.
func (e *continuum) gap(n int32) float64 { return e.top[n] - e.bottom[n] }

// refresh tightens the bounds of a node and returns the action that is best by
// the upper bound.
func (e *continuum) refresh(n int32) (action int) {
	s, b, first := e.place(n)
	e.metric.Embed(e.point, s, b)
	u, action := e.upperAt(e.point, first)
	l := e.lowerAt(e.point, first, e.bottom[n])
	if u < e.top[n] {
		e.before.top.note(n, e.top[n])
		e.top[n] = u
	}
	if l > e.bottom[n] {
		e.before.bottom.note(n, e.bottom[n])
		e.bottom[n] = l
	}
	return action
}

// upperAt returns U at an embedded point with the values first of U0, and the
// first action that attains it.
func (e *continuum) upperAt(x, first []float64) (value float64, action int) {
	value = math.Inf(-1)
	for a, u := range first {
		// An action matters where its shortfall is less than u − value. That is what
		// is compared: u − (u − value) may exceed value in the last bit.
		if limit := u - value; limit > 0 {
			if d := e.by[a].lower(x, limit); d < limit {
				value, action = u-d, a
			}
		}
	}
	return value, action
}

// lowerAt returns the largest of least and the L(s,b,a) at an embedded point.
func (e *continuum) lowerAt(x, first []float64, least float64) float64 {
	for a, u := range first {
		limit := u - least
		if d := e.by[a].upper(x, limit); d < limit {
			least = u - d
		}
	}
	return least
}

// sampleAt returns the sample of (node, action), made where there is none.
func (e *continuum) sampleAt(n int32, a, trial int) int32 {
	at := int(n)*len(e.spec.Actions) + a
	if j := e.sample[at]; j >= 0 {
		return j
	}
	j := int32(len(e.node))
	e.sample[at] = j
	e.node, e.action, e.trial = append(e.node, n), append(e.action, int32(a)), append(e.trial, int32(trial))
	e.follow(n, a)

	s, b, _ := e.place(n)
	width := make([]float64, len(b))
	reach := 0.0
	for φ := range width {
		width[φ] = max(0, e.Latent.Q(s, φ, a)-e.Worst.Q(s, φ, a))
		reach += b[φ] * width[φ]
	}
	e.metric.Embed(e.point, s, b)
	e.ids[a] = append(e.ids[a], j)
	e.item = append(e.item, e.by[a].add(e.point, width, 0, reach))
	return j
}

// massTolerance is how far the probabilities of all successors may be from 1 in sum.
const massTolerance = 1e-9

// follow lists the successors of (node, action) and its reward.
func (e *continuum) follow(n int32, a int) {
	s, b, _ := e.place(n)
	if err := e.list.List(s, a); err != nil {
		e.fail(err)
	}
	from, reward, total := int32(len(e.prob)), 0.0, 0.0
	next := make(bcpace.Belief, len(b))
	for i, done := range e.list.Successors.Done {
		to, p, r := e.list.Successors.Row(i)
		w := e.list.Update(next, b, i)
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
		e.newNode(to, next, w)
		s, b, _ = e.place(n) // the arrays may have moved
	}
	if !(math.Abs(total-1) <= massTolerance) {
		e.fail(e.spec.Fault(s, a, -1, "the probabilities of Successors sum to %v under belief %.4g, want 1", total, b))
	}
	e.reward = append(e.reward, reward)
	e.kids = append(e.kids, from, int32(len(e.prob)))
}

// successors returns the nodes from–to that follow sample j.
func (e *continuum) successors(j int32) (from, to int32) { return e.kids[2*j], e.kids[2*j+1] }

// backup returns R + γ·ΣP·v of a sample, with v of the nodes.
func (e *continuum) backup(j int32, v []float64) float64 {
	sum := 0.0
	from, to := e.successors(j)
	for k := from; k < to; k++ {
		sum += e.prob[k] * v[k]
	}
	return e.reward[j] + e.spec.Discount*sum
}

// tighten backs both bounds of a sample up and says whether either has moved.
func (e *continuum) tighten(j int32) (moved bool) {
	_, _, first := e.place(e.node[j])
	a, i := e.action[j], e.item[j]
	if lo := first[a] - e.backup(j, e.top); lo > e.by[a].lo[i] {
		e.before.lo.note(j, e.by[a].lo[i])
		e.by[a].raise(i, lo)
		moved = true
	}
	if hi := first[a] - e.backup(j, e.bottom); hi < e.by[a].hi[i] {
		e.before.hi.note(j, e.by[a].hi[i])
		e.by[a].drop(i, hi)
		moved = true
	}
	return moved
}
