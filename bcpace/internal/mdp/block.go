package mdp

import (
	"slices"

	"bayescpace/bcpace/internal/sparse"
)

// Block has the rows of a run of states, for processes on a grid: a state is a point of the grid and one of several
// latents. A row is the product of a cell, in which all that follows lies along some axes, and of a list of what follows
// along the others. It has the entries
//
//	state latent + Base + a + b with γ·P = (weight of a)·(weight of b)
//
// for each corner a of the cell and each b of the list. So a row whose successor is certain takes a number for each
// axis, not one for each corner. What rows of one point have in common stands once.
type Block struct {
	of      []int32 // by row of the block: its number in lists
	lists   []list
	cells   []cell
	number  []float64             // the weights of lists, and the fractions of cells
	shapes  *sparse.SuccessorRows // of this block and others
	longest int                   // entries of the longest row
}

// list is what follows along some axes.
type list struct {
	base  int32 // the first state that follows, less the latent
	shape int32 // of the states that follow, less the first
	from  int32 // its weights are numbers from here on
	cell  int32
}

// cell is where all that follows lies along the other axes. Its shape has, for each axis, how far apart the corners are.
type cell struct{ shape, from int32 }

// Packer makes blocks, for one goroutine.
type Packer struct {
	block  Block
	latest []int32 // by action: the number of the list of its latest row at the point, −1 before; and that of the row before
}

// NewPacker returns that of rows of so many actions.
func NewPacker(actions int) *Packer {
	return &Packer{block: Block{shapes: sparse.NewRows()}, latest: make([]int32, actions+1)}
}

// Block returns the block, and how many bytes it takes, and begins the next one.
func (x *Packer) Block() (b Block, bytes int) {
	own := &x.block
	b = *own
	b.of, b.lists, b.cells, b.number = slices.Clone(b.of), slices.Clone(b.lists), slices.Clone(b.cells), slices.Clone(b.number)
	own.of, own.lists, own.cells, own.number = own.of[:0], own.lists[:0], own.cells[:0], own.number[:0]
	return b, 4*len(b.of) + 16*len(b.lists) + 8*len(b.cells) + 8*len(b.number)
}

// Add adds the next row: what follows, with its weights, along all axes but those of a cell of that stride and
// fraction for each. The rows of a point begin with latent 0 and action 0. Numbers stand once where they are those of the latest row of
// the action or of the row before, of the same point: what a point takes does not depend on others.
func (x *Packer) Add(latent, action int, next []int32, weight []float64, stride []int32, frac []float64) {
	b, before := &x.block, len(x.latest)-1
	if latent == 0 && action == 0 {
		for k := range x.latest {
			x.latest[k] = -1
		}
	}
	l, c := list{from: int32(len(b.number)), cell: int32(len(b.cells))}, cell{}
	if len(next) > 0 {
		l.base = next[0] - int32(latent)
	}
	l.shape, c.shape = b.shape(next, l.base+int32(latent)), b.shape(stride, 0)
	b.longest = max(b.longest, len(next)<<len(stride))
	for _, k := range [...]int32{x.latest[action], x.latest[before]} {
		if k < 0 {
			continue
		}
		old := b.lists[k]
		if at := b.cells[old.cell]; at.shape == c.shape && slices.Equal(b.number[at.from:][:len(frac)], frac) {
			l.cell = old.cell
			if old.base == l.base && old.shape == l.shape && slices.Equal(b.number[old.from:][:len(weight)], weight) {
				b.of, x.latest[action], x.latest[before] = append(b.of, k), k, k
				return
			}
		}
	}
	b.number = append(b.number, weight...)
	if int(l.cell) == len(b.cells) {
		c.from = int32(len(b.number))
		b.cells, b.number = append(b.cells, c), append(b.number, frac...)
	}
	n := int32(len(b.lists))
	b.of, b.lists, x.latest[action], x.latest[before] = append(b.of, n), append(b.lists, l), n, n
}

