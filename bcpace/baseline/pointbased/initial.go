package pointbased

import (
	"context"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace/internal/mdp"
	"bayescpace/bcpace/internal/num"
)

// initialUpper returns Q_a(s), by a and s, such that Σ_y b(y) Q_a(x,y) is an
// upper bound of Q*(x, b, a): the values of the MDP
// that sees y. They come of value iteration from 0, block by block of x in turns
// from either end; wherever it stops at v, with Tv ≤ v + e everywhere, V* is at
// most v + e/(1−γ). Where ctx ends within a sweep of a large model, v is 0.
//
// A large model takes its values from package mdp (initialLarge), which copies the tables, row by
// row. A small one keeps these sweeps: they read the tables as they are, and where y stays, all y
// of an x at once. The path of a search depends on the last bit of these values.
func initialUpper(ctx context.Context, p *SearchProblem) [][]float64 {
	n := p.NX * p.NY
	v := make([]float64, n)
	scale := p.scale()
	tol := 1e-7 * scale
	w := watch{ctx: ctx}
	all := num.UpTo(p.NA)
	for sweep := 0; float64(sweep) < 20/p.Rate() && ctx.Err() == nil; sweep++ {
		if p.sweep(&w, v, all, sweep&1 == 1) <= tol {
			break
		}
	}
	q := make([][]float64, p.NA)
	over := 0.0
	for a := range q {
		q[a] = make([]float64, n)
		for x := 0; x < p.NX && !w.ended(p.NY); x++ {
			p.ahead(q[a][x*p.NY:(x+1)*p.NY], v, x, a)
		}
	}
	if w.over { // one step from v = 0
		clear(v)
		for a := range q {
			copy(q[a], p.Reward[a])
		}
	}
	for a := range q {
		for s, u := range q[a] {
			over = max(over, u-v[s])
		}
	}
	lift := p.Discount*over/p.Rate() + 1e-12*scale/p.Rate()
	for a := range q {
		floats.AddConst(lift, q[a])
	}
	return q
}

// sweep replaces the values of each x in turn, backwards on request, by the largest that one of the actions has ahead,
// and returns the largest change. It leaves off where w has ended.
func (p *SearchProblem) sweep(w *watch, v []float64, actions []int, backwards bool) (change float64) {
	row, best := make([]float64, p.NY), make([]float64, p.NY)
	for x := range num.InTurn(p.NX, backwards) {
		if w.ended(len(actions) * p.NY) {
			break
		}
		for k, a := range actions {
			p.ahead(row, v, x, a)
			if k == 0 {
				copy(best, row)
				continue
			}
			for y, q := range row {
				if q > best[y] {
					best[y] = q
				}
			}
		}
		old := v[x*p.NY : (x+1)*p.NY]
		for y, q := range best {
			change = max(change, math.Abs(q-old[y]))
			old[y] = q
		}
	}
	return change
}

// ahead fills q, by y, with R(x,y,a) + γ E[v(x',y')].
func (p *SearchProblem) ahead(q, v []float64, x, a int) {
	r := p.Reward[a][x*p.NY : (x+1)*p.NY]
	blk := &p.move[a*p.NX+x]
	if blk.same {
		next := v[int(blk.to[0])*p.NY:][:p.NY]
		for y := range q {
			q[y] = r[y] + p.Discount*next[y]
		}
		return
	}
	for y := range q {
		col, val := p.Move[a].At(x*p.NY + y)
		sum := 0.0
		for j, c := range col {
			sum += val[j] * v[c]
		}
		q[y] = r[y] + p.Discount*sum
	}
}

const (
	fibWork   = 1e9 // multiplications spent on the fast informed bound, at most
	earlyWork = 2e7 // those before a search begins
)

// inform tightens q by the fast informed bound
//
//	Q_a(s) = R(s,a) + γ Σ_{x',o} max_a' Σ_y' P(x',y'|s,a) P(o|x',y',a) Q_a'(x',y')
//
// from above, so that it is a bound after each step, a sweep. There are no more than fibWork
// allows. dp.FIBBound is the bound of a BAMDP, whose observation is the next state; it is
// solved to an error, rounding included.
func (p *SearchProblem) inform(ctx context.Context, q [][]float64) iter.Seq[mdp.BoundStep] {
	return func(yield func(mdp.BoundStep) bool) {
		work, ok := p.informedWork(ctx)
		if !ok {
			return
		}
		tol := 1e-7 * p.scale()
		f := make([]float64, p.NX*p.NY*p.NA) // by s, a
		for a := range q {
			for s, u := range q[a] {
				f[s*p.NA+a] = u
			}
		}
		publish := func() {
			for a := range q {
				for s := range q[a] {
					q[a][s] = f[s*p.NA+a]
				}
			}
		}
		defer publish()
		best := mdp.NewInformed(p.NO, p.NA)
		w := watch{ctx: ctx}
		for sweep := 1; sweep <= 2000 && float64(sweep)*work < fibWork && ctx.Err() == nil; sweep++ {
			change := 0.0
			for s := range p.NX * p.NY {
				if w.ended(p.NA) {
					return
				}
				for a := range p.NA {
					if u, old := p.informed(best, f, s, a), &f[s*p.NA+a]; u < *old {
						change = max(change, *old-u)
						*old = u
					}
				}
			}
			end := change <= tol
			better := end || sweep&(sweep-1) == 0
			if better {
				publish()
			}
			if !yield(mdp.BoundStep{Work: work, Better: better}) || end {
				return
			}
		}
	}
}

