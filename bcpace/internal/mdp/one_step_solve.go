package mdp

import (
	"context"
	"iter"
	"math"

	"bayescpace/bcpace/internal/sparse"
)

// BoundStep is a part of the work on a bound.
type BoundStep struct {
	Work   float64 // as many multiplications in scalar products take as long, about
	Better bool    // the bound is tighter than after the last step with Better
}

// Solve does Steps until they end or exceed a limit of multiplications, and reports whether the values are within tol of their
// limit.
func (u *OneStep) Solve(ctx context.Context, workers int, upper []float64, tol, limit float64) (within bool) {
	for step := range u.Steps(ctx, workers, upper, tol) {
		if limit -= step.Work; limit < 0 {
			return false
		}
	}
	return ctx.Err() == nil
}

const (
	fullSweeps = 8       // one sweep of so many goes through all rows, and the others through those that a choice leads to
	slowSweeps = 16      // the sweep after which policy iteration may begin
	slowLeft   = 400     // it does where so many sweeps seem to be left
	slowShare  = 8       // and ends after so many times the work of the sweeps before,
	slowWork   = 3e8     // or this if it is more,
	near       = 10      // values are near their limit at so many times tol
	mostIdle   = 3       // they come no closer when that has shown so many times
	chainSize  = 1 << 24 // entries of its Chain, at most
	chainWork  = 8       // work of one entry of it in a sweep
	spreadWork = 4       // of a multiplication in H
	stepWork   = 1 << 22 // of a step of a sweep
	goalChange = 10      // changes of a sweep that values are taken to be from their limit without a discount
)

// Steps lowers the values from an upper bound, by s·actions + a, whose mean over a belief is one there, to
// within tol of their limit, or near it, the solution of the equation of q; and upper by what it finds. It can be left after each
// step, or by ctx: values are upper bounds all the time. They do not depend on the number of workers.
//
// A sweep puts the right-hand side H of the equation in the place of the values, where it is lower. Where that is slow,
// policy iteration takes its turn: the actions that attain the maxima in H make a Chain, whose values
// are taken for q when the maxima are found again. For an upper bound, let a sweep in place make w of any values, and
// raise none by more than e. Each w was H of values none of which is below w by more than e, so that Hw ≤ w + γe,
// and the limit is at most w + γe/(1−γ). Nor is w further from the limit than γc/(1−γ), where c is the largest change in
// the sweep. H is rounded by δ at most, which joins e.
func (u *OneStep) Steps(ctx context.Context, workers int, upper []float64, tol float64) iter.Seq[BoundStep] {
	return func(yield func(BoundStep) bool) {
		x := u.solver(workers, upper)
		defer x.publish(upper)
		next, before := 1, math.Inf(1)
		idle := progress{last: math.Inf(1)}
		for n := 1; ctx.Err() == nil; n++ {
			full := n == next || n%fullSweeps == 0
			_, change, left := x.sweep(ctx, u.q, full, true, yield)
			if left {
				return
			}
			end := full && idle.ended(x.apart(change), tol)
			if !end && n == next && n >= slowSweeps && x.left(change/before, change, tol, n/2) > slowLeft {
				if end, left = x.iterate(ctx, upper, tol, max(slowWork, slowShare*float64(n)*x.work), yield); left {
					return
				}
			}
			better := end || n == next
			if better {
				x.publish(upper)
			}
			if better && !yield(BoundStep{Better: true}) || end {
				return
			}
			if n == next {
				next, before = 2*n, change
			}
		}
	}
}

// progress tells whether values come closer to their limit.
type progress struct {
	last float64 // bound of the distance
	idle int     // times that they were near and came hardly closer
}

// ended reports whether values are within tol of their limit, or near and come no closer: rounding may change
// again and again which of the actions is the best that are worth the same.
func (g *progress) ended(apart, tol float64) bool {
	if apart <= near*tol && apart > g.last/2 {
		g.idle++
	}
	g.last = apart
	return apart <= tol || apart <= near*tol && g.idle >= mostIdle
}

// apart bounds how far values are from their limit after a sweep with that change. Without a discount and a horizon, where
// nothing does, it takes them for close once they hardly change.
func (ss *stepSolver) apart(change float64) float64 {
	switch {
	case ss.Slip > 0:
		return goalChange * change
	case ss.discount == 1 && change == 0:
		return 0
	}
	return ss.discount * change / (1 - ss.discount)
}

// left estimates how many sweeps it takes until values are within tol of their limit, where so many have made
// the change smaller by that factor.
func (ss *stepSolver) left(factor, change, tol float64, sweeps int) float64 {
	if ss.discount == 1 || ss.work > spreadWork*float64(chainSize*ss.actions) {
		return 0
	}
	if factor >= 1 {
		return math.Inf(1)
	}
	return float64(sweeps) * math.Log(ss.apart(change)/tol) / -math.Log(factor)
}

