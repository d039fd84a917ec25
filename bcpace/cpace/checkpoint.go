package cpace

import (
	"context"
	"fmt"
	"math"

	"bayescpace/bcpace/internal/columns"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/runs"
)

// state encodes what the next rounds depend on and the samples with their values do not
// hold: the means, with the rounding errors of all updates, and what follows from them.
// Everything else follows from the order in which samples were added. The caller must
// call it between two rounds, when the queue is empty.
func (f *fixedPoint) state() []byte {
	e := &columns.Encoder{Out: []byte{}}
	if f.changes != nil {
		f.changes.columns(e)
	}
	return e.Out
}

// Snapshot implements Snapshotter.
func (f *fixedPoint) Snapshot() (*runs.Samples, []byte) { return f.est.samples, f.state() }

// skip does what solve does to anything but values, which restore brings. With an
// infinite limit no target needs a backup, and none comes to wait for one.
func (f *fixedPoint) skip(ctx context.Context) {
	if f.changes != nil {
		f.changes.solve(ctx)
	}
}

// skipping begins a series of calls of add and skip.
func (f *fixedPoint) skipping() {
	if f.changes != nil {
		p := f.changes
		p.scale, p.limit = math.Inf(1), math.Inf(1)
		for level := range p.bars {
			p.bars[level] = p.limit
		}
	}
}

// restore puts the values of samples and what state returned into a fixed point
// to which the same samples were added, with calls of skip where
// there were calls of solve.
func (f *fixedPoint) restore(q []float64, state []byte) error {
	var want columns.Counter
	if f.changes != nil {
		f.changes.columns(&want)
	}
	if len(state) != int(want) {
		return fmt.Errorf("%w: its state has %d bytes, and its samples lead to as many targets as take %d", runs.ErrFormat, len(state), int(want))
	}
	copy(f.est.samples.Q, q)
	if f.changes == nil {
		return nil
	}
	f.changes.columns(&columns.Decoder{In: state})
	for _, x := range append([]float64{f.changes.scale, f.changes.limit}, f.changes.rows...) {
		if !num.Finite(x) {
			return fmt.Errorf("%w: its state holds the value %v", runs.ErrFormat, x)
		}
	}
	return nil
}

// columns passes the numbers of all targets to io.
func (p *propagation) columns(io columns.Columns) {
	size := append([]float64{p.scale, p.limit}, p.bars[:]...)
	io.Floats(&size, len(size))
	p.scale, p.limit = size[0], size[1]
	copy(p.bars[:], size[2:])
	io.Floats(&p.rows, len(p.rows))
	moves := make([]int32, len(p.states))
	for t, s := range p.states {
		moves[t] = int32(s.moves)
	}
	io.Ints(&moves, len(moves))
	for t, m := range moves {
		p.states[t].moves = int16(m)
	}
}
