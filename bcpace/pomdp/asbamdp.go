package pomdp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"bayescpace/bcpace"
)

// DependenceError reports a POMDP that AsBAMDP cannot offer as a BAMDP: what is
// seen after a step tells how the hidden part has changed in it, beyond what it
// tells of the hidden part before.
type DependenceError struct {
	Model              string
	State, Action      string  // the step: (x, y) and a
	Next, Observation  string  // what followed: (x', y') and o
	Joint, Independent float64 // P(x',y',o|x,y,a), and P(x',o|x,y,a)·P(y'|x,y,a)
}

func (e *DependenceError) Error() string {
	return fmt.Sprintf("POMDP %q is no BAMDP: after action %q in state %s, the hidden part of %s and observation %q depend on each other "+
		"(their joint probability is %.6g, the product of theirs %.6g); a latent may only change independently of what is seen in the same step",
		e.Model, e.Action, e.State, e.Next, e.Observation, e.Joint, e.Independent)
}

// AsBAMDP offers m as a BAMDP with the hidden y for the latent. A state is what
// the agent has seen: x and, where m has more than one observation, the last one,
// 0 for none yet. Values and optimal policies are those of m; a reward is the
// mean R(s, a).
//
// That works where y' is independent of (x', o) given (x, y, a), which is what
// bcpace.LatentDynamics can express, at every state that the start can lead to:
// hidden parts that do not change, that change deterministically, or that are
// redrawn in a step that tells nothing of the outcome. Otherwise the error is a
// *DependenceError. A dependence counts however improbable it is, as a large reward
// can rest on it: each P(x',y',o|x,y,a) must be P(x',o|x,y,a)·P(y'|x,y,a) within the
// rounding of the numbers, (16+n)·2⁻⁵² of itself where n outcomes can follow, and 0
// only where that product is 0.
//
// The error is a *bcpace.InputError where m is not valid, where γ is 0, and where the table P(x',o|x,y,a) would have more than 2²⁶ entries; it
// is the context's where ctx ends before the work. It is a *bcpace.UnsupportedError where m must end and has no horizon, which a BAMDP cannot say.
func AsBAMDP(ctx context.Context, m *Model) (bcpace.Finite, error) {
	if err := m.ValidateContext(ctx); err != nil {
		return nil, err
	}
	if m.MustEnd && m.IsGoal() {
		return nil, &bcpace.UnsupportedError{Model: m.Name, Algorithm: "a BAMDP", Need: "no end that must be reached: with a horizon, or solved by sarsop as the POMDP that it is"}
	}
	b := &bamdp{pomdp: m, hidden: m.NumHidden(), actions: len(m.Actions), seen: m.seen(), row: make([]int, 1), moved: []int{0}}
	if n := float64(m.NumVisible()) * float64(b.seen); n > maxEntries {
		return nil, bcpace.In(m.where()).Bad("the number of pairs of an x and an observation", fmt.Sprintf("%.0f", n), fmt.Sprintf("at most %d", maxEntries))
	}
	if n := float64(m.NumStates()) * float64(len(m.Actions)); n > maxEntries { // each has an outcome, or more
		return nil, b.tooLarge("the table of outcomes by hidden value", n)
	}
	b.start()
	reached, err := m.reachable(ctx)
	if err != nil {
		return nil, err
	}
	possible := reached
	if slices.Contains(b.prior, 0) {
		if possible, err = m.reachable(ctx, b.startable()...); err != nil {
			return nil, err
		}
	}
	b.findEnds(possible)
	if err := b.fill(ctx, reached); err != nil {
		return nil, err
	}
	b.describe()
	if err := bcpace.Validate(b); err != nil {
		return nil, err
	}
	return b, nil
}

// seen returns how many values the axis of the last observation has in the BAMDP of m: with one observation there is none.
func (m *Model) seen() int {
	if len(m.Observations) > 1 {
		return len(m.Observations) + 1
	}
	return 1
}

// tooLarge is the error for a table that would have n entries, or more.
func (b *bamdp) tooLarge(what string, n float64) error {
	return bcpace.In(b.pomdp.where()).Bad(what, fmt.Sprintf("of %.0f entries or more", n), fmt.Sprintf("at most %d: fewer hidden values, actions or observations", maxEntries))
}

// maxEntries bounds the memory of a bamdp to half a gigabyte.
const maxEntries = 1 << 26

