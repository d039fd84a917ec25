package sarsop

import "bayescpace/bcpace/pomdp"

// problem is a model with what the inner loops ask of its tables. Visible values
// are called x, hidden ones y.
type problem struct {
	*pomdp.Model
	nx, ny, na, no int
	fan            int     // most observations possible at one x after one action
	move           []block // by a·|X| + x
	sense          []sense // by a·|X| + x'
}

// block is the transition from one x by one action.
type block struct {
	to   []int32 // the x' that it leads to from some y, ascending
	same bool    // it leads to the one x' for certain, and y' = y
}

// sense is the observation at one x' after one action.
type sense struct {
	only int32       // the observation that is certain at every y', or −1
	obs  []int32     // those that are possible at some y', ascending
	col  [][]float64 // P(obs[k]|x',y') in columns, by y'; nil where the rows are sparse
}

// newProblem looks at the shape of the tables of m, in time linear in their size.
func newProblem(m *pomdp.Model) *problem {
	p := &problem{Model: m, nx: m.NumVisible(), ny: m.NumHidden(), na: len(m.Actions), no: len(m.Observations)}
	moves, senses := make(map[*pomdp.Matrix][]block), make(map[*pomdp.Matrix][]sense)
	mark, count := make([]bool, p.nx), make([]int, p.no)
	for a := range p.na {
		p.move = append(p.move, lookOnce(moves, m.Move[a], p.nx, func(x int) block { return p.block(m.Move[a], x, mark) })...)
		p.sense = append(p.sense, lookOnce(senses, m.Sense[a], p.nx, func(x int) sense { return p.senseAt(m.Sense[a], x, count) })...)
	}
	for i := range p.sense {
		p.fan = max(p.fan, len(p.sense[i].obs))
	}
	return p
}

// lookOnce returns what at finds in a table by x, in one look where actions share it.
func lookOnce[T any](seen map[*pomdp.Matrix][]T, table *pomdp.Matrix, nx int, at func(x int) T) []T {
	found, ok := seen[table]
	if !ok {
		found = make([]T, nx)
		for x := range found {
			found[x] = at(x)
		}
		seen[table] = found
	}
	return found
}

// block looks at the rows of move at x. mark is working memory by x', all false.
func (p *problem) block(move *pomdp.Matrix, x int, mark []bool) block {
	b := block{same: true}
	first, last := x*p.ny, (x+1)*p.ny
	for s := first; s < last; s++ {
		col, _ := move.At(s)
		at := -1
		for _, c := range col {
			if int(c) >= at {
				to := int(c) / p.ny
				mark[to] = true
				at = (to + 1) * p.ny
			}
		}
		if len(col) != 1 || int(col[0])%p.ny != s-first {
			b.same = false
		}
	}
	for to, is := range mark {
		if is {
			b.to = append(b.to, int32(to))
			mark[to] = false
		}
	}
	b.same = b.same && len(b.to) == 1
	return b
}

// senseAt looks at the rows of see at x. count is working memory by observation.
func (p *problem) senseAt(see *pomdp.Matrix, x int, count []int) sense {
	clear(count)
	first, last := x*p.ny, (x+1)*p.ny
	for _, o := range see.Col[see.Row[first]:see.Row[last]] {
		count[o]++
	}
	r := sense{only: -1}
	for o, n := range count {
		if n > 0 {
			r.obs = append(r.obs, int32(o))
		}
	}
	filled := see.Row[last] - see.Row[first]
	switch {
	case len(r.obs) == 1:
		r.only = r.obs[0]
	case 2*filled >= len(r.obs)*p.ny:
		r.col = make([][]float64, len(r.obs))
		flat := make([]float64, len(r.obs)*p.ny)
		for k, o := range r.obs {
			r.col[k] = flat[k*p.ny : (k+1)*p.ny]
			count[o] = k
		}
		for s := first; s < last; s++ {
			col, val := see.At(s)
			for j, o := range col {
				r.col[count[o]][s-first] = val[j]
			}
		}
	}
	return r
}
