package certified

import (
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/alpha"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/knn"
	"bayescpace/bcpace/internal/num"
)

// finiteBounds brackets the optimal values of a Finite model from both sides.
//
// Its nodes are (state, belief) pairs. A pair (node, action) that has been backed up in
// expectation is a sample j with value Q_j. The upper bound is
//
//	U(s,b,a) = min( U0(s,b,a), min over samples j at (s,a) of Q_j + cone(b, b_j) )
//
// with U0 the bound that Solver.Bound chooses, and U(s,b) = max over a of U(s,b,a). cone
// is dp.BoxCone, or 0 where that is negative, so that samples above U do not count;
// with Solver.LipQ it is L_Q·‖b − b_j‖₁. The lower bound is the upper surface of
// α-vectors, L(s,b) = max over α at s of Σ_φ b(φ)α(φ).
//
// Upper. If U ≥ Q*, then the expected backup R + γ·Σ P(s'|s,b,a)·U(s',b') of a sample is
// at least Q*(x_j), so that it may replace a larger Q_j, and the cone carries the bound
// to every other belief. So U ≥ Q* at every moment, and it only falls. (The largest b·α
// over the vectors α of the box with b_j·α = Q_j is a tighter bound. But it may move by
// more than Q_j does, and the proof of Verify needs a contraction.)
//
// Lower. A vector α with action a and, for each successor s', a vector α_s' obeys
//
//	α(φ) ≤ R(s,φ,a) + γ·Σ_s' P(s'|s,φ,a)·Σ_φ' P(φ'|φ,s,a)·α_s'(φ'),
//
// with equality when it was made. Let π be the policy that takes the action of the best
// vector at (s,b). Then L ≤ B_π L: for the best vector α at (s,b), α·b is at most
// R(s,b,a) + γ·Σ P(s'|s,b,a)·α_s'·b', and α_s'·b' ≤ L(s',b'), as a vector is only
// removed from best when another one dominates it. B_π is a monotone γ-contraction with
// fixed point V^π, so L ≤ V^π ≤ V*: the policy attains the lower bound at every state
// and belief.
type finiteBounds struct {
	*dp.Transitions
	spec  bcpace.Spec
	model bcpace.Finite

	initialBounds
	latent *dp.FiniteValues

	// Nodes. Those of one state share an index of beliefs; the index numbers its
	// sites in the order of nodeAt.
	sites         []knn.Index
	nodeAt        [][]int32
	state         []int32
	belief        []float64 // nodes × latents
	top           []float64 // by node: U(s,b) when last computed, which remains a valid bound
	mergeDistance float64   // the largest distance of a belief to the node that stands for it
	displacement  float64   // the largest distance by which load has moved a node
	nodeBounds

	// Samples. sample[node·actions+a] is the index of the sample there, or −1.
	sample    []int32
	samplesAt [][]int32 // by row: its samples
	node      []int32   // by sample
	rowOf     []int32   // by sample: its row (s, a)
	q         []float64 // by sample: Q_j
	trial     []int32   // by sample: the trial that made it
	edges     []edge    // the successors of sample j are edges[edgeFrom[j]:edgeFrom[j+1]]
	edgeFrom  []int

	vectors
	snapshot            finiteSnapshot
	epsilon             float64
	trials              int // the trials played so far
	scratch, nextBelief []float64
	uniform             bcpace.Belief
}

// edge is a successor of a sample: its entry in the transitions, the node that stands
// for its belief, or −1 if the episode ends there, and its probability.
type edge struct {
	entry, node int32
	prob        float64
}

// vectors are the α-vectors of the lower bound. The arrays keep every vector, so that a
// vector can name those it was made from; best holds, by state, those that no other one
// dominates, with their number as the tag.
type vectors struct {
	best   []*alpha.Set
	value  []float64 // vectors × latents
	action []int32   // by vector
	home   []int32   // by vector: its state
	// Vector v was made from choice[from[v]:from[v+1]], one vector for each
	// entry of its row that does not end the episode, −1 for one that does.
	from         []int
	choice       []int32
	deferPruning bool // addVector leaves dominated vectors in best
}