// bamdp is a POMDP as a BAMDP. A pair is x·actions + a.
type bamdp struct {
	pomdp                 *Model
	spec                  bcpace.Spec
	hidden, actions, seen int // seen: values of the axis of the last observation

	prior     bcpace.Belief
	startProb []float64 // x × hidden: P0(x|y)
	startSeen []int32   // x with a positive probability
	done      []bool    // by x: the episode ends on arrival
	untold    []bool    // by state: it cannot occur, and the tables do not say what follows it

	// Pair i can lead to the states next[row[i]:row[i+1]], ascending, with
	// prob[k·hidden + y] for the k-th of next.
	row  []int
	next []int32
	prob []float64

	// Latent y of pair i moves to to[moved[j]:moved[j+1]] with the weights
	// beside them, j = i·hidden + y. An empty range stays where it is.
	kind   bcpace.LatentKind
	moved  []int
	to     []int32
	weight []float64
}

var (
	_ bcpace.Finite          = (*bamdp)(nil)
	_ bcpace.SparseLatent    = (*bamdp)(nil)
	_ bcpace.StartLikelihood = (*bamdp)(nil)
)

// reachable returns by state whether the start can lead to it, or one of some more states.
func (m *Model) reachable(ctx context.Context, more ...int32) ([]bool, error) {
	reached := make([]bool, m.NumStates())
	var open []int32
	visit := func(s int32) {
		if !reached[s] {
			reached[s] = true
			open = append(open, s)
		}
	}
	for _, e := range m.Start {
		visit(e.At)
	}
	for _, s := range more {
		visit(s)
	}
	moves := m.distinct(func(a int) [2]*Matrix { return [2]*Matrix{m.Move[a]} })
	for i := 0; len(open) > 0; i++ {
		if ended(ctx, i) {
			return nil, context.Cause(ctx)
		}
		s := open[len(open)-1]
		open = open[:len(open)-1]
		for _, a := range moves {
			col, _ := m.Move[a].At(int(s))
			for _, to := range col {
				visit(to)
			}
		}
	}
	return reached, nil
}

// distinct returns the actions whose tables are those of no action before.
func (m *Model) distinct(tables func(a int) [2]*Matrix) []int {
	var list []int
	seen := make(map[[2]*Matrix]bool)
	for a := range m.Actions {
		if t := tables(a); !seen[t] {
			seen[t] = true
			list = append(list, a)
		}
	}
	return list
}

// start splits the initial belief into P0(y) and P0(x|y); where P0(y) is 0, the
// latter is P0(x).
func (b *bamdp) start() {
	b.prior = make(bcpace.Belief, b.hidden)
	b.startProb = make([]float64, b.pomdp.NumVisible()*b.hidden)
	sight := make([]float64, b.pomdp.NumVisible())
	for _, e := range b.pomdp.Start {
		b.prior[int(e.At)%b.hidden] += e.Value
		sight[int(e.At)/b.hidden] += e.Value
	}
	for _, e := range b.pomdp.Start {
		b.startProb[e.At] = e.Value / b.prior[int(e.At)%b.hidden]
	}
	for x, p := range sight {
		if p == 0 {
			continue
		}
		b.startSeen = append(b.startSeen, int32(x))
		for y := range b.hidden {
			if b.prior[y] == 0 {
				b.startProb[x*b.hidden+y] = p
			}
		}
	}
}

// startable returns the states in which an episode can begin under some prior.
func (b *bamdp) startable() (states []int32) {
	for s, p := range b.startProb {
		if p > 0 {
			states = append(states, int32(s))
		}
	}
	return states
}

// findEnds finds the x that end an episode under every y that can occur there, whatever the prior.
func (b *bamdp) findEnds(reached []bool) {
	ends := b.pomdp.Ends()
	b.done = make([]bool, b.pomdp.NumVisible())
	for x := range b.done {
		some := false
		b.done[x] = true
		for y := range b.hidden {
			if s := x*b.hidden + y; reached[s] {
				some = true
				b.done[x] = b.done[x] && ends[s]
			}
		}
		b.done[x] = b.done[x] && some
	}
}

// step is an outcome of a step: state (x', o), hidden y' and their probability.
type step struct {
	next, hidden int32
	p            float64
}

