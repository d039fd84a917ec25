package mdp

import (
	"context"
	"errors"
	"math"
	"slices"
)

// MarkovChain is a Markov chain with rewards: an MDP whose actions are fixed. Its values are the
// solution V of V = r + γP·V. It is for a discount below 1.
type MarkovChain struct {
	discount float64
	workers  int
	sweeps   int     // since fix
	limit    int     // of sweeps, 0 for none
	longest  int     // entries of the longest row
	most     float64 // the largest |r|

	// State s leads to col[row[s]:row[s+1]], not to itself. Its row is solved for V(s): with
	// d = stay[s] the part of γP with which s leads to itself, weight is γP/(1−d) and reward
	// is r/(1−d).
	row    []int
	col    []int32
	weight []float64
	reward []float64
	stay   []float64
	// local says of a part of the states that many of those that follow belong to it.
	local [Parts]bool
}

// Fix makes c the chain of p in which state s has the row that row(s) says.
func (c *MarkovChain) Fix(p *MDP, row func(s int) int) {
	col, weight := []int32(nil), []float64(nil)
	c.fix(p.Discount, p.Workers, p.States(), func(s int) (float64, []int32, []float64) {
		r := row(s)
		col, weight = p.Entries(col, weight, r)
		return p.Reward[r], col, weight
	})
}

// fix makes c the chain of n states in which row tells, of each in turn, its reward, the states that follow,
// and their γP. What row returns lasts until it is called again.
func (c *MarkovChain) fix(discount float64, workers, n int, row func(s int) (reward float64, col []int32, weight []float64)) {
	c.discount, c.workers, c.sweeps, c.limit, c.longest, c.most = discount, workers, 0, 0, 0, 0
	c.row, c.col, c.weight, c.reward, c.stay = append(c.row[:0], 0), c.col[:0], c.weight[:0], c.reward[:0], c.stay[:0]
	for i := range c.local {
		from, to := part(i, n)
		within := 0 // entries that lead to a state of the part
		for s := from; s < to; s++ {
			reward, col, weight := row(s)
			stay, first := 0.0, len(c.col)
			for k, next := range col {
				if int(next) == s {
					stay += weight[k]
					continue
				}
				if int(next) >= from && int(next) < to {
					within++
				}
				c.col, c.weight = append(c.col, next), append(c.weight, weight[k])
			}
			for k := range c.weight[first:] {
				c.weight[first+k] /= 1 - stay
			}
			c.row, c.stay, c.reward = append(c.row, len(c.col)), append(c.stay, stay), append(c.reward, reward/(1-stay))
			c.longest, c.most = max(c.longest, len(col)), max(c.most, math.Abs(reward))
		}
		c.local[i] = 4*within >= len(c.col)-c.row[from]
	}
}

// Solve replaces v by values such that v + low ≤ V ≤ v + high, with low ≤ 0 ≤ high and
// high − low at most tol, or what rounding allows. v + low is moreover not above its own
// backup, rounding included, so that it is the value of no better plan than the chain.
// The first values do not matter but for the time. Where ctx ends before, the error is
// the context's, and low and high are what holds of the v that was reached.
//
// Let G(v) be what v becomes by a sweep in place forth and one back over each part of the
// states, which reads v where a state of another part follows; over a part with few
// successors of its own, where that would help little, it is one sweep that reads v alone.
// G is affine, a contraction, and leaves V as it is: V solves (I − H)V = G(0), where H is G
// without rewards. BiCGSTAB (van der Vorst 1992) solves that; to it, the sweeps are a
// preconditioner, a block symmetric Gauss–Seidel one. Values travel along chains of states
// with the sweeps, and the slow mode of a chain that mixes well, which falls by γ with a
// sweep, is gone after few steps of BiCGSTAB. Where these fail, sweeps alone go on.
//
// The bounds are those of the residual ρ = r + γPv − v as computed, which is within δ, see
// rounding: V − v = Σ (γP)^k·ρ, and rows sum to γ at most.
func (c *MarkovChain) Solve(ctx context.Context, v []float64, tol float64) (low, high float64, err error) {
	x := newSolver(c, len(v))
	target := tol * (1 - c.discount) / 4
	for {
		change, end := x.improve(ctx, v, target)
		least, most := c.residuals(v)
		delta := c.rounding(v)
		low, high = (least-delta)/(1-c.discount), (most+delta)/(1-c.discount)
		switch {
		case high-low <= tol:
			return low, high, nil
		case end != nil:
			return low, high, end
		case change <= 4*delta: // no sweep will do better
			return low, high, nil
		}
		target = change / 8
	}
}