// newFiniteBounds returns the bounds without samples. blind returns the α-vector of the
// policy that takes a without end from s on.
func newFiniteBounds(m bcpace.Finite, t *dp.Transitions, latent *dp.FiniteValues, blind func(s, a int) []float64, o initialBounds) *finiteBounds {
	e := &finiteBounds{
		Transitions: t, spec: m.Spec(), model: m, initialBounds: o, latent: latent,
		sites: make([]knn.Index, t.States), nodeAt: make([][]int32, t.States), samplesAt: make([][]int32, t.States*t.Actions),
		edgeFrom: []int{0}, scratch: make([]float64, t.Latents), nextBelief: make([]float64, t.Latents), uniform: bcpace.Uniform(t.Latents),
	}
	e.lowered = make([][]int32, t.States*t.Actions)
	e.vectors.best = make([]*alpha.Set, t.States)
	e.vectors.from = []int{0}
	for s := range t.States {
		e.sites[s].Dim = t.Latents
		e.best[s] = alpha.NewSet(t.Latents)
	}
	// The blind vector of (s, a) is made from those of (s', a). All are numbered
	// a·states + s, before any is pruned.
	for a := range t.Actions {
		e.addPolicy(func(s int) (int, []float64) { return a, blind(s, a) })
	}
	return e
}

// addPolicy adds the vectors of a policy that takes an action in each state, whatever the belief
// is: those of the states that follow are behind that of the first state.
func (e *finiteBounds) addPolicy(at func(s int) (action int, vector []float64)) {
	first := len(e.home)
	for s := range e.States {
		a, v := at(s)
		e.choose(s*e.Actions+a, func(_, next int) int { return first + next })
		e.addVector(s, a, v)
	}
}

// choose appends to choice what vector returns for the entries of a row and the states that they lead to.
func (e *finiteBounds) choose(r int, vector func(entry, next int) int) {
	for k, end := e.Entries(r); k < end; k++ {
		c := -1
		if next, done := e.Next(k); !done {
			c = vector(k, next)
		}
		e.choice = append(e.choice, int32(c))
	}
}

// addVector adds the vector v of state s and action a. The caller has appended the
// vectors it was made from to choice.
func (e *finiteBounds) addVector(s, a int, v []float64) {
	id := len(e.home)
	e.value = append(e.value, v...)
	e.action = append(e.action, int32(a))
	e.home = append(e.home, int32(s))
	e.from = append(e.from, len(e.choice))
	if e.deferPruning {
		e.best[s].Append(v, id)
	} else {
		e.best[s].Add(v, id)
	}
}

// lowerValue returns L(s,b) and the number of the vector that attains it, or NaN and 0
// if b has an entry that is NaN.
func (e *finiteBounds) lowerValue(s int, b []float64) (value float64, vector int) {
	i, v := e.best[s].Best(b)
	if i < 0 {
		return math.NaN(), 0
	}
	return v, e.best[s].Action(i)
}

// upperQ returns U(s,b,a), where r is the row of (s,a).
func (e *finiteBounds) upperQ(r int, b []float64) float64 {
	u := e.initialQ(r, b)
	for _, j := range e.samplesAt[r] {
		if v := e.q[j]; v < u {
			u = min(u, v+e.cone(r, b, e.beliefOf(e.node[j])))
		}
	}
	return u
}

// upperValue returns U(s,b), and the first action that attains it.
func (e *finiteBounds) upperValue(s int, b []float64) (value float64, action int) {
	return num.Largest(e.Actions, func(a int) float64 { return e.upperQ(s*e.Actions+a, b) })
}

// nodeOf returns the node that stands for (s, b), with its bounds; it adds one if there
// is none.
func (e *finiteBounds) nodeOf(s int, b []float64) int32 {
	n, fresh := e.findOrAddNode(s, b)
	if fresh {
		e.initBounds(n)
	}
	return n
}

