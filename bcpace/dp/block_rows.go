package dp

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/mdp"
)

// blockRows are the rows of a block of points.
type blockRows struct {
	latentMDP
	packed mdp.Block // those of a grid, without Row, Col and Weight
	bytes  int       // of these
	long   int       // entries of these, where they are written out
	err    error
}

// rowSource knows what follows points, for one goroutine.
type rowSource interface {
	// goTo goes to a point.
	goTo(ctx context.Context, point int) error
	// row adds what follows the point under a latent by an action to x, and returns what is earned on the mean, and where the latent
	// goes, if it moves.
	row(x *rowLister, latent, action int) (reward float64, to []int32, share []float64, moves bool)
}

// rowLister lists the rows of points, for one goroutine. It adds up what leads to the same point.
type rowLister struct {
	pack   *mdp.Packer // of the rows of a grid; nil without one
	stride []int32     // of the cell of a row, by axis, in points
	frac   []float64
	source rowSource
	spec   bcpace.Spec
	acc    []float64 // by point: probability so far of the row
	seen   []bool    // by point: acc is in use
	used   []int32   // the points in use
}

func newRowLister(spec bcpace.Spec, points int, source rowSource, pack *mdp.Packer) *rowLister {
	return &rowLister{pack: pack, source: source, spec: spec, acc: make([]float64, points), seen: make([]bool, points)}
}

// add adds a probability to that of a point.
func (x *rowLister) add(point int32, prob float64) {
	if !x.seen[point] {
		x.seen[point] = true
		x.used = append(x.used, point)
	}
	x.acc[point] += prob
}

// list lists the points from first to before end. Rows stand in the order (point, latent, action).
func (r *blockRows) list(ctx context.Context, x *rowLister, first, end int) {
	r.Row, r.Col, r.Weight, r.Reward, r.long = append(r.Row[:0], 0), r.Col[:0], r.Weight[:0], r.Reward[:0], 0
	for g := first; g < end; g++ {
		if r.err = x.source.goTo(ctx, g); r.err != nil {
			return
		}
		for φ := range x.spec.Latents {
			if r.err = ctx.Err(); r.err != nil {
				return
			}
			for a := range x.spec.Actions {
				r.add(x, φ, a)
			}
		}
	}
	if x.pack != nil {
		r.packed, r.bytes = x.pack.Block()
	}
}

// add lists the next row, of the point that x is at.
func (r *blockRows) add(x *rowLister, latent, action int) {
	x.stride, x.frac = x.stride[:0], x.frac[:0]
	reward, moves, share, moved := x.source.row(x, latent, action)
	latents := len(x.spec.Latents)
	for _, n := range x.used {
		w, node := x.spec.Discount*x.acc[n], int(n)*latents
		x.acc[n], x.seen[n] = 0, false
		if !moved {
			r.Col, r.Weight = append(r.Col, int32(node+latent)), append(r.Weight, w)
			continue
		}
		for k, to := range moves {
			r.Col, r.Weight = append(r.Col, int32(node)+to), append(r.Weight, w*share[k])
		}
	}
	x.used, r.Reward = x.used[:0], append(r.Reward, reward)
	if x.pack == nil {
		r.Row = append(r.Row, len(r.Col))
		return
	}
	for k := range x.stride {
		x.stride[k] *= int32(latents)
	}
	r.long += len(r.Col) << len(x.stride)
	x.pack.Add(latent, action, r.Col, r.Weight, x.stride, x.frac)
	r.Col, r.Weight = r.Col[:0], r.Weight[:0]
}

// adds appends the rows of blocks.
func (p *latentMDP) adds(blocks []blockRows) {
	for k := range blocks {
		q := &blocks[k]
		p.Reward = append(p.Reward, q.Reward...)
		if q.bytes > 0 {
			p.Blocks = append(p.Blocks, q.packed)
			continue
		}
		for _, end := range q.Row[1:] {
			p.Row = append(p.Row, len(p.Col)+end)
		}
		p.Col, p.Weight = append(p.Col, q.Col...), append(p.Weight, q.Weight...)
	}
}

// latentMDP returns the latent MDPs on the states of t. The rows are listed on all processors, and are the same for
// any number of them.
func (t *Transitions) latentMDP(ctx context.Context) (*latentMDP, error) {
	p, err := newLatentMDP(ctx, t.states.model, "states", t.States, nodeBlock, t.nodeEntries(), func() *rowLister { return newRowLister(t.states.model.Spec(), t.States, &stateRows{t: t}, nil) })
	if p != nil {
		p.static = t.mover == nil
	}
	return p, err
}

// nodeBlock is how many states one goroutine takes at a time.
const nodeBlock = 256

// stateRows knows what follows a state of t.
type stateRows struct {
	t     *Transitions
	state int
}

func (s *stateRows) goTo(_ context.Context, point int) error {
	s.state = point
	return nil
}

func (s *stateRows) row(x *rowLister, latent, action int) (reward float64, to []int32, share []float64, moves bool) {
	t := s.t
	r := s.state*t.Actions + action
	for e := t.row[r]; e < t.row[r+1]; e++ {
		if prob := t.Prob(e)[latent]; prob > 0 && !t.done[e] {
			x.add(t.next[e], prob)
		}
	}
	to, share, moves = t.Moves(r, latent)
	return t.Reward(r)[latent], to, share, moves
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