// iterate is policy iteration, from where it was last, up to a limit of work. It lowers the values and upper by what it
// finds, and reports whether that has ended, and whether a yield has said to leave.
func (ss *stepSolver) iterate(ctx context.Context, upper []float64, tol, limit float64, yield func(BoundStep) bool) (end, left bool) {
	if ss.v == nil {
		ss.v = append(ss.v, ss.q...)
	}
	_, change, left := ss.sweep(ctx, ss.v, true, false, yield)
	least := math.Inf(1)
	for idle := (progress{last: math.Inf(1)}); limit > 0 && !end && !left; {
		least = min(least, ss.apart(change))
		work := ss.evaluate(ctx, ss.v, max(tol/4, least/30))
		if !yield(BoundStep{Work: work}) {
			return false, true
		}
		var rise float64
		if rise, change, left = ss.sweep(ctx, ss.v, true, false, yield); left {
			break
		}
		limit -= work + ss.work
		end = idle.ended(ss.apart(change), tol)
		lift, lower := ss.apart(rise+ss.delta)+ss.delta, false
		for i, w := range ss.v {
			if w+lift < ss.q[i] {
				ss.q[i], lower = w+lift, true
			}
		}
		if lower && !end {
			ss.publish(upper)
			left = !yield(BoundStep{Better: true})
		}
	}
	return end, left
}

// stepBlock is how many beliefs have their values from those before them in a sweep; it is the
// same for all numbers of workers, so that the result is.
const stepBlock = 64

// stepSolver has the working memory of Steps.
type stepSolver struct {
	*OneStep
	workers   int
	scratch   []*Informed // by part
	next      []float64   // of a block
	backwards bool
	work      float64 // of a full sweep
	delta     float64 // rounding of H, at most

	// choice[from[r]:from[r+1]] are the best actions in row r = belief·actions + a by what is seen, in the
	// order of Informed.
	from   []int
	choice []int32

	v      []float64 // of policy iteration; nil before it has begun
	chain  MarkovChain
	number []int32 // by row: its state in the chain, or −1 where no choice leads to it
	rows   []int32 // by state
	value  []float64
	col    []int32 // of a row
	weight []float64
}

// solver returns the working memory, with values at the beliefs made of upper.
func (u *OneStep) solver(workers int, upper []float64) *stepSolver {
	n := len(u.first) - 1
	u.known = sparse.HashIndex{}
	u.q = make([]float64, n*u.actions)
	x := &stepSolver{OneStep: u, workers: workers, next: make([]float64, stepBlock*u.actions), from: []int{0}, number: make([]int32, n*u.actions)}
	for range Parts {
		x.scratch = append(x.scratch, u.Scratch())
	}
	w, longest := x.scratch[0], 0
	for i := range n {
		state, prob := u.belief(i)
		for a := range u.actions {
			terms := 0
			for j, s := range state {
				row := int(s)*u.actions + a
				u.q[i*u.actions+a] += prob[j] * upper[row]
				for k := u.row[row]; k < u.row[row+1]; k++ {
					w.placeOf(u.seen[k])
				}
				terms += u.row[row+1] - u.row[row]
			}
			x.from = append(x.from, x.from[len(x.from)-1]+len(w.used))
			w.forget()
			x.work += float64(spreadWork * terms * u.actions)
			longest = max(longest, terms)
		}
	}
	x.choice = make([]int32, x.from[len(x.from)-1])
	x.delta = float64(longest+8) * 0x1p-53 * (MaxAbs(u.reward) + MaxAbs(upper))
	return x
}

// at returns H of values q in a row, and notes the choice.
func (ss *stepSolver) at(w *Informed, q []float64, row int) float64 {
	state, prob := ss.belief(row / ss.actions)
	value := 0.0
	for j, s := range state {
		r := int(s)*ss.actions + row%ss.actions
		value += prob[j] * ss.reward[r]
		ss.spread(w, q, r, prob[j])
	}
	return value + ss.discount*w.flush(0, ss.choice[ss.from[row]:ss.from[row+1]]) + ss.Slip
}

// sweep puts H of q in the place of q, block by block, in turns from either end, and returns the largest rise
// and the largest change of a value, or that it was left, by ctx or a yield. Where it is not full, it leaves out rows
// that no choice of the last full sweep leads to. With lower, values only fall.
func (ss *stepSolver) sweep(ctx context.Context, q []float64, full, lower bool, yield func(BoundStep) bool) (rise, change float64, left bool) {
	n, work := len(ss.first)-1, ss.work
	if !full {
		work *= float64(len(ss.rows)) / float64(len(ss.number))
	}
	due := 0.0
	for done := 0; done < n; done += stepBlock {
		from, to := done, min(done+stepBlock, n)
		if ss.backwards {
			from, to = n-to, n-from
		}
		first := from * ss.actions
		EachPart(ss.workers, (to-from)*ss.actions, func(part, from, to int) {
			for i := from; i < to; i++ {
				ss.next[i] = q[first+i]
				if full || ss.number[first+i] >= 0 {
					ss.next[i] = ss.at(ss.scratch[part], q, first+i)
				}
			}
		})
		for i, v := range ss.next[:(to-from)*ss.actions] {
			old := &q[first+i]
			if lower && v >= *old {
				continue
			}
			rise, change = max(rise, v-*old), max(change, math.Abs(v-*old))
			*old = v
		}
		due += work * float64(to-from) / float64(n)
		if due >= stepWork || done+stepBlock >= n {
			if ctx.Err() != nil || !yield(BoundStep{Work: due}) {
				return 0, 0, true
			}
			due = 0
		}
	}
	ss.backwards = !ss.backwards
	if full {
		ss.enlist()
	}
	return rise, change, false
}