// findOrAddNode returns the node that stands for (s, b), and whether it is new: then the
// caller must call initBounds for it.
func (e *finiteBounds) findOrAddNode(s int, b []float64) (n int32, fresh bool) {
	site, fresh := e.sites[s].Add(b, int32(len(e.state)))
	if !fresh {
		n := e.nodeAt[s][site]
		e.mergeDistance = max(e.mergeDistance, knn.Distance(b, e.beliefOf(n)))
		return n, false
	}
	n = int32(len(e.state))
	e.nodeAt[s] = append(e.nodeAt[s], n)
	e.state = append(e.state, int32(s))
	e.belief = append(e.belief, b...)
	for range e.Actions {
		e.sample = append(e.sample, -1)
		e.high = append(e.high, math.Inf(1))
		e.lastSeen = append(e.lastSeen, -1)
	}
	e.top = append(e.top, math.Inf(1))
	e.low = append(e.low, math.Inf(-1))
	e.lowBy = append(e.lowBy, -1)
	e.lowSeen = append(e.lowSeen, 0)
	return n, true
}

func (e *finiteBounds) beliefOf(n int32) []float64 {
	return e.belief[int(n)*e.Latents : (int(n)+1)*e.Latents]
}

// sampleAt returns the sample of (node, action). If there is none, it makes one, and
// lists its successors without their bounds. The value of a new sample is +Inf until it
// is backed up: if it were U at that node, it could be less than its backup, and Verify
// could not distinguish it from a false one.
func (e *finiteBounds) sampleAt(n int32, a int) int32 {
	if j := e.sample[int(n)*e.Actions+a]; j >= 0 {
		return j
	}
	e.listSuccessors(n, a)
	return e.newSample(n, a)
}

// listSuccessors appends the successors of (node, action) to edges, for newSample.
func (e *finiteBounds) listSuccessors(n int32, a int) {
	r := int(e.state[n])*e.Actions + a
	next := e.nextBelief
	for k, end := e.Entries(r); k < end; k++ {
		p := e.Update(next, e.beliefOf(n), r, k, e.scratch)
		if p == 0 {
			continue
		}
		to := int32(-1)
		if s, done := e.Next(k); !done {
			to, _ = e.findOrAddNode(s, next)
		}
		e.edges = append(e.edges, edge{int32(k), to, p})
	}
}

// newSample adds the sample of (node, action). Its successors are the edges since the
// last sample.
func (e *finiteBounds) newSample(n int32, a int) int32 {
	r, j := int(e.state[n])*e.Actions+a, int32(len(e.q))
	e.q = append(e.q, math.Inf(1))
	e.node = append(e.node, n)
	e.rowOf = append(e.rowOf, int32(r))
	e.trial = append(e.trial, int32(e.trials))
	e.edgeFrom = append(e.edgeFrom, len(e.edges))
	e.lastLowered = append(e.lastLowered, -1)
	e.sample[int(n)*e.Actions+a] = j
	e.samplesAt[r] = append(e.samplesAt[r], j)
	return j
}

// successors returns the successors of sample j.
func (e *finiteBounds) successors(j int32) []edge { return e.edges[e.edgeFrom[j]:e.edgeFrom[j+1]] }

// backup returns R(s,b,a) + γ·Σ P·U of a sample.
func (e *finiteBounds) backup(j int32) float64 {
	q := e.Expected(int(e.rowOf[j]), e.beliefOf(e.node[j]))
	for _, k := range e.successors(j) {
		if k.node >= 0 {
			q += e.Discount * k.prob * e.top[k.node]
		}
	}
	return q
}

// backupUpper lowers Q_j to its backup if that lowers it by more than least, and reports
// whether it did.
func (e *finiteBounds) backupUpper(j int32, least float64) (moved bool) {
	q := e.backup(j)
	if q >= e.q[j]-least {
		return false
	}
	e.snapshot.q.record(j, e.q[j])
	e.q[j] = q
	r := e.rowOf[j]
	e.lastLowered[j] = int32(len(e.lowered[r]))
	e.lowered[r] = append(e.lowered[r], j)
	return true
}