// fill writes the tables. From a state that cannot occur, and whose outcomes depend on each other, the latent stays
// as it is, so that what follows is a distribution there too; see Unstartable.
func (b *bamdp) fill(ctx context.Context, reached []bool) error {
	m := b.pomdp
	b.untold = make([]bool, m.NumStates())
	place := make([]int32, m.NumVisible()*b.seen) // by state: its place in the list of a pair, plus 1
	after := make([]float64, b.hidden)            // P(y'|x,y,a)
	var steps []step
	var ptr []int
	for pair := range m.NumVisible() * b.actions {
		x, a := pair/b.actions, pair%b.actions
		first := len(b.next)
		steps, ptr = steps[:0], append(ptr[:0], 0)
		for y := range b.hidden {
			if ended(ctx, pair+y) {
				return context.Cause(ctx)
			}
			n := b.numOutcomes(x*b.hidden+y, a)
			if len(steps)+n > maxEntries {
				return b.tooLarge(fmt.Sprintf("what follows action %q, with the hidden values before and after,", m.Actions[a]), float64(len(steps)+n))
			}
			steps = b.outcomes(slices.Grow(steps, n), x*b.hidden+y, a)
			ptr = append(ptr, len(steps))
		}
		for _, s := range steps {
			if place[s.next] == 0 {
				place[s.next] = 1
				b.next = append(b.next, s.next)
			}
		}
		slices.Sort(b.next[first:])
		for i, n := range b.next[first:] {
			place[n] = int32(i) + 1
		}
		width := len(b.next) - first
		if n := (first + width) * b.hidden; n > maxEntries {
			return b.tooLarge("the table of outcomes by hidden value", float64(n))
		}
		b.prob = append(b.prob, make([]float64, width*b.hidden)...)
		prob := b.prob[first*b.hidden:]
		for y := range b.hidden {
			if ended(ctx, pair+y) {
				return context.Cause(ctx)
			}
			list := steps[ptr[y]:ptr[y+1]]
			for _, s := range list {
				prob[int(place[s.next]-1)*b.hidden+y] += s.p
				after[s.hidden] += s.p
			}
			if e := b.dependence(list, prob, place, after, y); e == nil {
				b.addMove(list, after, y)
				if len(b.to) > maxEntries {
					return b.tooLarge("the table of what follows a hidden value", float64(len(b.to)))
				}
			} else {
				if reached[x*b.hidden+y] {
					e.Model, e.State, e.Action = m.Name, m.StateName(x*b.hidden+y), m.Actions[a]
					return e
				}
				b.untold[x*b.hidden+y] = true
			}
			b.moved = append(b.moved, len(b.to))
			for _, s := range list {
				after[s.hidden] = 0
			}
		}
		for _, n := range b.next[first:] {
			place[n] = 0
		}
		b.row = append(b.row, len(b.next))
	}
	return nil
}

// Unstartable returns the latents with which no episode begins, and from which the start states could lead to what the
// tables do not say: a prior that holds one of them possible makes another problem of the model than of the POMDP.
func (b *bamdp) Unstartable() (latents []int) {
	leads := slices.Clone(b.untold) // by state
	for more := slices.Contains(leads, true); more; {
		more = false
		for s := range leads {
			if leads[s] {
				continue
			}
			for _, move := range b.pomdp.Move {
				col, _ := move.At(s)
				leads[s] = leads[s] || slices.ContainsFunc(col, func(to int32) bool { return leads[to] })
			}
			more = more || leads[s]
		}
	}
	for y, p := range b.prior {
		if p == 0 && slices.ContainsFunc(b.startSeen, func(x int32) bool { return leads[int(x)*b.hidden+y] }) {
			latents = append(latents, y)
		}
	}
	return latents
}

// numOutcomes returns how many outcomes are listed for (s, a).
func (b *bamdp) numOutcomes(s, a int) int {
	col, _ := b.pomdp.Move[a].At(s)
	if b.seen == 1 {
		return len(col)
	}
	n, sense := 0, b.pomdp.Sense[a].Row
	for _, to := range col {
		n += sense[to+1] - sense[to]
	}
	return n
}

// outcomes appends what can follow (s, a).
func (b *bamdp) outcomes(list []step, s, a int) []step {
	m := b.pomdp
	col, value := m.Move[a].At(s)
	for i, to := range col {
		x := int(to) / b.hidden
		obs, sense := m.Sense[a].At(int(to))
		if b.seen == 1 {
			obs, sense = obs[:1], sense[:1]
		}
		for k, o := range obs {
			if p := value[i] * sense[k]; p > 0 { // not 0 by underflow
				list = append(list, step{next: int32(b.number(x, int(o))), hidden: to % int32(b.hidden), p: p})
			}
		}
	}
	return list
}

// number returns the number of the state in which x and then o were seen.
func (b *bamdp) number(x, obs int) int {
	if b.seen == 1 {
		return x
	}
	return x*b.seen + obs + 1
}