// informedWork returns the multiplications of a sweep of the fast informed bound. ok is false where
// that is the bound of the MDP, or ctx ends.
func (p *SearchProblem) informedWork(ctx context.Context) (work float64, ok bool) {
	// Where y' is certain given y and x', the maximum is the same for every o and
	// the bound is that of the MDP.
	w := watch{ctx: ctx}
	for a := range p.NA {
		for s := range p.NX * p.NY {
			if w.ended(1) {
				return 0, false
			}
			col, _ := p.Move[a].At(s)
			last := -1
			for _, c := range col {
				ok = ok || int(c)/p.NY == last
				last = int(c) / p.NY
				o, _ := p.Sense[a].At(int(c))
				work += float64(len(o) * p.NA)
			}
		}
	}
	return work, ok
}

// scale returns the largest |reward|.
func (p *SearchProblem) scale() (scale float64) {
	for _, r := range p.Reward {
		scale = max(scale, mdp.MaxAbs(r))
	}
	return scale
}

// informed returns the backup of (s, a) of the fast informed bound.
func (p *SearchProblem) informed(best *mdp.Informed, f []float64, s, a int) float64 {
	col, val := p.Move[a].At(s)
	sum, last := 0.0, -1
	for j, c := range col {
		if x := int(c) / p.NY; x != last {
			sum, last = best.Flush(sum), x
		}
		obs, po := p.Sense[a].At(int(c))
		for k, o := range obs {
			best.Add(o, val[j]*po[k], f[int(c)*p.NA:][:p.NA])
		}
	}
	return p.Reward[a][s] + p.Discount*best.Flush(sum) + p.Slip
}

// initialLower adds to each x the vectors of the blind policies, which repeat one
// action a without end (Hauskrecht 2000). Wherever the iteration stops at v, with
// T_a v ≥ v − e everywhere, the policy's value is at least v − e/(1−γ), and these vectors
// are at most a backup of themselves. Without a discount that holds for e = 0 alone, to
// which as many sweeps as there are steps lead. If the context ends before, the vectors
// of the first action are those of its plan, and none of another joins them. Where it
// ends within a sweep of a large model, v is 0.
func initialLower(ctx context.Context, p *SearchProblem, gamma []vectors) {
	n := p.NX * p.NY
	row := make([]float64, p.NY)
	w := watch{ctx: ctx}
	for a := range p.NA {
		if a > 0 && w.over {
			return
		}
		v := make([]float64, n)
		worst := 0.0
		scale := mdp.MaxAbs(p.Reward[a])
		tol := 1e-7 * scale
		if p.Discount == 1 {
			tol = 0
		}
		for sweep := 0; ; sweep++ {
			last := float64(sweep) > 15/p.Rate() || ctx.Err() != nil
			if p.sweep(&w, v, []int{a}, sweep&1 == 1) <= tol || last || w.over {
				break
			}
		}
		for x := 0; x < p.NX && !w.ended(p.NY); x++ {
			p.ahead(row, v, x, a)
			for y, q := range row {
				worst = min(worst, q-v[x*p.NY+y])
			}
		}
		if w.over { // one step from v = 0
			if a > 0 {
				return
			}
			clear(v)
			worst = min(0, slices.Min(p.Reward[a]))
		}
		if p.Discount == 1 && a > 0 && ctx.Err() != nil {
			continue
		}
		drop := worst/p.Rate() - 1e-12*scale/p.Rate()
		p.addBlind(gamma, a, v, drop)
	}
}

// addBlind adds to gamma the vectors of the policy that always takes action a, whose values
// are v + shift. It takes v over.
func (p *SearchProblem) addBlind(gamma []vectors, a int, v []float64, shift float64) {
	floats.AddConst(shift, v)
	next := make([]*Vector, p.NX)
	for x := range p.NX {
		next[x] = gamma[x].add(Vector{x: int32(x), action: int32(a), value: v[x*p.NY : (x+1)*p.NY], next: next})
	}
}