// shape returns the number of a list of integers, less another one.
func (b *Block) shape(list []int32, less int32) int32 {
	for _, x := range list {
		b.shapes.Add(x-less, 0)
	}
	return b.shapes.EndRow()
}

// corners are those of a cell: what they add to a state, and their weights.
type corners struct {
	of     int32 // the number of the cell
	n      int   // 0 before any
	add    [32]int32
	weight [32]float64
}

// row returns the list of a row, less the latent and base, and makes c, of the same block, the corners of its cell.
func (b *Block) row(c *corners, row int) (next []int32, weight []float64, base int32) {
	l := &b.lists[b.of[row]]
	if c.n == 0 || l.cell != c.of {
		at := b.cells[l.cell]
		c.of, c.n, c.add[0], c.weight[0] = l.cell, 1, 0, 1
		strides, _ := b.shapes.Row(at.shape)
		for k, stride := range strides {
			f := b.number[int(at.from)+k]
			for i := range c.n {
				c.add[c.n+i], c.weight[c.n+i] = c.add[i]+stride, c.weight[i]*f
				c.weight[i] *= 1 - f
			}
			c.n *= 2
		}
	}
	next, _ = b.shapes.Row(l.shape)
	return next, b.number[l.from:][:len(next)], l.base
}

// backups fills q with the backups of a state by action, with v at the states from the first to before the second, and old at others.
func (p *MDP) backups(q, v, old []float64, s, from, to int) {
	b, latent := &p.Blocks[s/p.Run], int32(s%p.Latents)
	first := s % p.Run * p.Actions
	var c corners
	for a := range q {
		next, weight, base := b.row(&c, first+a)
		sum, at := p.Reward[s*p.Actions+a], base+latent
		share := c.weight[:c.n]
		add := c.add[:len(share)]
		for k, w := range weight {
			if at := at + next[k]; from == to && len(share) == 1 { // most rows of a grid with few axes
				sum += w * old[at]
			} else {
				for i, x := range share {
					n := int(at + add[i])
					y := old[n]
					if n >= from && n < to {
						y = v[n]
					}
					sum += x * w * y
				}
			}
		}
		q[a] = sum
	}
}

// Entries returns the states that follow a row, and γ·P of each: views, or written over the lists that are given.
func (p *MDP) Entries(next []int32, weight []float64, row int) ([]int32, []float64) {
	if p.Blocks == nil {
		return p.Col[p.Row[row]:p.Row[row+1]], p.Weight[p.Row[row]:p.Row[row+1]]
	}
	s := row / p.Actions
	var c corners
	list, share, base := p.Blocks[s/p.Run].row(&c, row%(p.Run*p.Actions))
	next, weight = next[:0], weight[:0]
	for k, at := range list {
		for i, add := range c.add[:c.n] {
			next, weight = append(next, at+base+int32(s%p.Latents)+add), append(weight, c.weight[i]*share[k])
		}
	}
	return next, weight
}

// Under returns a process with the rows of a policy alone, written out over q, and nil, as it has no other one: sweeps over these are
// fast. Without blocks it returns p and the policy.
func (p *MDP) Under(q *MDP, policy []int32) (*MDP, []int32) {
	if p.Blocks == nil {
		return p, policy
	}
	*q = MDP{Actions: 1, Discount: p.Discount, Rate: p.Rate, Row: append(q.Row[:0], 0), Col: q.Col[:0], Weight: q.Weight[:0], Reward: q.Reward[:0]}
	next, weight := []int32(nil), []float64(nil)
	for s, a := range policy {
		row := s*p.Actions + int(a)
		next, weight = p.Entries(next, weight, row)
		q.Col, q.Weight = append(q.Col, next...), append(q.Weight, weight...)
		q.Row, q.Reward = append(q.Row, len(q.Col)), append(q.Reward, p.Reward[row])
	}
	return q, nil
}