// backupLower adds the α-vector that sample j makes from the best vectors of its
// successors, if that raises L at its node by more than least, and reports whether it
// did.
func (e *finiteBounds) backupLower(j int32, least float64) (moved bool) {
	n, r := e.node[j], int(e.rowOf[j])
	b := e.beliefOf(n)
	value := e.Expected(r, b)
	for _, k := range e.successors(j) {
		if k.node >= 0 {
			value += e.Discount * k.prob * e.lowerAt(k.node)
		}
	}
	if value <= e.lowerAt(n)+least {
		return false
	}
	edges := e.successors(j)
	return e.addChosen(r, b, e.low[n], func(entry, next int) int {
		for len(edges) > 0 && int(edges[0].entry) < entry {
			edges = edges[1:]
		}
		if len(edges) > 0 && int(edges[0].entry) == entry {
			return int(e.lowBy[edges[0].node])
		}
		// A successor that is impossible under this belief may be possible under
		// another. Any vector is valid for it, such as the best at the uniform belief.
		_, c := e.lowerValue(next, e.uniform)
		return c
	})
}

// addChosen adds the α-vector that row r makes from what vector returns for its successors, if it is
// worth more than low at belief b. It reports whether it has added it.
func (e *finiteBounds) addChosen(r int, b bcpace.Belief, low float64, vector func(entry, next int) int) (added bool) {
	first, v := len(e.choice), e.scratch
	e.choose(r, vector)
	copy(v, e.Reward(r))
	entry, _ := e.Entries(r)
	for k, c := range e.choice[first:] {
		if c >= 0 {
			e.AddBackup(v, e.value[int(c)*e.Latents:(int(c)+1)*e.Latents], r, entry+k)
		}
	}
	// Rounding may make the value of the vector less than the value computed before.
	if b.Dot(v) > low {
		e.addVector(r/e.Actions, r%e.Actions, v)
		return true
	}
	e.choice = e.choice[:first]
	return false
}

// finiteSnapshot is what a finiteBounds was when the last round began. With it, the
// samples and the vectors of that moment, a search plays the following rounds exactly as
// they were played. It does not hold nodes and successors, which follow from the samples
// in their order, nor the other fields of nodeBounds, which can be computed again.
type finiteSnapshot struct {
	rounds, vectors int
	flags           int32 // of the search
	q, top          undoLog[float64]
	lowBy           undoLog[int32]
}

// certificate turns computed bounds into a certificate. It widens both by the errors of
// the computation:
//
//   - A node stands for beliefs at a distance of up to δ from its own. V* differs by at
//     most ½(Vmax − Vmin)·δ between them, which costs an upper backup γ times that, and
//     the fixed point γ/(1−γ) times that. The lower bound costs nothing, as α-vectors
//     are valid at every belief.
//   - A backup of rows of k entries rounds by at most (k+3)·2⁻⁵²·Vscale, with
//     Vscale the largest magnitude of a value, and the fixed point by 1/(1−γ) times
//     that.
func (e *finiteBounds) certificate(lower, upper float64) (bcpace.Certificate, error) {
	down, up := e.margins()
	return bcpace.Certificate{Lower: lower - down, Upper: upper + up, Kind: bcpace.ExactCertificate,
		LowerBy: bcpace.ByProof, UpperBy: bcpace.ByProof, PolicyEarns: bcpace.ByProof}.Checked(e.spec.Name)
}

// margins returns by how much certificate lowers the lower and raises the upper bound.
func (e *finiteBounds) margins() (down, up float64) {
	rounding := e.rounding() / e.Rate
	merging := e.Discount / e.Rate * (e.spec.VMax() - e.spec.VMin()) / 2 * (e.mergeDistance + e.displacement)
	return rounding, rounding + merging
}

// rounding returns the largest rounding error of a backup.
func (e *finiteBounds) rounding() float64 {
	entries := max(e.Longest(), 1) * e.Latents
	return float64(entries+3) * 0x1p-52 * max(e.spec.VMax(), -e.spec.VMin())
}
