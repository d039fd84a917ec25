package sarsop

import "slices"

// branch is an outcome of an action in a belief: what is seen, its probability
// and the belief after it.
type branch struct {
	x, o int32
	p    float64
	belief
}

// scratch is the working memory of one goroutine.
type scratch struct {
	out    []branch
	at     [][]int32 // buffers of the branches
	p      [][]float64
	used   int
	bucket []int32   // by observation: its branch, or −1
	pred   []float64 // by place of x' and y': zero between uses
	seen   [][]int32 // by place of x': y' in the order of their discovery
	dense  []float64 // a belief in full: zero between uses
	mix    []float64 // by place of x' and y': Σ_o P(o|x',y') α_{x',o}(y')
	pick   []*vector // by observation
	next   []*vector // those picked, without repeats
}

func newScratch(p *problem) *scratch {
	places := 1
	for _, b := range p.move {
		places = max(places, len(b.to))
	}
	s := &scratch{
		bucket: make([]int32, p.no), pred: make([]float64, places*p.ny), seen: make([][]int32, places),
		dense: make([]float64, p.ny), mix: make([]float64, places*p.ny), pick: make([]*vector, p.no),
	}
	for o := range s.bucket {
		s.bucket[o] = -1
	}
	return s
}

// buffer returns room for one more belief of at most n entries, n long.
func (w *scratch) buffer(n int) belief {
	if w.used == len(w.p) {
		w.at, w.p = append(w.at, nil), append(w.p, nil)
	}
	k := w.used
	w.used++
	if cap(w.p[k]) < n {
		w.at[k], w.p[k] = make([]int32, n), make([]float64, n)
	}
	return belief{w.at[k][:n], w.p[k][:n]}
}

// branches returns the outcomes of action a at (x, b), ordered by x' and then by
// observation. They last until the next call.
func (w *scratch) branches(p *problem, x int32, b belief, a int) []branch {
	w.out, w.used = w.out[:0], 0
	blk := &p.move[a*p.nx+int(x)]
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
func (w *scratch) push(p *problem, blk *block, x int32, b belief, a int) {
	move := p.Move[a]
	base := int(x) * p.ny
	for j, mass := range b.p {
		if mass == 0 {
			continue
		}
		s := base + j
		if b.at != nil {
			s = base + int(b.at[j])
		}
		col, val := move.At(s)
		k := 0
		for i, c := range col {
			for int(c) >= (int(blk.to[k])+1)*p.ny { // both ascend
				k++
			}
			y := int(c) - int(blk.to[k])*p.ny
			at := &w.pred[k*p.ny+y]
			if *at == 0 {
				w.seen[k] = append(w.seen[k], int32(y))
			}
			*at += mass * val[i]
		}
	}
}

// collect takes place k out of pred, as an unnormalised belief.
func (w *scratch) collect(p *problem, k int) belief {
	pred := w.pred[k*p.ny : (k+1)*p.ny]
	n := len(w.seen[k])
	b := w.buffer(n)
	if n*8 > p.ny {
		i := 0
		for y, v := range pred {
			if v > 0 {
				b.at[i], b.p[i] = int32(y), v
				i++
			}
		}
		clear(pred)
		b.at, b.p = b.at[:i], b.p[:i]
	} else {
		slices.Sort(w.seen[k])
		for i, y := range w.seen[k] {
			b.at[i], b.p[i] = y, pred[y]
			pred[y] = 0
		}
	}
	w.seen[k] = w.seen[k][:0]
	if len(b.p) == p.ny {
		b.at = nil
	}
	return b
}

// observe splits the unnormalised belief b at x' by the observations.
func (w *scratch) observe(p *problem, to int32, b belief, a int) {
	see := &p.sense[a*p.nx+int(to)]
	switch {
	case see.only >= 0:
		c := w.buffer(len(b.p))
		copy(c.at, b.at)
		copy(c.p, b.p)
		if b.at == nil {
			c.at = nil
		}
		w.add(p, to, see.only, c)
	case see.col != nil:
		for k, o := range see.obs {
			col := see.col[k]
			c := w.buffer(len(b.p))
			n := 0
			if b.at == nil {
				for y, v := range b.p {
					q := v * col[y]
					c.at[n], c.p[n] = int32(y), q
					if q > 0 {
						n++
					}
				}
			} else {
				for j, y := range b.at {
					q := b.p[j] * col[y]
					c.at[n], c.p[n] = y, q
					if q > 0 {
						n++
					}
				}
			}
			c.at, c.p = c.at[:n], c.p[:n]
			w.add(p, to, o, c)
		}
	default:
		rows := p.Sense[a]
		base := int(to) * p.ny
		for j, v := range b.p {
			y := j
			if b.at != nil {
				y = int(b.at[j])
			}
			col, val := rows.At(base + y)
			for i, o := range col {
				k := w.bucket[o]
				if k < 0 {
					c := w.buffer(len(b.p))
					k = int32(w.used - 1)
					w.bucket[o] = k
					w.at[k], w.p[k] = c.at[:0], c.p[:0]
				}
				w.at[k], w.p[k] = append(w.at[k], int32(y)), append(w.p[k], v*val[i])
			}
		}
		for _, o := range see.obs {
			if k := w.bucket[o]; k >= 0 {
				w.bucket[o] = -1
				w.add(p, to, o, belief{w.at[k], w.p[k]})
			}
		}
	}
}

// tiny is a probability below which an outcome is left out: its inverse might
// overflow, and what it adds to a value is below rounding.
const tiny = 1e-290

// add normalises b and lists it as a branch.
func (w *scratch) add(p *problem, x, o int32, b belief) {
	sum := 0.0
	for _, v := range b.p {
		sum += v
	}
	if sum < tiny {
		return
	}
	scale := 1 / sum
	for i := range b.p {
		b.p[i] *= scale
	}
	if len(b.p) == p.ny {
		b.at = nil
	}
	w.out = append(w.out, branch{x, o, sum, b})
}
