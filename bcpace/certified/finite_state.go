package certified

import (
	"context"
	"fmt"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/alpha"
	"bayescpace/bcpace/internal/columns"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/runs"
)

// recordRound starts a new snapshot, between two rounds.
func (fs *finiteSearch) recordRound() {
	e := fs.bounds
	b := &e.snapshot
	b.rounds, b.vectors, b.flags = len(fs.run.Trace), len(e.home), 0
	for i, set := range fs.flagged() {
		b.flags |= int32(num.OfBool(*set)) << i
	}
	b.q.begin(len(e.q))
	b.top.begin(len(e.state))
	b.lowBy.begin(len(e.state))
}

// Snapshot implements runs.Snapshotter. If the last round was cut short, the state is
// the one before that round.
func (fs *finiteSearch) Snapshot() (*runs.Samples, []byte) {
	if !fs.cutShort {
		fs.recordRound()
	}
	e := fs.bounds
	b := &e.snapshot
	s := finiteState{head: []int32{int32(b.rounds), fs.stopNumber(), int32(b.vectors), b.flags}, q: b.q.undone(e.q), top: b.top.undone(e.top), lowBy: b.lowBy.undone(e.lowBy)}
	out := &columns.Encoder{}
	s.columns(out, len(s.q), len(s.top))
	return e.samples(), out.Out
}

// flagged are the flags of a finiteSnapshot, of the search as it is.
func (fs *finiteSearch) flagged() []*bool {
	return []*bool{&fs.revisit, &fs.lower.judged, &fs.lower.lags}
}

// finiteState is finiteSnapshot in a run file.
type finiteState struct {
	head   []int32   // rounds, stopNumber, vectors, flags
	q, top []float64 // by sample, by node
	lowBy  []int32   // by node
}

// columns passes the numbers to io.
func (s *finiteState) columns(io columns.Columns, samples, nodes int) {
	io.Ints(&s.head, 4)
	io.Floats(&s.q, samples)
	io.Floats(&s.top, nodes)
	io.Ints(&s.lowBy, nodes)
}

// clone returns a copy of w that can grow without changing w.
func (w *vectors) clone() vectors {
	c := vectors{value: slices.Clip(w.value), action: slices.Clip(w.action), home: slices.Clip(w.home), from: slices.Clip(w.from), choice: slices.Clip(w.choice)}
	for _, set := range w.best {
		c.best = append(c.best, set.Clone())
	}
	return c
}

// restore brings x, which has no samples, to where r was after its saved rounds.
func (fs *finiteSearch) restore(ctx context.Context, r *runs.Run) error {
	e, from := fs.bounds, r.Values().(*finiteBounds)
	rounds, samples := savedRounds(r)
	var s finiteState
	if len(r.State()) >= 4*4 {
		(&columns.Decoder{In: r.State()}).Ints(&s.head, 4)
	}
	blind := e.States * e.Actions
	if len(s.head) < 4 || int(s.head[2]) < blind || int(s.head[2]) > len(from.home) {
		return fmt.Errorf("%w: its state begins with %v, want a number of vectors from %d to %d as the third entry", runs.ErrFormat, s.head, blind, len(from.home))
	}
	w := from.vectors
	if w.home = w.home[:s.head[2]]; len(w.home) == len(from.home) {
		e.vectors = from.vectors.clone()
		w.home = nil // the clone has them
	}
	if err := e.load(r.Samples, samples, w, true); err != nil {
		return fmt.Errorf("%w: %w", runs.ErrFormat, err)
	}
	if e.displacement > 0 {
		return runs.Contradicted("the belief of a sample is %v away from that of its node", e.displacement)
	}
	var want columns.Counter
	nodes := len(e.state)
	if s.columns(&want, samples, nodes); len(r.State()) != int(want) {
		return fmt.Errorf("%w: its state has %d bytes, want %d for its %d samples and their successors", runs.ErrFormat, len(r.State()), int(want), samples)
	}
	s.columns(&columns.Decoder{In: r.State()}, samples, nodes)
	for n, v := range s.lowBy {
		if v < 0 || v >= s.head[2] || e.home[v] != e.state[n] || !num.Finite(s.top[n]) {
			return fmt.Errorf("%w: node %d of its state has the bound %v and vector %d", runs.ErrFormat, n, s.top[n], v)
		}
	}
	for j, q := range s.q {
		if !num.Finite(q) {
			return fmt.Errorf("%w: sample %d of its state has the value %v", runs.ErrFormat, j, q)
		}
	}
	copy(e.q, s.q)
	e.resetNodeBounds() // those of the starts are older than the samples
	if err := e.verifyState(ctx, s.top); err != nil {
		return err
	}
	copy(e.top, s.top)
	copy(e.lowBy, s.lowBy)
	for n, v := range s.lowBy {
		e.low[n] = alpha.Dot(e.beliefOf(int32(n)), e.value[int(v)*e.Latents:][:e.Latents])
	}
	for i, set := range fs.flagged() {
		*set = s.head[3]>>i&1 > 0
	}
	lower, upper := fs.boundsAtStart()
	var err error
	if fs.run.Certificate, err = e.certificate(lower, upper); err != nil {
		return err
	}
	return fs.resumeAt(ctx, r, rounds, samples, s.head[1], upper, upper-lower)
}

// verifyState checks, as Verify does, the samples, the vectors and the upper bounds at
// the nodes from which a search will continue. It leaves the bounds of the nodes up to
// date, which the search needs anyway.
func (e *finiteBounds) verifyState(ctx context.Context, top []float64) error {
	short, err := e.verifySamples(ctx)
	if err != nil {
		return err
	}
	for n, u := range e.top {
		if top[n] < u {
			return bcpace.In("run").Bad(fmt.Sprintf("the upper bound at node %d of its state", n), top[n], fmt.Sprintf("at least what its samples support, %v", u))
		}
	}
	over, err := e.verifyVectors()
	if err == nil && max(short, over) > 0 {
		return runs.Contradicted("a value or α-vector is %v off its backup", max(short, over))
	}
	return err
}
