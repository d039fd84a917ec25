package certified

import (
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/alpha"
	"bayescpace/bcpace/internal/knn"
)

// envelope brackets the optimal values of a Finite model from both sides.
//
// Its nodes are (state, belief) pairs. A pair (node, action) that has been
// backed up in expectation is a sample j with value Q_j; the upper bound is
//
//	U(s,b,a) = min( U0(s,b,a), min over samples j at (s,a) of Q_j + cone(b, b_j) )
//
// with U0 the fast informed bound, or what Solver.Bound says, and cone the box
// cone (see boxCone) or 0 where that is negative, so that samples above U need no
// look, or a cone of Solver.LipQ; and U(s,b) = max over a. The lower bound is the upper surface of α-vectors,
// L(s,b) = max over α at s of Σ_φ b(φ)α(φ).
//
// Upper. If U ≥ Q*, then the expected backup R + γ·Σ P(s'|s,b,a)·U(s',b') of a
// sample is at least Q*(x_j), so that it may replace a larger Q_j, and the cone
// carries the bound to every other belief. So U ≥ Q* at every moment, and it
// only falls. (The largest b·α over the box that agrees with Q_j is tighter, but may move by more than Q_j does, and
// the contraction that Verify rests on would be lost.)
//
// Lower. A vector α with action a and, for each successor s', a vector α_s' obeys
//
//	α(φ) ≤ R(s,φ,a) + γ·Σ_s' P(s'|s,φ,a)·Σ_φ' P(φ'|φ,s,a)·α_s'(φ'),
//
// with equality when it was made. Let π be the policy that takes the action of
// the best vector at (s,b). L ≤ B_π L: for the best vector α at (s,b), α·b is at
// most R(s,b,a) + γ·Σ P(s'|s,b,a)·α_s'·b', and α_s'·b' ≤ L(s',b') as every vector
// ever made is dominated by one that is still there. B_π is a monotone
// γ-contraction with fixed point V^π, so L ≤ V^π ≤ V*: the policy attains the
// lower bound at every state and belief.
type envelope struct {
	*bcpace.Transitions
	spec  bcpace.Spec
	model bcpace.Finite

	outset
	latent *bcpace.FiniteValues

	// Nodes. Those of one state share an index, whose sites are numbered in the
	// order of nodeAt.
	sites  []knn.Index
	nodeAt [][]int32
	state  []int32
	belief []float64 // nodes × latents
	top    []float64 // by node: U(s,b) when last computed; a valid bound ever after
	merged float64   // the largest distance of a belief to the node that stands for it
	strays float64   // the largest distance of a sample from where its node was, see fill
	nodeBounds

	// Samples. sample[node·actions+a] is the index of the sample there, or −1.
	sample    []int32
	samplesAt [][]int32 // by row: its samples
	node      []int32   // by sample
	rowOf     []int32   // by sample: its row (s, a)
	q         []float64 // by sample: Q_j
	trial     []int32   // by sample: the trial that made it
	kid       []edge    // where samples lead: those of j are kid[kidFrom[j]:kidFrom[j+1]]
	kidFrom   []int

	vectors
	before             envelopeBefore
	epsilon            float64
	trials             int // played so far
	scratch, successor []float64
	uniform            bcpace.Belief
}

// edge is a successor of a sample: an entry of the transitions, the node that
// stands for its belief, and its probability; node −1 ends the episode.
type edge struct {
	entry, node int32
	prob        float64
}

// vectors are the α-vectors of the lower bound. All that were ever made stay in
// the arrays, so that a vector can name those it was made from; best holds, by
// state, the ones that are not dominated, with their number as the tag.
type vectors struct {
	best   []*alpha.Set
	value  []float64 // vectors × latents
	action []int32   // by vector
	home   []int32   // by vector: its state
	// Vector v was made from choice[from[v]:from[v+1]], one vector for each
	// entry of its row that does not end the episode, −1 for one that does.
	from   []int
	choice []int32
	batch  bool // dominated vectors stay in best until Settle
}

