package certified

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/columns"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/runs"
)

// recordRound starts a new snapshot, between two rounds.
func (cs *continuousSearch) recordRound() {
	e := cs.bounds
	b := &e.snapshot
	b.rounds = len(cs.run.Trace)
	b.lo.begin(len(e.node))
	b.hi.begin(len(e.node))
	b.top.begin(len(e.prob))
	b.bottom.begin(len(e.prob))
}

// Snapshot implements runs.Snapshotter. If the last round was cut short, the state is
// the one before that round.
func (cs *continuousSearch) Snapshot() (*runs.Samples, []byte) {
	if !cs.cutShort {
		cs.recordRound()
	}
	e := cs.bounds
	b := &e.snapshot
	lo, hi := e.shortfallBounds()
	s := continuousState{head: []int32{int32(b.rounds), cs.stopNumber()}, node: e.node[:b.lo.n], lo: b.lo.undone(lo), hi: b.hi.undone(hi),
		top: b.top.undone(e.top), bottom: b.bottom.undone(e.bottom)}
	out := &columns.Encoder{}
	s.samples(out, len(s.node))
	s.nodes(out, len(s.top))
	return e.samples(), out.Out
}

// shortfallBounds returns both bounds of the shortfall, by sample.
func (e *continuousBounds) shortfallBounds() (lo, hi []float64) {
	for j, a := range e.action {
		lo, hi = append(lo, e.shortfallOf[a].lo[e.item[j]]), append(hi, e.shortfallOf[a].hi[e.item[j]])
	}
	return lo, hi
}

// continuousState is continuousSnapshot in a run file.
type continuousState struct {
	head        []int32 // rounds, stopNumber
	node        []int32 // by sample, as several nodes may have the same state and belief
	lo, hi      []float64
	top, bottom []float64 // by node
}

// samples and nodes pass the numbers to io; samples must come first.
func (s *continuousState) samples(io columns.Columns, n int) {
	io.Ints(&s.head, 2)
	io.Ints(&s.node, n)
	io.Floats(&s.lo, n)
	io.Floats(&s.hi, n)
}

func (s *continuousState) nodes(io columns.Columns, n int) {
	io.Floats(&s.top, n)
	io.Floats(&s.bottom, n)
}

// restore brings x, which has no samples, to where r was after its saved rounds.
func (cs *continuousSearch) restore(ctx context.Context, r *runs.Run) error {
	e := cs.bounds
	rounds, samples := savedRounds(r)
	var s continuousState
	var want columns.Counter
	short := func() error {
		return fmt.Errorf("%w: its state has %d bytes, want %d for its %d samples and their successors", runs.ErrFormat, len(r.State()), int(want), samples)
	}
	if s.samples(&want, samples); len(r.State()) < int(want) {
		return short()
	}
	in := &columns.Decoder{In: r.State()}
	s.samples(in, samples)
	for j, n := range s.node {
		c := r.Samples.At(j)
		if n < 0 || int(n) >= len(e.prob) || e.sample[int(n)*len(e.spec.Actions)+c.Action] >= 0 {
			return fmt.Errorf("%w: sample %d of its state is at node %d, want a node that earlier samples lead to, where no sample has this action", runs.ErrFormat, j, n)
		}
		if state, b, _ := e.nodeData(n); !slices.Equal(state, c.State) || !slices.Equal(b, c.Belief) {
			return runs.Contradicted("sample %d has state %v and belief %v, and its node has state %v and belief %v", j, c.State, c.Belief, state, b)
		}
		if !num.Finite(s.lo[j]) || !num.Finite(s.hi[j]) {
			return fmt.Errorf("%w: sample %d of its state has the bounds %v and %v", runs.ErrFormat, j, s.lo[j], s.hi[j])
		}
		e.sampleAt(n, c.Action, c.Episode)
		if e.fault != nil {
			return e.fault
		}
		t, i := e.shortfallOf[c.Action], e.item[j]
		t.raise(i, s.lo[j])
		t.drop(i, s.hi[j])
	}
	if s.nodes(&want, len(e.prob)); len(r.State()) != int(want) {
		return short()
	}
	s.nodes(in, len(e.prob))
	for n, top := range s.top {
		if !num.Finite(top) || !num.Finite(s.bottom[n]) {
			return fmt.Errorf("%w: node %d of its state has the bounds %v and %v", runs.ErrFormat, n, s.bottom[n], top)
		}
	}
	top, bottom, err := e.verifySamples(ctx, r.Solver.(Solver).LipState)
	if err != nil {
		return err
	}
	for n := range s.top {
		if t := e.tolerance(); s.top[n] < top[n]-t || s.bottom[n] > bottom[n]+t {
			return runs.Claim(fmt.Sprintf("the bounds at node %d of its state", n), fmt.Sprintf("[%v, %v]", s.bottom[n], s.top[n]), "no more than its samples support, [%v, %v]", bottom[n], top[n])
		}
	}
	copy(e.top, s.top)
	copy(e.bottom, s.bottom)
	for n := range rounds { // the next round looks at the last row
		cs.stall.look(r.Trace[:n])
	}
	lower, upper, _ := cs.boundsAtStart()
	return cs.resumeAt(ctx, r, rounds, samples, s.head[1], upper, upper-lower)
}

// tolerance returns the largest rounding error of a bound.
func (e *continuousBounds) tolerance() float64 { return 1e-12 * max(e.spec.VMax(), -e.spec.VMin(), 1) }

// verifySamples is Verify for the samples alone, and for L_S, which must be the one that
// the option lip gives. It returns the bounds at the nodes that the samples support. It
// does not change e, as others may use the run meanwhile.
func (e *continuousBounds) verifySamples(ctx context.Context, lip float64) (top, bottom []float64, err error) {
	if made := newContinuousBounds(e.model, e.continuousTables, lip, e.epsilon).lip; !(math.Abs(e.lip-made) <= 1e-9*made) {
		return nil, nil, runs.Claim("the Lipschitz constant L_S", e.lip, "%v, as the options give it", made)
	}
	tolerance := e.tolerance()
	bad := func(j int, what string, got, want float64) ([]float64, []float64, error) {
		return nil, nil, bcpace.In("run").Bad(fmt.Sprintf("the %s bound of the shortfall of sample %d", what, j), got, fmt.Sprintf("what its backup supports, %v", want))
	}
	top, bottom = slices.Clone(e.top), slices.Clone(e.bottom)
	point := make([]float64, len(e.point))
	for n := range e.prob {
		if n%256 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		s, b, first := e.nodeData(int32(n))
		e.metric.Embed(point, s, b)
		u, _ := e.upperAt(point, first)
		top[n], bottom[n] = min(top[n], u), e.lowerAt(point, first, bottom[n])
	}
	for j, a := range e.action {
		_, _, first := e.nodeData(e.node[j])
		t, i := e.shortfallOf[a], e.item[j]
		if want := first[a] - e.backup(int32(j), top); want < t.lo[i]-tolerance && t.lo[i] > 0 {
			return bad(j, "lower", t.lo[i], want)
		}
		if want := first[a] - e.backup(int32(j), bottom); want > t.hi[i]+tolerance {
			return bad(j, "upper", t.hi[i], want)
		}
	}
	return top, bottom, nil
}
