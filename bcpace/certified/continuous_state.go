package certified

import (
	"context"
	"fmt"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/columns"
)

// continuumBefore is for a continuum what envelopeBefore is for an envelope.
type continuumBefore struct {
	rounds              int
	lo, hi, top, bottom ledger[float64] // by sample, by node
}

// open remembers where the search is between two rounds.
func (x *surveyor) open() {
	e := x.env
	b := &e.before
	b.rounds = len(x.run.Trace)
	b.lo.open(len(e.node))
	b.hi.open(len(e.node))
	b.top.open(len(e.prob))
	b.bottom.open(len(e.prob))
}

// Snapshot implements bcpace.Snapshotter. Where the last round was cut off, the state is
// that before it.
func (x *surveyor) Snapshot() (*bcpace.Samples, []byte) {
	if !x.cut {
		x.open()
	}
	e := x.env
	b := &e.before
	lo, hi := e.shortfalls()
	s := continuumState{head: []int32{int32(b.rounds), x.ended()}, node: e.node[:b.lo.n], lo: b.lo.before(lo), hi: b.hi.before(hi),
		top: b.top.before(e.top), bottom: b.bottom.before(e.bottom)}
	out := &columns.Encoder{}
	s.samples(out, len(s.node))
	s.nodes(out, len(s.top))
	return e.samples(), out.Out
}

// shortfalls returns both bounds by sample.
func (e *continuum) shortfalls() (lo, hi []float64) {
	for j, a := range e.action {
		lo, hi = append(lo, e.by[a].lo[e.item[j]]), append(hi, e.by[a].hi[e.item[j]])
	}
	return lo, hi
}

// continuumState is continuumBefore in a run file.
type continuumState struct {
	head        []int32 // rounds, number of ends
	node        []int32 // by sample: several nodes may be at the same place
	lo, hi      []float64
	top, bottom []float64 // by node
}

// samples and nodes pass the numbers to io, one after the other.
func (s *continuumState) samples(io columns.Columns, n int) {
	io.Ints(&s.head, 2)
	io.Ints(&s.node, n)
	io.Floats(&s.lo, n)
	io.Floats(&s.hi, n)
}

func (s *continuumState) nodes(io columns.Columns, n int) {
	io.Floats(&s.top, n)
	io.Floats(&s.bottom, n)
}

// restore brings x, which has no samples, to where r was after the rounds that it
// need not play again.
func (x *surveyor) restore(ctx context.Context, r *bcpace.Run) error {
	e := x.env
	rounds, samples := restorable(r)
	var s continuumState
	var want columns.Counter
	short := func() error {
		return fmt.Errorf("%w: its state has %d bytes, and its %d samples with their successors take %d", bcpace.ErrFormat, len(r.State()), samples, int(want))
	}
	if s.samples(&want, samples); len(r.State()) < int(want) {
		return short()
	}
	in := &columns.Decoder{In: r.State()}
	s.samples(in, samples)
	for j, n := range s.node {
		c := r.Samples.At(j)
		if n < 0 || int(n) >= len(e.prob) || e.sample[int(n)*len(e.spec.Actions)+c.Action] >= 0 {
			return fmt.Errorf("%w: sample %d of its state is at node %d, which does not follow from those before it", bcpace.ErrFormat, j, n)
		}
		if state, b, _ := e.place(n); !slices.Equal(state, c.State) || !slices.Equal(b, c.Belief) {
			return bcpace.Contradicted("sample %d is at %v, %v, and the node there at %v, %v", j, c.State, c.Belief, state, b)
		}
		if !finite(s.lo[j]) || !finite(s.hi[j]) {
			return fmt.Errorf("%w: sample %d of its state has the bounds %v and %v", bcpace.ErrFormat, j, s.lo[j], s.hi[j])
		}
		e.sampleAt(n, c.Action, c.Episode)
		if e.fault != nil {
			return e.fault
		}
		t, i := e.by[c.Action], e.item[j]
		t.raise(i, s.lo[j])
		t.drop(i, s.hi[j])
	}
	if s.nodes(&want, len(e.prob)); len(r.State()) != int(want) {
		return short()
	}
	s.nodes(in, len(e.prob))
	for n, top := range s.top {
		if !finite(top) || !finite(s.bottom[n]) {
			return fmt.Errorf("%w: node %d of its state has the bounds %v and %v", bcpace.ErrFormat, n, s.bottom[n], top)
		}
	}
	top, bottom, err := e.verifySamples(ctx, r.Solver.(Solver).LipState)
	if err != nil {
		return err
	}
	for n := range s.top {
		if t := e.tolerance(); s.top[n] < top[n]-t || s.bottom[n] > bottom[n]+t {
			return bcpace.Claim(fmt.Sprintf("the bounds at node %d of its state", n), fmt.Sprintf("[%v, %v]", s.bottom[n], s.top[n]), "no more than its samples support, [%v, %v]", bottom[n], top[n])
		}
	}
	copy(e.top, s.top)
	copy(e.bottom, s.bottom)
	lower, upper, _ := x.bounds()
	return x.resumed(ctx, r, rounds, samples, s.head[1], upper, upper-lower)
}
