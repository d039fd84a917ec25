package pointbased

import "slices"

// Branch is an outcome of an action in a belief: what is seen, its probability
// and the belief after it.
type Branch struct {
	X, O int32
	P    float64
	Belief
}

// Scratch is the working memory of one goroutine.
type Scratch struct {
	out    []Branch
	at     [][]int32 // buffers of the branches
	p      [][]float64
	used   int
	bucket []int32   // by observation: its branch, or −1
	met    []int32   // observations that have one
	pred   []float64 // by place of x' and y': zero between uses
	seen   [][]int32 // by place of x': y' in the order of their discovery
	Dense  []float64 // a belief in full: zero between uses
	mix    []float64 // by place of x' and y': Σ_o P(o|x',y') α_{x',o}(y')
	pick   []*Vector // by observation
	next   []*Vector // those picked, without repeats
	q      []float64 // by action
	Order  []float64 // likewise, for a search for the largest
	Work   int       // multiplications, as far as the owner counts them
}

func NewScratch(p *SearchProblem) *Scratch {
	places := 1
	for _, b := range p.move {
		places = max(places, len(b.to))
	}
	s := &Scratch{
		bucket: make([]int32, p.NO), pred: make([]float64, places*p.NY), seen: make([][]int32, places),
		Dense: make([]float64, p.NY), q: make([]float64, p.NA), mix: make([]float64, places*p.NY), pick: make([]*Vector, p.NO),
	}
	for o := range s.bucket {
		s.bucket[o] = -1
	}
	return s
}

// buffer returns room for one more belief of at most n entries, n long.
func (w *Scratch) buffer(n int) Belief {
	if w.used == len(w.p) {
		w.at, w.p = append(w.at, nil), append(w.p, nil)
	}
	k := w.used
	w.used++
	if cap(w.p[k]) < n {
		w.at[k], w.p[k] = make([]int32, n), make([]float64, n)
	}
	return Belief{w.at[k][:n], w.p[k][:n]}
}

// Branches returns the outcomes of action a at (x, b), ordered by x' and then by
// observation. They last until the next call.
func (w *Scratch) Branches(p *SearchProblem, x int32, b Belief, a int) []Branch {
	w.out, w.used = w.out[:0], 0
	blk := &p.move[a*p.NX+int(x)]
	if blk.same {
		w.observe(p, blk.to[0], b, a)
		return w.out
	}
	w.push(p, blk, x, b, a)
	for k, to := range blk.to {
		if len(w.seen[k]) > 0 {
			w.observe(p, to, w.collect(p, k), a)
		}
	}
	return w.out
}

// push spreads b over the states after action a, by the places of x'.
func (w *Scratch) push(p *SearchProblem, blk *block, x int32, b Belief, a int) {
	move := p.Move[a]
	for j, mass := range b.P {
		if mass == 0 {
			continue
		}
		col, val := move.At(int(x)*p.NY + b.Y(j))
		k := 0
		for i, c := range col {
			for int(c) >= (int(blk.to[k])+1)*p.NY { // both ascend
				k++
			}
			y := int(c) - int(blk.to[k])*p.NY
			at := &w.pred[k*p.NY+y]
			if *at == 0 {
				w.seen[k] = append(w.seen[k], int32(y))
			}
			*at += mass * val[i]
		}
	}
}

// collect takes place k out of pred, as an unnormalised belief.
func (w *Scratch) collect(p *SearchProblem, k int) Belief {
	pred := w.pred[k*p.NY : (k+1)*p.NY]
	n := len(w.seen[k])
	b := w.buffer(n)
	if n*8 > p.NY {
		i := 0
		for y, v := range pred {
			if v > 0 {
				b.At[i], b.P[i] = int32(y), v
				i++
			}
		}
		clear(pred)
		b.At, b.P = b.At[:i], b.P[:i]
	} else {
		slices.Sort(w.seen[k])
		for i, y := range w.seen[k] {
			b.At[i], b.P[i] = y, pred[y]
			pred[y] = 0
		}
	}
	w.seen[k] = w.seen[k][:0]
	if len(b.P) == p.NY {
		b.At = nil
	}
	return b
}

// observe splits the unnormalised belief b at x' by the observations.
func (w *Scratch) observe(p *SearchProblem, to int32, b Belief, a int) {
	see := &p.sense[a*p.NX+int(to)]
	switch {
	case see.only >= 0:
		c := w.buffer(len(b.P))
		copy(c.At, b.At)
		copy(c.P, b.P)
		if b.At == nil {
			c.At = nil
		}
		w.add(p, to, see.only, c)
	case see.col != nil:
		for k, o := range see.obs {
			col := see.col[k]
			c := w.buffer(len(b.P))
			n := 0
			for j, v := range b.P {
				y := b.Y(j)
				q := v * col[y]
				c.At[n], c.P[n] = int32(y), q
				if q > 0 {
					n++
				}
			}
			c.At, c.P = c.At[:n], c.P[:n]
			w.add(p, to, o, c)
		}
	default:
		rows := p.Sense[a]
		base := int(to) * p.NY
		for j, v := range b.P {
			if v == 0 {
				continue
			}
			y := b.Y(j)
			col, val := rows.At(base + y)
			for i, o := range col {
				k := w.bucket[o]
				if k < 0 {
					c := w.buffer(len(b.P))
					k = int32(w.used - 1)
					w.bucket[o] = k
					w.met = append(w.met, o)
					w.at[k], w.p[k] = c.At[:0], c.P[:0]
				}
				w.at[k], w.p[k] = append(w.at[k], int32(y)), append(w.p[k], v*val[i])
			}
		}
		slices.Sort(w.met)
		for _, o := range w.met {
			k := w.bucket[o]
			w.bucket[o] = -1
			w.add(p, to, o, Belief{w.at[k], w.p[k]})
		}
		w.met = w.met[:0]
	}
}

// tiny is a probability below which an outcome is left out: its inverse might
// overflow, and what it adds to a value is below rounding.
const tiny = 1e-290

// A belief lists the probabilities of all y, zeros too, where there are so many of them and more than one in
// denseShare has one above 0: sums over it are then faster.
const (
	denseHidden = 32
	denseShare  = 3
)

// add normalises b and lists it as a branch.
func (w *Scratch) add(p *SearchProblem, x, o int32, b Belief) {
	sum := 0.0
	for _, v := range b.P {
		sum += v
	}
	if sum < tiny {
		return
	}
	scale := 1 / sum
	for i := range b.P {
		b.P[i] *= scale
	}
	switch {
	case len(b.P) == p.NY:
		b.At = nil
	case p.NY >= denseHidden && len(b.P) > p.NY/denseShare:
		full := w.buffer(p.NY)
		clear(full.P)
		for j, y := range b.At {
			full.P[y] = b.P[j]
		}
		b = Belief{P: full.P}
	}
	w.out = append(w.out, Branch{x, o, sum, b})
}