// publish lowers upper by the values.
func (ss *stepSolver) publish(upper []float64) {
	EachPart(ss.workers, len(upper), func(part, from, to int) {
		for row := from; row < to; row++ {
			upper[row] = min(upper[row], ss.At(ss.scratch[part], row/ss.actions, nil, []float64{1}, row%ss.actions))
		}
	})
}

// enlist makes states of the rows that some choice leads to.
func (ss *stepSolver) enlist() {
	for row := range ss.number {
		ss.number[row] = -1
	}
	w := ss.scratch[0]
	for row := range ss.number {
		state, choice := ss.state[ss.first[row/ss.actions]:ss.first[row/ss.actions+1]], ss.choice[ss.from[row]:ss.from[row+1]]
		for _, s := range state {
			r := int(s)*ss.actions + row%ss.actions
			from, to := ss.row[r], ss.row[r+1]
			seen, after := ss.seen[from:to], ss.after[from:to]
			for k, o := range seen {
				ss.number[int(after[k])*ss.actions+int(choice[w.placeOf(o)])] = 0
			}
		}
		w.forget()
	}
	ss.rows = ss.rows[:0]
	for row, n := range ss.number {
		if n == 0 {
			ss.number[row] = int32(len(ss.rows))
			ss.rows = append(ss.rows, int32(row))
		}
	}
}

// evaluate sets v to the values of the choice, within about tol, and returns the work of that: it solves for the rows of the
// chain, and has those of others, whose choices lead to these, from them. Values that the choice does not have would be too
// high, and chosen next.
func (ss *stepSolver) evaluate(ctx context.Context, v []float64, tol float64) float64 {
	ss.chain.fix(ss.discount, ss.workers, len(ss.rows), func(s int) (float64, []int32, []float64) { return ss.entries(int(ss.rows[s])) })
	ss.value = ss.value[:0]
	for _, row := range ss.rows {
		ss.value = append(ss.value, v[row])
	}
	ss.chain.Solve(ctx, ss.value, tol) // where ctx ends, so does Steps
	for s, row := range ss.rows {
		v[row] = ss.value[s]
	}
	EachPart(ss.workers, len(ss.number), func(part, from, to int) {
		for row := from; row < to; row++ {
			if ss.number[row] < 0 {
				v[row] = ss.chosen(ss.scratch[part], v, row)
			}
		}
	})
	return chainWork*float64(len(ss.chain.col)*(ss.chain.sweeps+4)) + ss.work/float64(spreadWork*ss.actions)
}

// chosen returns the value of a row by its choice, given v at the rows of the chain.
func (ss *stepSolver) chosen(w *Informed, v []float64, row int) (value float64) {
	choice := ss.choice[ss.from[row]:ss.from[row+1]]
	state, prob := ss.belief(row / ss.actions)
	for j, s := range state {
		r := int(s)*ss.actions + row%ss.actions
		sum := 0.0
		for k := ss.row[r]; k < ss.row[r+1]; k++ {
			sum += ss.share[k] * v[int(ss.after[k])*ss.actions+int(choice[w.placeOf(ss.seen[k])])]
		}
		value += prob[j] * (ss.reward[r] + ss.discount*sum)
	}
	w.forget()
	return value
}

// entries returns the row of the chain of a row.
func (ss *stepSolver) entries(row int) (reward float64, col []int32, weight []float64) {
	ss.col, ss.weight = ss.col[:0], ss.weight[:0]
	w, choice := ss.scratch[0], ss.choice[ss.from[row]:ss.from[row+1]]
	state, prob := ss.belief(row / ss.actions)
	for j, s := range state {
		r := int(s)*ss.actions + row%ss.actions
		reward += prob[j] * ss.reward[r]
		for k := ss.row[r]; k < ss.row[r+1]; k++ {
			to := int(ss.after[k])*ss.actions + int(choice[w.placeOf(ss.seen[k])])
			ss.col, ss.weight = append(ss.col, ss.number[to]), append(ss.weight, ss.discount*prob[j]*ss.share[k])
		}
	}
	w.forget()
	return reward, ss.col, ss.weight
}