// rounding bounds the rounding of one residual of v: that of a backup, see MDP.Rounding,
// with four more roundings of each weight.
func (c *MarkovChain) rounding(v []float64) float64 {
	var size sums
	EachPart(c.workers, len(v), func(i, from, to int) {
		for _, x := range v[from:to] {
			size[i] = max(size[i], math.Abs(x))
		}
	})
	return float64(c.longest+8) * 0x1p-53 * (c.most + 2*size.largest())
}

// sweep sets out to G(v), or to H(v) without the rewards. out and v must not overlap.
func (c *MarkovChain) sweep(out, v []float64, rewards bool) {
	c.sweeps++
	EachPart(c.workers, len(v), func(i, from, to int) {
		if !c.local[i] {
			for s := from; s < to; s++ {
				out[s] = c.ahead(v, s, rewards)
			}
			return
		}
		copy(out[from:to], v[from:to])
		for s := from; s < to; s++ {
			out[s] = c.within(out, v, s, from, to, rewards)
		}
		for s := to - 1; s >= from; s-- {
			out[s] = c.within(out, v, s, from, to, rewards)
		}
	})
}

// ahead returns the value with which s has no residual, given v at the states that follow.
func (c *MarkovChain) ahead(v []float64, s int, rewards bool) float64 {
	lo, hi := c.row[s], c.row[s+1]
	col, weight := c.col[lo:hi], c.weight[lo:hi]
	sum := 0.0
	for i, next := range col {
		sum += weight[i] * v[next]
	}
	if rewards {
		sum += c.reward[s]
	}
	return sum
}

// within is ahead with out at the states of its part and v at others.
func (c *MarkovChain) within(out, v []float64, s, from, to int, rewards bool) float64 {
	lo, hi := c.row[s], c.row[s+1]
	col, weight := c.col[lo:hi], c.weight[lo:hi]
	sum := 0.0
	for i, next := range col {
		x := v[next]
		if n := int(next); n >= from && n < to {
			x = out[n]
		}
		sum += weight[i] * x
	}
	if rewards {
		sum += c.reward[s]
	}
	return sum
}

// Within has the following calls end after so many sweeps, as they do where ctx ends.
func (c *MarkovChain) Within(sweeps int) { c.limit = c.sweeps + sweeps }

// errSweeps says that the sweeps of Within are over.
var errSweeps = errors.New("so many sweeps are not enough")

// Near moves v to where G(v), see Solve, is within tol of it, or what rounding allows. It returns how many sweeps that took, and reports whether
// v is there. That is no bound of the distance to V.
func (c *MarkovChain) Near(ctx context.Context, v []float64, tol float64) (sweeps int, near bool) {
	first := c.sweeps
	_, err := newSolver(c, len(v)).improve(ctx, v, tol)
	return c.sweeps - first, err == nil
}

// solver has the vectors of BiCGSTAB.
type solver struct {
	*MarkovChain
	residual, shadow, search, image, image2, found []float64
}

func newSolver(c *MarkovChain, states int) *solver {
	x := &solver{MarkovChain: c}
	for _, v := range []*[]float64{&x.residual, &x.shadow, &x.search, &x.image, &x.image2, &x.found} {
		*v = make([]float64, states)
	}
	return x
}

// fewestSweeps is how many sweeps follow where BiCGSTAB has failed first. Every time after
// that there are twice as many, and it may take as long as they do.
const fewestSweeps = 30

// improve brings G(v) − v down to target at most, or to what rounding allows, and returns
// its largest entry. The error is the context's, or errSweeps.
func (so *solver) improve(ctx context.Context, v []float64, target float64) (change float64, err error) {
	for plain := fewestSweeps; ; {
		so.sweep(so.residual, v, true)
		if change = so.subtract(so.residual, v); change <= target || change <= 4*so.rounding(v) {
			return change, nil
		}
		if ctx.Err() != nil {
			return change, ctx.Err()
		}
		if so.limit > 0 && so.sweeps >= so.limit {
			return change, errSweeps
		}
		copy(so.found, v)
		so.accelerate(ctx, plain, max(target/2, 1e-9*change))
		so.sweep(so.image, so.found, true)
		copy(so.search, so.image)
		better := so.subtract(so.search, so.found)
		if better < change {
			copy(v, so.image)
		}
		if better <= change/10 {
			continue
		}
		for i := 0; i < plain && ctx.Err() == nil; i++ {
			so.sweep(so.image, v, true)
			copy(v, so.image)
		}
		plain *= 2
	}
}

