package dp

import (
	"context"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/grid"
	"bayescpace/bcpace/internal/side"
)

// blockRows are the rows of a block of points.
type blockRows struct {
	latentMDP
	err error
}

// newRowFiller returns a filler of rows on the points of a grid over m.
func newRowFiller(m bcpace.Enumerator, at grid.Grid) *rowFiller {
	spec := m.Spec()
	f := &rowFiller{at: at, spec: spec, acc: make([]float64, at.Len()), seen: make([]bool, at.Len())}
	for range spec.Actions {
		f.next = append(f.next, placed{Lister: bcpace.NewLister(m)})
	}
	return f
}

// list lists the points from first to before end. Rows stand in the order (point, latent,
// action), but successors are the same for all latents, so they are listed once for each
// (point, action).
func (r *blockRows) list(ctx context.Context, f *rowFiller, first, end int) {
	spec := &f.spec
	r.Actions, r.Discount, r.latents, r.err = len(spec.Actions), spec.Discount, len(spec.Latents), nil
	r.Row, r.Col, r.Weight = append(r.Row[:0], 0), r.Col[:0], r.Weight[:0]
	r.Reward = append(r.Reward[:0], make([]float64, (end-first)*r.latents*r.Actions)...)
	f.mdp = &r.latentMDP
	s := make([]float64, len(spec.Axes))
	for g := first; g < end; g++ {
		f.at.At(s, g)
		if r.err = f.list(ctx, s); r.err != nil {
			return
		}
		for φ := range r.latents {
			if r.err = ctx.Err(); r.err != nil {
				return
			}
			for a := range r.Actions {
				f.fill(((g-first)*r.latents+φ)*r.Actions+a, a, φ)
			}
		}
	}
}

// adds appends the rows of blocks, on all processors. Where there is no room, it makes room for so many times as
// many entries. The error is the context's.
func (p *latentMDP) adds(ctx context.Context, blocks []blockRows, times float64) error {
	at, entries := make([]int, len(blocks)), len(p.Col)
	for k := range blocks {
		q := &blocks[k]
		at[k] = entries
		for _, end := range q.Row[1:] {
			p.Row = append(p.Row, entries+end)
		}
		p.Reward = append(p.Reward, q.Reward...)
		entries += len(q.Col)
	}
	before := len(p.Col)
	if room := min(cap(p.Col), cap(p.Weight)) - before; room < entries-before { // the two are rounded up apart
		more := int(times * float64(entries-before))
		p.Col, p.Weight = slices.Grow(p.Col, more), slices.Grow(p.Weight, more)
	}
	p.Col, p.Weight = p.Col[:entries], p.Weight[:entries]
	side.Each(p.Workers, len(blocks), func(_, k int) {
		if ctx.Err() == nil {
			copy(p.Col[at[k]:], blocks[k].Col)
			copy(p.Weight[at[k]:], blocks[k].Weight)
		}
	})
	return ctx.Err()
}