// dependence returns where the outcomes of (x, y, a) are not a product of P(x',o)
// and P(y'), or nil. A pair of y' and (x', o) stands in the list at most once, with
// a positive probability. The sums of the list are in prob and after.
func (b *bamdp) dependence(list []step, prob []float64, place []int32, after []float64, y int) *DependenceError {
	if !slices.ContainsFunc(list, func(s step) bool { return s.hidden != list[0].hidden }) {
		return nil // y' is certain
	}
	total := 0.0
	for _, s := range list {
		total += s.p
	}
	product := func(next, hidden int32) float64 { return prob[int(place[next]-1)*b.hidden+y] / total * after[hidden] }
	fault := func(next, hidden int32, joint float64) *DependenceError {
		e := &DependenceError{Next: b.pomdp.StateName(int(next)/b.seen*b.hidden + int(hidden)), Observation: b.pomdp.Observations[0],
			Joint: joint, Independent: product(next, hidden)}
		if b.seen > 1 {
			e.Observation = b.pomdp.Observations[int(next)%b.seen-1]
		}
		return e
	}
	rounding := (16 + float64(len(list))) * 0x1p-52
	beside := make(map[int32]int) // by (x', o): how many y' stand beside it
	hidden := make(map[int32]bool)
	for _, s := range list {
		if p := product(s.next, s.hidden); !(math.Abs(s.p-p) <= rounding*s.p) {
			return fault(s.next, s.hidden, s.p)
		}
		beside[s.next]++
		hidden[s.hidden] = true
	}
	for _, s := range list {
		if beside[s.next] == len(hidden) {
			continue
		}
		for _, other := range list {
			if other.next == s.next {
				delete(hidden, other.hidden)
			}
		}
		for _, other := range list {
			if hidden[other.hidden] { // this y' and (x', o) exclude each other
				return fault(s.next, other.hidden, 0)
			}
		}
	}
	return nil
}

// addMove appends where latent y moves, nothing where it stays. The list holds all
// the hidden values with a positive probability after the step.
func (b *bamdp) addMove(list []step, after []float64, y int) {
	if !slices.ContainsFunc(list, func(s step) bool { return int(s.hidden) != y }) {
		return
	}
	first := len(b.to)
	for _, s := range list {
		b.to = append(b.to, s.hidden)
	}
	slices.Sort(b.to[first:])
	b.to = b.to[:first+len(slices.Compact(b.to[first:]))]
	total := 0.0
	for _, to := range b.to[first:] {
		total += after[to]
	}
	for _, to := range b.to[first:] {
		b.weight = append(b.weight, after[to]/total)
	}
	if len(b.to)-first > 1 {
		b.kind = bcpace.Redrawn
	} else {
		b.kind = max(b.kind, bcpace.Deterministic)
	}
}

// describe makes the spec.
func (b *bamdp) describe() {
	m := b.pomdp
	s := bcpace.Spec{Name: cmp.Or(m.Name, "pomdp"), Discount: m.Discount, Horizon: m.Horizon, Goal: m.IsGoal(), Actions: bcpace.Actions(m.Actions...), Latents: make([]string, b.hidden)}
	for y := range s.Latents {
		s.Latents[y] = strings.Join(ValueNames(m.Hidden, y), ",")
	}
	last := Variable{Name: "observation", Values: m.Observations}
	if b.seen > 1 {
		last.Values = append([]string{"nothing yet"}, m.Observations...)
	}
	if s.Axes = axesOf(m.Visible); b.seen > 1 || len(m.Visible) == 0 {
		s.Axes = append(s.Axes, axesOf([]Variable{last})...)
		s.Axes[len(m.Visible)].Scale = math.Inf(1)
	}
	s.RewardMin, s.RewardMax = math.Inf(1), math.Inf(-1)
	for _, list := range m.Reward {
		for _, r := range list {
			s.RewardMin, s.RewardMax = min(s.RewardMin, r), max(s.RewardMax, r)
		}
	}
	b.spec = s
}

// Spec implements bcpace.Model.
func (b *bamdp) Spec() bcpace.Spec { return b.spec }

// Prior implements bcpace.Model.
func (b *bamdp) Prior(p bcpace.Belief) { copy(p, b.prior) }

// Start implements bcpace.Model.
func (b *bamdp) Start(s []float64, latent int, rng *rand.Rand) {
	p := make(bcpace.Belief, len(b.startSeen))
	for i, x := range b.startSeen {
		p[i] = b.startProb[int(x)*b.hidden+latent]
	}
	b.StateAt(s, int(b.startSeen[p.Sample(rng)])*b.seen)
}

