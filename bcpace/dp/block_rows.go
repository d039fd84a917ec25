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

// latentMDP returns the latent MDPs on the states of t. The rows are listed on all processors, and are the same for
// any number of them.
func (t *Transitions) latentMDP(ctx context.Context) (*latentMDP, error) {
	gather := make([]gatherer, workersOf(ctx))
	for i := range gather {
		gather[i].acc = make([]float64, t.States)
	}
	list := func(q *blockRows, worker, first, end int) { q.gather(ctx, t, &gather[worker], first, end) }
	p, err := newLatentMDP(ctx, t.states.model, "states", t.States, nodeBlock, t.nodeEntries(), list)
	if p != nil {
		p.static = t.mover == nil
	}
	return p, err
}

// nodeBlock is how many states one goroutine takes at a time.
const nodeBlock = 256

// gatherer adds up what leads to the same state.
type gatherer struct {
	acc  []float64 // by state: the probability so far
	used []int32   // the states of acc that are not 0
}

// gather makes the rows of the states from first to before end. Where ctx ends, it stops.
func (q *blockRows) gather(ctx context.Context, t *Transitions, x *gatherer, first, end int) {
	q.Row, q.Col, q.Weight, q.Reward = append(q.Row[:0], 0), q.Col[:0], q.Weight[:0], q.Reward[:0]
	for g := first; g < end && ctx.Err() == nil; g++ {
		for latent := range t.Latents {
			for a := range t.Actions {
				r := g*t.Actions + a
				for e := t.row[r]; e < t.row[r+1]; e++ {
					if prob := t.Prob(e)[latent]; prob > 0 && !t.done[e] {
						n := t.next[e]
						if x.acc[n] == 0 {
							x.used = append(x.used, n)
						}
						x.acc[n] += prob
					}
				}
				moves, share, moved := t.Moves(r, latent)
				for _, n := range x.used {
					w, node := t.Discount*x.acc[n], int(n)*t.Latents
					x.acc[n] = 0
					if !moved {
						q.Col, q.Weight = append(q.Col, int32(node+latent)), append(q.Weight, w)
						continue
					}
					for k, to := range moves {
						q.Col, q.Weight = append(q.Col, int32(node)+to), append(q.Weight, w*share[k])
					}
				}
				x.used = x.used[:0]
				q.Reward = append(q.Reward, t.Reward(r)[latent])
				q.Row = append(q.Row, len(q.Col))
			}
		}
	}
}

// nodeEntries returns how many entries the rows of the latent MDPs have at most.
func (t *Transitions) nodeEntries() (entries int) {
	for r := range t.States * t.Actions {
		for e := t.row[r]; e < t.row[r+1]; e++ {
			for φ, p := range t.Prob(e) {
				switch {
				case p == 0 || t.done[e]:
				case t.movesLatent(r):
					to, _ := t.movesOf(r, φ)
					entries += len(to)
				default:
					entries++
				}
			}
		}
	}
	return entries
}