// newEnvelope starts from the bounds that come from tables, blind has the vector
// of taking a for ever from s on.
func newEnvelope(m bcpace.Finite, t *bcpace.Transitions, latent *bcpace.FiniteValues, blind func(s, a int) []float64, o outset) *envelope {
	e := &envelope{
		Transitions: t, spec: m.Spec(), model: m, outset: o, latent: latent,
		sites: make([]knn.Index, t.States), nodeAt: make([][]int32, t.States), samplesAt: make([][]int32, t.States*t.Actions),
		kidFrom: []int{0}, scratch: make([]float64, t.Latents), successor: make([]float64, t.Latents), uniform: bcpace.Uniform(t.Latents),
	}
	e.fallen = make([][]int32, t.States*t.Actions)
	e.vectors.best = make([]*alpha.Set, t.States)
	e.vectors.from = []int{0}
	for s := range t.States {
		e.sites[s].Dim = t.Latents
		e.best[s] = alpha.NewSet(t.Latents)
	}
	// The blind vector of (s, a) is made from those of (s', a). All are numbered
	// a·states + s, before any is pruned.
	for a := range t.Actions {
		for s := range t.States {
			r := s*t.Actions + a
			for k, end := t.Entries(r); k < end; k++ {
				from := int32(-1)
				if next, done := t.Next(k); !done {
					from = int32(a*t.States + next)
				}
				e.choice = append(e.choice, from)
			}
			e.keep(s, a, blind(s, a))
		}
	}
	return e
}

// keep numbers a vector whose choices have been appended, and enters it.
func (e *envelope) keep(s, a int, v []float64) {
	id := len(e.home)
	e.value = append(e.value, v...)
	e.action = append(e.action, int32(a))
	e.home = append(e.home, int32(s))
	e.from = append(e.from, len(e.choice))
	if e.batch {
		e.best[s].Append(v, id)
	} else {
		e.best[s].Add(v, id)
	}
}

// lower returns L(s,b) and the number of the vector that attains it: NaN and the
// first one where b is not of numbers.
func (e *envelope) lower(s int, b []float64) (value float64, vector int) {
	i, v := e.best[s].Best(b)
	if i < 0 {
		return math.NaN(), 0
	}
	return v, e.best[s].Action(i)
}

// upperQ returns U(s,b,a), with the row r of (s,a).
func (e *envelope) upperQ(r int, b []float64) float64 {
	u := e.initialQ(r, b)
	for _, j := range e.samplesAt[r] {
		if v := e.q[j]; v < u {
			u = min(u, v+e.cone(r, b, e.beliefOf(e.node[j])))
		}
	}
	return u
}

// envelopeUpper returns U(s,b), and the first action that attains it.
func (e *envelope) envelopeUpper(s int, b []float64) (value float64, action int) {
	value = math.Inf(-1)
	for a := range e.Actions {
		if u := e.upperQ(s*e.Actions+a, b); u > value {
			value, action = u, a
		}
	}
	return value, action
}

// begin enters the nodes to search from: those of the model's starts, and behind
// them those of Solver.Starts. Which beliefs share a node depends on the order in
// which they come, so a search and whoever goes over it again must begin alike.
func (e *envelope) begin(starts []bcpace.Start, points []bcpace.StartPoint) (nodes []int32) {
	for _, s := range starts {
		nodes = append(nodes, e.nodeOf(e.StateIndex(s.State), s.Belief))
	}
	for _, p := range points {
		nodes = append(nodes, e.nodeOf(e.StateIndex(p.State), p.Belief))
	}
	return nodes
}

// nodeOf returns the node of (s, b) with its bounds, a new one where there is none.
func (e *envelope) nodeOf(s int, b []float64) int32 {
	n, fresh := e.place(s, b)
	if fresh {
		e.look(n)
	}
	return n
}

// place returns the node of (s, b), and whether it is a new one, which look must
// give its bounds.
func (e *envelope) place(s int, b []float64) (n int32, fresh bool) {
	site, fresh := e.sites[s].Add(b, int32(len(e.state)))
	if !fresh {
		n := e.nodeAt[s][site]
		e.merged = max(e.merged, knn.Distance(b, e.beliefOf(n)))
		return n, false
	}
	n = int32(len(e.state))
	e.nodeAt[s] = append(e.nodeAt[s], n)
	e.state = append(e.state, int32(s))
	e.belief = append(e.belief, b...)
	for range e.Actions {
		e.sample = append(e.sample, -1)
		e.high = append(e.high, math.Inf(1))
		e.heard = append(e.heard, -1)
	}
	e.top = append(e.top, math.Inf(1))
	e.low = append(e.low, math.Inf(-1))
	e.lowBy = append(e.lowBy, -1)
	e.lowSeen = append(e.lowSeen, 0)
	return n, true
}

