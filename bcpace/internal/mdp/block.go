package mdp

import (
	"math"
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
	Of     []int32 // by row of the block: its number in lists
	lists  []list
	cells  []cell
	number []float64   // the weights of lists, and the fractions of cells
	shapes *shapeTable // of this block and others
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

// A shapeTable has short lists of integers. No two are the same.
type shapeTable struct {
	index sparse.HashIndex
	all   [][]int32
}

// number returns the number of a shape, of which it keeps a copy where it is new.
func (t *shapeTable) number(shape []int32) int32 {
	hash := uint64(len(shape))
	for _, x := range shape {
		hash = sparse.Mixed(hash, uint64(uint32(x)))
	}
	n := t.index.Find(hash, func(number int32) bool { return slices.Equal(t.all[number], shape) })
	if n < 0 {
		n = t.index.Add(hash)
		t.all = append(t.all, slices.Clone(shape))
	}
	return n
}

// Packer makes blocks, for one goroutine.
type Packer struct {
	block  Block
	latest []int32 // by action: the number of the list of its latest row, −1 before
}

// NewPacker returns that of rows of so many actions.
func NewPacker(actions int) *Packer {
	return &Packer{block: Block{shapes: new(shapeTable)}, latest: make([]int32, actions)}
}

// Begin begins a block.
func (x *Packer) Begin() {
	b := &x.block
	b.Of, b.lists, b.cells, b.number = b.Of[:0], b.lists[:0], b.cells[:0], b.number[:0]
	for a := range x.latest {
		x.latest[a] = -1
	}
}

// Block returns the block, and how many bytes it takes.
func (x *Packer) Block() (b Block, bytes float64) {
	b = x.block
	b.Of, b.lists, b.cells, b.number = slices.Clone(b.Of), slices.Clone(b.lists), slices.Clone(b.cells), slices.Clone(b.number)
	return b, float64(4*len(b.Of) + 16*len(b.lists) + 8*len(b.cells) + 8*len(b.number))
}

// Add adds the next row: what follows, less the latent, with its weights, along all axes but those of a cell of that stride and fraction for
// each. It writes over next. The numbers of the row stand where those of the latest row of the action or of the row before are the same.
func (x *Packer) Add(action int, next []int32, weight []float64, stride []int32, frac []float64) {
	b := &x.block
	l := list{from: int32(len(b.number))}
	if len(next) > 0 {
		l.base = next[0]
	}
	for i := range next {
		next[i] -= l.base
	}
	l.shape, l.cell = b.shapes.number(next), int32(len(b.cells))
	c := cell{shape: b.shapes.number(stride)}
	before := [...]int32{x.latest[action], int32(len(b.lists)) - 1}
	for _, k := range before {
		if k < 0 {
			continue
		}
		old := b.lists[k]
		if at := b.cells[old.cell]; at.shape == c.shape && slices.Equal(b.number[at.from:][:len(frac)], frac) {
			l.cell = old.cell
			if old.base == l.base && old.shape == l.shape && slices.Equal(b.number[old.from:][:len(weight)], weight) {
				b.Of, x.latest[action] = append(b.Of, k), k
				return
			}
		}
	}
	b.number = append(b.number, weight...)
	if int(l.cell) == len(b.cells) {
		c.from = int32(len(b.number))
		b.cells, b.number = append(b.cells, c), append(b.number, frac...)
	}
	x.latest[action] = int32(len(b.lists))
	b.Of, b.lists = append(b.Of, x.latest[action]), append(b.lists, l)
}

// corners are those of a cell: what they add to a state, and their weights.
type corners struct {
	of     int32 // the number of the cell
	n      int
	add    [32]int32
	weight [32]float64
}

// open makes c the corners of a cell.
func (b *Block) open(c *corners, number int32) {
	at := b.cells[number]
	c.of, c.n, c.add[0], c.weight[0] = number, 1, 0, 1
	for k, stride := range b.shapes.all[at.shape] {
		f := b.number[int(at.from)+k]
		for i := range c.n {
			c.add[c.n+i], c.weight[c.n+i] = c.add[i]+stride, c.weight[i]*f
			c.weight[i] *= 1 - f
		}
		c.n *= 2
	}
}

// at returns the block of a state, and its number there and its latent.
func (p *MDP) at(s int) (b *Block, number int, latent int32) {
	return &p.Blocks[s/p.Run], s % p.Run, int32(s % p.Latents)
}

// ahead adds Σ γP·V of a list and of the corners of its cell to q, with v at the states from the first to before the
// second, and old at others.
func (b *Block) ahead(q float64, c *corners, l *list, latent int32, v, old []float64, from, to int) float64 {
	next := b.shapes.all[l.shape]
	weight := b.number[l.from:][:len(next)]
	share := c.weight[:c.n]
	add := c.add[:len(share)]
	for k, w := range weight {
		at := next[k] + l.base + latent
		for i, x := range share {
			n := int(at + add[i])
			y := old[n]
			if n >= from && n < to {
				y = v[n]
			}
			q += x * w * y
		}
	}
	return q
}

// bestInBlock is best where there are blocks.
func (p *MDP) bestInBlock(v, old []float64, s, from, to int) (best float64, act int) {
	b, number, latent := p.at(s)
	var c corners
	best = math.Inf(-1)
	for a, k := range b.Of[number*p.Actions:][:p.Actions] {
		l := &b.lists[k]
		if a == 0 || l.cell != c.of {
			b.open(&c, l.cell)
		}
		if q := b.ahead(p.Reward[s*p.Actions+a], &c, l, latent, v, old, from, to); q > best {
			best, act = q, a
		}
	}
	return best, act
}

// list returns the list of a row, its cell opened, and the block and the latent.
func (p *MDP) list(c *corners, row int) (b *Block, l *list, latent int32) {
	b, number, latent := p.at(row / p.Actions)
	l = &b.lists[b.Of[number*p.Actions+row%p.Actions]]
	b.open(c, l.cell)
	return b, l, latent
}

// Entries returns the states that follow a row, and γ·P of each: views, or written over the lists that are given.
func (p *MDP) Entries(next []int32, weight []float64, row int) ([]int32, []float64) {
	if p.Blocks == nil {
		return p.Col[p.Row[row]:p.Row[row+1]], p.Weight[p.Row[row]:p.Row[row+1]]
	}
	var c corners
	b, l, latent := p.list(&c, row)
	next, weight = next[:0], weight[:0]
	for k, at := range b.shapes.all[l.shape] {
		for i, add := range c.add[:c.n] {
			next, weight = append(next, at+l.base+latent+add), append(weight, c.weight[i]*b.number[int(l.from)+k])
		}
	}
	return next, weight
}

// Under returns a process with the rows of a policy alone, written out, and its only policy: sweeps over these are fast. Without
// blocks it returns p and the policy.
func (p *MDP) Under(policy []int32) (*MDP, []int32) {
	if p.Blocks == nil {
		return p, policy
	}
	q := &MDP{Actions: 1, Discount: p.Discount, Rate: p.Rate, Row: []int{0}}
	var next []int32
	var weight []float64
	for s, a := range policy {
		row := s*p.Actions + int(a)
		next, weight = p.Entries(next, weight, row)
		q.Col, q.Weight = append(q.Col, next...), append(q.Weight, weight...)
		q.Row, q.Reward = append(q.Row, len(q.Col)), append(q.Reward, p.Reward[row])
	}
	return q, make([]int32, len(policy))
}

// longest returns the number of entries of the longest row.
func (b *Block) longest() (n int) {
	for _, l := range b.lists {
		n = max(n, len(b.shapes.all[l.shape])<<len(b.shapes.all[b.cells[l.cell].shape]))
	}
	return n
}
