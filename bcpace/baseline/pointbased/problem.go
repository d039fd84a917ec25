package pointbased

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace/pomdp"
)

// SearchProblem is a model with what the inner loops ask of its tables. Visible values
// are called x, hidden ones y.
type SearchProblem struct {
	*pomdp.Model
	NX, NY, NA, NO int
	Fan            int     // most observations possible at one x after one action
	move           []block // by a·|X| + x
	sense          []sense // by a·|X| + x'

	// Goal is nil unless the problem has neither a discount nor a horizon.
	Goal *GoalStates
	// Lower bounds are of the rewards pay, where a step costs charge more than by Reward, and of LowerDiscount.
	// Without a Goal these are Reward, 0 and Discount.
	pay                   [][]float64
	charge, LowerDiscount float64
	// Slip is added to every backup of an upper bound where there is a Goal: then there is no discount with
	// which rounding would add up to a number that is known at the end, see Set.Tolerances.
	Slip float64
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

// newProblem looks at the shape of the tables of m, in time linear in their size but
// for sorting the x' that an x leads to. The error is that of ctx, where it ends before
// a large model has been looked at.
func newProblem(ctx context.Context, m *pomdp.Model) (*SearchProblem, error) {
	p := &SearchProblem{Model: m, NX: m.NumVisible(), NY: m.NumHidden(), NA: len(m.Actions), NO: len(m.Observations), pay: m.Reward, LowerDiscount: m.Discount}
	moves, senses := make(map[*pomdp.Matrix][]block), make(map[*pomdp.Matrix][]sense)
	mark, count := make([]bool, p.NX), make([]int, p.NO)
	w := watch{ctx: ctx}
	for a := range p.NA {
		p.move = append(p.move, lookOnce(moves, m.Move[a], p.NX, func(x int) (b block) {
			if !w.ended(p.NY) {
				b = p.block(m.Move[a], x, mark)
			}
			return b
		})...)
		p.sense = append(p.sense, lookOnce(senses, m.Sense[a], p.NX, func(x int) (s sense) {
			if !w.ended(p.NY + p.NO) {
				s = p.senseAt(m.Sense[a], x, count)
			}
			return s
		})...)
	}
	if w.over {
		return nil, ctx.Err()
	}
	for i := range p.sense {
		p.Fan = max(p.Fan, len(p.sense[i].obs))
	}
	return p, nil
}

// watch asks a context for its error each time that a loop has done a fixed amount of
// work: a loop over a large model then ends soon after its context, and a loop over a
// small model pays nothing for asking.
type watch struct {
	ctx  context.Context
	done int  // states since the last look
	over bool // the context was seen to have ended
}

// ended reports whether to end the loop, before it turns to the given number of states.
func (w *watch) ended(states int) bool {
	const often = 1 << 12
	if w.done += states; w.done > often {
		w.done = states
		w.over = w.over || w.ctx.Err() != nil
	}
	return w.over
}

// lookOnce returns at(x) for every x. Actions that share a table share the result.
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
func (p *SearchProblem) block(move *pomdp.Matrix, x int, mark []bool) block {
	b := block{same: true}
	first, last := x*p.NY, (x+1)*p.NY
	for s := first; s < last; s++ {
		col, _ := move.At(s)
		at := -1
		for _, c := range col {
			if int(c) >= at {
				to := int(c) / p.NY
				if !mark[to] {
					mark[to] = true
					b.to = append(b.to, int32(to))
				}
				at = (to + 1) * p.NY
			}
		}
		if len(col) != 1 || int(col[0])%p.NY != s-first {
			b.same = false
		}
	}
	for _, to := range b.to {
		mark[to] = false
	}
	slices.Sort(b.to)
	b.same = b.same && len(b.to) == 1
	return b
}

// senseAt looks at the rows of see at x. count is working memory by observation.
func (p *SearchProblem) senseAt(see *pomdp.Matrix, x int, count []int) sense {
	clear(count)
	first, last := x*p.NY, (x+1)*p.NY
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
	case 2*filled >= len(r.obs)*p.NY:
		r.col = make([][]float64, len(r.obs))
		flat := make([]float64, len(r.obs)*p.NY)
		for k, o := range r.obs {
			r.col[k] = flat[k*p.NY : (k+1)*p.NY]
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

// Belief is a distribution over y: its support, ascending, and the probabilities
// there; or the probabilities of all y, some of which may be 0, where At is nil.
type Belief struct {
	At []int32
	P  []float64
}

// Y returns y of an entry of P.
func (b Belief) Y(i int) int {
	if b.At != nil {
		return int(b.At[i])
	}
	return i
}

func (b Belief) Clone() Belief {
	return Belief{At: append([]int32(nil), b.At...), P: append([]float64(nil), b.P...)}
}

// Signature has a bit for every y of the support, modulo 64: a belief whose
// support lies within another's has no bit that the other lacks.
func (b Belief) Signature() uint64 {
	var s uint64
	if b.At == nil {
		for y, v := range b.P {
			if v > 0 {
				s |= 1 << (y & 63)
			}
		}
		return s
	}
	for _, y := range b.At {
		s |= 1 << (y & 63)
	}
	return s
}

// Dot is Σ_y b(y) v(y).
func (b Belief) Dot(v []float64) float64 {
	if b.At == nil {
		return floats.Dot(b.P, v)
	}
	s0, s1 := 0.0, 0.0
	p := b.P[:len(b.At)]
	i := 0
	for ; i+1 < len(p); i += 2 {
		s0 += p[i] * v[b.At[i]]
		s1 += p[i+1] * v[b.At[i+1]]
	}
	if i < len(p) {
		s0 += p[i] * v[b.At[i]]
	}
	return s0 + s1
}

// Key returns a hash of a belief at x. It rounds the belief, so that equal beliefs that
// were computed along different paths usually have the same hash.
func (b Belief) Key(x int32) uint64 {
	h := uint64(x)*0x9E3779B97F4A7C15 + 1
	for i, v := range b.P {
		h = (h ^ (uint64(b.Y(i)) + uint64(v*(1<<26)+0.31)*0x100000)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}

// Near reports whether two beliefs are the same but for rounding.
func (b Belief) Near(c Belief) bool {
	if len(b.P) != len(c.P) {
		return false
	}
	for i, v := range b.P {
		if math.Abs(v-c.P[i]) > 1e-12 || b.At != nil && c.At != nil && b.At[i] != c.At[i] {
			return false
		}
	}
	return true
}

// Distance is Σ_y |b(y) − c(y)| of beliefs that are near.
func (b Belief) Distance(c Belief) (sum float64) {
	for i, v := range b.P {
		sum += math.Abs(v - c.P[i])
	}
	return sum
}