func (e *envelope) beliefOf(n int32) []float64 {
	return e.belief[int(n)*e.Latents : (int(n)+1)*e.Latents]
}

// sampleAt returns the sample of (node, action), made where there is none. Its
// successors are then listed, without bounds where they are new, and its value is +Inf until it is backed up: were
// it what U is there already, a sample could be less than its backup, and Verify
// could not tell it from a false one.
func (e *envelope) sampleAt(n int32, a int) int32 {
	if j := e.sample[int(n)*e.Actions+a]; j >= 0 {
		return j
	}
	e.follow(n, a)
	return e.newSample(n, a)
}

// follow lists the successors of (node, action), those of the next sample.
func (e *envelope) follow(n int32, a int) {
	r := int(e.state[n])*e.Actions + a
	next := e.successor
	for k, end := e.Entries(r); k < end; k++ {
		p := e.Update(next, e.beliefOf(n), r, k, e.scratch)
		if p == 0 {
			continue
		}
		to := int32(-1)
		if s, done := e.Next(k); !done {
			to, _ = e.place(s, next)
		}
		e.kid = append(e.kid, edge{int32(k), to, p})
	}
}

// newSample makes the sample of (node, action) from the successors listed last.
func (e *envelope) newSample(n int32, a int) int32 {
	r, j := int(e.state[n])*e.Actions+a, int32(len(e.q))
	e.q = append(e.q, math.Inf(1))
	e.node = append(e.node, n)
	e.rowOf = append(e.rowOf, int32(r))
	e.trial = append(e.trial, int32(e.trials))
	e.kidFrom = append(e.kidFrom, len(e.kid))
	e.last = append(e.last, -1)
	e.sample[int(n)*e.Actions+a] = j
	e.samplesAt[r] = append(e.samplesAt[r], j)
	return j
}

// kids returns the successors of sample j.
func (e *envelope) kids(j int32) []edge { return e.kid[e.kidFrom[j]:e.kidFrom[j+1]] }

// backup returns R(s,b,a) + γ·Σ P·U of a sample.
func (e *envelope) backup(j int32) float64 {
	q := e.Expected(int(e.rowOf[j]), e.beliefOf(e.node[j]))
	for _, k := range e.kids(j) {
		if k.node >= 0 {
			q += e.Discount * k.prob * e.top[k.node]
		}
	}
	return q
}

// backupUpper lowers Q_j to its backup where that is less by more than least, and
// says whether.
func (e *envelope) backupUpper(j int32, least float64) (moved bool) {
	q := e.backup(j)
	if q >= e.q[j]-least {
		return false
	}
	e.before.q.note(j, e.q[j])
	e.q[j] = q
	r := e.rowOf[j]
	e.last[j] = int32(len(e.fallen[r]))
	e.fallen[r] = append(e.fallen[r], j)
	return true
}

// backupLower adds the α-vector of sample j, the one that is best for its
// successors, where it raises L at its node by more than least, and says whether.
func (e *envelope) backupLower(j int32, least float64) (moved bool) {
	n, r := e.node[j], int(e.rowOf[j])
	b := e.beliefOf(n)
	value := e.Expected(r, b)
	for _, k := range e.kids(j) {
		if k.node >= 0 {
			value += e.Discount * k.prob * e.lowerAt(k.node)
		}
	}
	if value <= e.lowerAt(n)+least {
		return false
	}
	v := e.scratch
	copy(v, e.Reward(r))
	kids := e.kids(j)
	for k, end := e.Entries(r); k < end; k++ {
		at := int32(-1)
		if len(kids) > 0 && int(kids[0].entry) == k {
			at, kids = kids[0].node, kids[1:]
		}
		next, done := e.Next(k)
		if done {
			e.choice = append(e.choice, -1)
			continue
		}
		// An entry that the belief rules out still counts for other beliefs. Any
		// vector serves there, such as the best at the uniform belief.
		c := 0
		if at >= 0 {
			c = int(e.lowBy[at])
		} else {
			_, c = e.lower(next, e.uniform)
		}
		e.choice = append(e.choice, int32(c))
		e.AddBackup(v, e.value[c*e.Latents:(c+1)*e.Latents], r, k)
	}
	// As computed from the vector, the value may be less by rounding.
	if bcpace.Belief(b).Dot(v) > e.low[n] {
		e.keep(int(e.state[n]), r%e.Actions, v)
		return true
	}
	e.choice = e.choice[:e.from[len(e.from)-1]]
	return false
}
