package certified

import (
	"context"
	"fmt"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/alpha"
	"bayescpace/bcpace/internal/columns"
)

// envelopeBefore is what an envelope was when the last round began: with that, the
// samples and the vectors that were there, the rounds that follow go as they went.
// Nodes and successors follow from the samples in their order; the rest of
// nodeBounds is what has been looked at, and is found by looking again.
type envelopeBefore struct {
	rounds, vectors int
	circles         bool
	q, top          ledger[float64]
	lowBy           ledger[int32]
}

// open remembers where the search is between two rounds.
func (x *certifier) open() {
	e := x.env
	b := &e.before
	b.rounds, b.vectors, b.circles = len(x.run.Trace), len(e.home), x.circles
	b.q.open(len(e.q))
	b.top.open(len(e.state))
	b.lowBy.open(len(e.state))
}

// Snapshot implements bcpace.Snapshotter. Where the last round was cut off, the state is
// that before it.
func (x *certifier) Snapshot() (*bcpace.Samples, []byte) {
	if !x.cut {
		x.open()
	}
	e := x.env
	b := &e.before
	s := envelopeState{head: []int32{int32(b.rounds), x.ended(), int32(b.vectors), 0}, q: b.q.before(e.q), top: b.top.before(e.top), lowBy: b.lowBy.before(e.lowBy)}
	if b.circles {
		s.head[3] = 1
	}
	out := &columns.Encoder{}
	s.columns(out, len(s.q), len(s.top))
	return e.list(), out.Out
}

// envelopeState is envelopeBefore in a run file.
type envelopeState struct {
	head   []int32   // rounds, number of ends, vectors, 1 where the next trials go in circles
	q, top []float64 // by sample, by node
	lowBy  []int32   // by node
}

// columns passes the numbers to io.
func (s *envelopeState) columns(io columns.Columns, samples, nodes int) {
	io.Ints(&s.head, 4)
	io.Floats(&s.q, samples)
	io.Floats(&s.top, nodes)
	io.Ints(&s.lowBy, nodes)
}

// clone returns a copy that may grow, and leaves w as it is.
func (w *vectors) clone() vectors {
	c := vectors{value: slices.Clip(w.value), action: slices.Clip(w.action), home: slices.Clip(w.home), from: slices.Clip(w.from), choice: slices.Clip(w.choice)}
	for _, set := range w.best {
		c.best = append(c.best, set.Clone())
	}
	return c
}

// restore brings x, which has no samples, to where r was after the rounds that it
// need not play again.
func (x *certifier) restore(ctx context.Context, r *bcpace.Run) error {
	e, from := x.env, r.Values().(*envelope)
	rounds, samples := restorable(r)
	var s envelopeState
	if len(r.State()) >= 4*4 {
		(&columns.Decoder{In: r.State()}).Ints(&s.head, 4)
	}
	blind := e.States * e.Actions
	if len(s.head) < 4 || int(s.head[2]) < blind || int(s.head[2]) > len(from.home) {
		return fmt.Errorf("%w: its state begins with %v, and the run has %d vectors, %d of them blind", bcpace.ErrFormat, s.head, len(from.home), blind)
	}
	w := from.vectors
	if w.home = w.home[:s.head[2]]; len(w.home) == len(from.home) {
		e.vectors = from.vectors.clone()
		w.home = nil // are there
	}
	if err := e.fill(r.Samples, samples, w, true); err != nil {
		return fmt.Errorf("%w: %w", bcpace.ErrFormat, err)
	}
	if e.strays > 0 {
		return bcpace.Contradicted("its samples are up to %v away from the nodes that lead to them", e.strays)
	}
	var want columns.Counter
	nodes := len(e.state)
	if s.columns(&want, samples, nodes); len(r.State()) != int(want) {
		return fmt.Errorf("%w: its state has %d bytes, and its %d samples with the nodes that follow take %d", bcpace.ErrFormat, len(r.State()), samples, int(want))
	}
	s.columns(&columns.Decoder{In: r.State()}, samples, nodes)
	for n, v := range s.lowBy {
		if v < 0 || v >= s.head[2] || e.home[v] != e.state[n] || !finite(s.top[n]) {
			return fmt.Errorf("%w: node %d of its state has the bound %v and vector %d", bcpace.ErrFormat, n, s.top[n], v)
		}
	}
	for j, q := range s.q {
		if !finite(q) {
			return fmt.Errorf("%w: sample %d of its state has the value %v", bcpace.ErrFormat, j, q)
		}
	}
	copy(e.q, s.q)
	e.forget() // the starts have bounds from before the samples
	if err := e.verifyState(ctx, s.top); err != nil {
		return err
	}
	copy(e.top, s.top)
	copy(e.lowBy, s.lowBy)
	for n, v := range s.lowBy {
		e.low[n] = alpha.Dot(e.beliefOf(int32(n)), e.value[int(v)*e.Latents:][:e.Latents])
	}
	x.circles = s.head[3] != 0
	lower, upper := x.bounds()
	var err error
	if x.run.Certificate, err = e.certificate(lower, upper); err != nil {
		return err
	}
	return x.resumed(ctx, r, rounds, samples, s.head[1], upper, upper-lower)
}

// verifyState checks that samples, vectors and the upper bounds at the nodes are what
// a search may go on from, as Verify does. It has the bounds made anew that the
// search will look at, so that most of the work is done once.
func (e *envelope) verifyState(ctx context.Context, top []float64) error {
	short, err := e.verifySamples(ctx)
	if err != nil {
		return err
	}
	for n, u := range e.top {
		if top[n] < u {
			return &bcpace.InputError{Where: "run", What: fmt.Sprintf("the upper bound at node %d of its state", n), Got: fmt.Sprint(top[n]), Want: fmt.Sprintf("at least what its samples support, %v", u)}
		}
	}
	over, err := e.verifyVectors()
	if err == nil && max(short, over) > 0 {
		return bcpace.Contradicted("a value or α-vector is %v off its backup", max(short, over))
	}
	return err
}