// accelerate adds to x.found, whose residual is x.residual, what BiCGSTAB finds in so many
// steps at most. It ends earlier where the residual that it carries along is at most target.
func (so *solver) accelerate(ctx context.Context, steps int, target float64) {
	r, p, q, t := so.residual, so.search, so.image, so.image2
	copy(so.shadow, r)
	clear(p)
	clear(q)
	rho, alpha, omega := 1.0, 1.0, 1.0
	var dot, dot2, top sums
	for range steps {
		so.each(func(i, from, to int) { dot[i] = inner(so.shadow[from:to], r[from:to]) })
		last := rho
		rho = dot.total()
		beta := rho / last * alpha / omega
		so.each(func(i, from, to int) {
			for s := from; s < to; s++ {
				p[s] = r[s] + beta*(p[s]-omega*q[s])
			}
		})
		so.apply(q, p)
		so.each(func(i, from, to int) { dot[i] = inner(so.shadow[from:to], q[from:to]) })
		alpha = rho / dot.total()
		if math.IsNaN(alpha) || math.IsInf(alpha, 0) {
			return
		}
		so.each(func(i, from, to int) {
			for s := from; s < to; s++ {
				r[s] -= alpha * q[s]
			}
		})
		so.apply(t, r)
		so.each(func(i, from, to int) {
			dot[i], dot2[i] = inner(t[from:to], r[from:to]), inner(t[from:to], t[from:to])
		})
		if omega = dot.total() / dot2.total(); math.IsNaN(omega) || math.IsInf(omega, 0) {
			omega = 0
		}
		so.each(func(i, from, to int) {
			top[i] = 0
			for s := from; s < to; s++ {
				so.found[s] += alpha*p[s] + omega*r[s]
				r[s] -= omega * t[s]
				top[i] = max(top[i], math.Abs(r[s]))
			}
		})
		if !(top.largest() > target) || omega == 0 || ctx.Err() != nil {
			return
		}
	}
}

// apply sets out to (I − H)v.
func (so *solver) apply(out, v []float64) {
	so.sweep(out, v, false)
	so.each(func(i, from, to int) {
		for s := from; s < to; s++ {
			out[s] = v[s] - out[s]
		}
	})
}

// subtract sets w to w − v, and returns the largest |w(s)| that is left.
func (so *solver) subtract(w, v []float64) float64 {
	var top sums
	so.each(func(i, from, to int) {
		for s := from; s < to; s++ {
			w[s] -= v[s]
			top[i] = max(top[i], math.Abs(w[s]))
		}
	})
	return top.largest()
}

// each calls do for each part of the states.
func (so *solver) each(do func(i, from, to int)) {
	EachPart(so.workers, len(so.found), do)
}

// inner returns the sum of x(i)·y(i).
func inner(x, y []float64) float64 {
	sum := 0.0
	for i, a := range x {
		sum += a * y[i]
	}
	return sum
}

// longestTotal is the most steps, in the mean, that a chain may take to its end for Totals: beyond
// that, rounding leaves little of a sum.
const longestTotal = 1e12

// Totals solves a chain without a discount that ends from everywhere: it replaces v by totals of rewards,
// and returns w and e such that
//
//	w ≥ 1/2 + Pw   and   |r + Pv − v| ≤ e/2
//
// in every state. So v − ew is not above its own backup, r + P(v − ew) ≥ v − e/2 − e(w − 1/2), and v + ew not
// below it; and w bounds the steps to the end, but for a factor of 2. ew is tol at most, or what rounding allows. ok is false where ctx ends before, or
// where there are too many steps. The first v does not matter but for the time.
func (c *MarkovChain) Totals(ctx context.Context, v []float64, tol float64) (w []float64, e float64, ok bool) {
	x := newSolver(c, len(v))
	reward, most := c.reward, c.most
	c.reward, c.most = make([]float64, len(v)), 1
	for s := range c.reward {
		c.reward[s] = 1 / (1 - c.stay[s])
	}
	w = make([]float64, len(v))
	_, err := x.improve(ctx, w, 1./8)
	least, above := c.residuals(w) // of 1 + Pw − w, which must be 1/2 at most
	c.reward, c.most = reward, most
	if err != nil || !(least > math.Inf(-1) && above <= 1./2) || !(MaxAbs(w) <= longestTotal) {
		return nil, 0, false
	}
	if _, err := x.improve(ctx, v, tol/(8*MaxAbs(w))); err != nil {
		return nil, 0, false
	}
	low, high := c.residuals(v)
	return w, 2 * (max(-low, high) + c.rounding(v)), !math.IsNaN(low + high)
}

// residuals returns the least and the largest of r + Pv − v.
func (c *MarkovChain) residuals(v []float64) (least, most float64) {
	var lows, highs sums
	EachPart(c.workers, len(v), func(i, from, to int) {
		for s := from; s < to; s++ {
			residual := (c.ahead(v, s, true) - v[s]) * (1 - c.stay[s])
			lows[i], highs[i] = min(lows[i], residual), max(highs[i], residual)
		}
	})
	return slices.Min(lows[:]), highs.largest()
}