// StartLogLikelihood implements bcpace.StartLikelihood.
func (b *bamdp) StartLogLikelihood(s []float64, latent int) float64 {
	return math.Log(b.startProb[b.StateIndex(s)/b.seen*b.hidden+latent])
}

// Step implements bcpace.Model.
func (b *bamdp) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	m, from := b.pomdp, b.StateIndex(s)/b.seen*b.hidden+latent
	to := m.Move[action].draw(from, rng)
	obs := 0
	if b.seen > 1 {
		obs = m.Sense[action].draw(to, rng)
	}
	x := to / b.hidden
	b.StateAt(next, b.number(x, obs))
	return bcpace.Outcome{Reward: m.Reward[action][from], Done: b.done[x]}
}

// draw returns a column of row i with its probability.
func (m *Matrix) draw(i int, rng *rand.Rand) int {
	col, value := m.At(i)
	return int(col[bcpace.Belief(value).Sample(rng)])
}

// LogLikelihood implements bcpace.Model.
func (b *bamdp) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	pair := b.StateIndex(s)/b.seen*b.actions + action
	lo, hi := b.row[pair], b.row[pair+1]
	k, ok := slices.BinarySearch(b.next[lo:hi], int32(b.StateIndex(next)))
	if !ok {
		return math.Inf(-1)
	}
	return math.Log(b.prob[(lo+k)*b.hidden+latent])
}

// ShowsEnds is that of bcpace.Abilities: where an episode ends is visible.
func (b *bamdp) ShowsEnds() bool { return true }

// Starts implements bcpace.Enumerator.
func (b *bamdp) Starts(z *bcpace.Successors) {
	for _, x := range b.startSeen {
		s, p, _ := z.Add(false)
		b.StateAt(s, int(x)*b.seen)
		copy(p, b.startProb[int(x)*b.hidden:int(x+1)*b.hidden])
	}
}

// Successors implements bcpace.Enumerator.
func (b *bamdp) Successors(z *bcpace.Successors, s []float64, action int) {
	x := b.StateIndex(s) / b.seen
	pair := x*b.actions + action
	rewards := b.pomdp.Reward[action][x*b.hidden : (x+1)*b.hidden]
	for k := b.row[pair]; k < b.row[pair+1]; k++ {
		to, p, r := z.Add(b.done[int(b.next[k])/b.seen])
		b.StateAt(to, int(b.next[k]))
		copy(p, b.prob[k*b.hidden:(k+1)*b.hidden])
		copy(r, rewards)
	}
}

// NumStates implements bcpace.Finite.
func (b *bamdp) NumStates() int { return b.pomdp.NumVisible() * b.seen }

// StateAt implements bcpace.Finite.
func (b *bamdp) StateAt(s []float64, number int) {
	if own := len(b.pomdp.Visible); len(b.spec.Axes) > own {
		s[own] = float64(number % b.seen)
	}
	fill(b.pomdp.Visible, s, number/b.seen)
}

// StateIndex implements bcpace.Finite.
func (b *bamdp) StateIndex(s []float64) int {
	number := 0
	for i, a := range b.spec.Axes {
		v := s[i]
		if !(v >= 0 && v <= a.Max) || v != math.Trunc(v) {
			return -1
		}
		number = number*(int(a.Max)+1) + int(v)
	}
	return number
}

// LatentKind implements bcpace.LatentDynamics.
func (b *bamdp) LatentKind() bcpace.LatentKind { return b.kind }

// LatentTransition implements bcpace.LatentDynamics.
func (b *bamdp) LatentTransition(p []float64, s []float64, action, latent int) bool {
	lo, hi := b.movesOf(s, action, latent)
	if lo == hi {
		return false
	}
	clear(p)
	for k := lo; k < hi; k++ {
		p[b.to[k]] = b.weight[k]
	}
	return true
}

// LatentMoves implements bcpace.SparseLatent.
func (b *bamdp) LatentMoves(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
	lo, hi := b.movesOf(s, action, latent)
	if lo == hi {
		return append(to, int32(latent)), append(share, 1)
	}
	return append(to, b.to[lo:hi]...), append(share, b.weight[lo:hi]...)
}

// movesOf returns where b.to and b.weight have the moves of a latent.
func (b *bamdp) movesOf(s []float64, action, latent int) (lo, hi int) {
	j := (b.StateIndex(s)/b.seen*b.actions+action)*b.hidden + latent
	return b.moved[j], b.moved[j+1]
}
