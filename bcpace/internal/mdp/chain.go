package mdp

import (
	"context"
	"math"
)

// Chain is a Markov chain with rewards, such as an MDP whose actions are fixed. Its values
// are the solution V of V = Reward + γP·V. It is for a discount below 1.
type Chain struct {
	Discount float64 // γ
	Workers  int     // goroutines, which change the time alone

	Row    []int     // states+1: state s leads to Col[Row[s]:Row[s+1]]
	Col    []int32   // state that follows
	Weight []float64 // γ·P(state that follows)
	Reward []float64
}

// Fix makes c the chain of p in which state s has the row that row(s) says.
func (c *Chain) Fix(p *MDP, row func(s int) int) {
	c.Discount, c.Workers = p.Discount, p.Workers
	c.Row, c.Col, c.Weight, c.Reward = append(c.Row[:0], 0), c.Col[:0], c.Weight[:0], c.Reward[:0]
	for s := range p.States() {
		r := row(s)
		c.Col = append(c.Col, p.Col[p.Row[r]:p.Row[r+1]]...)
		c.Weight = append(c.Weight, p.Weight[p.Row[r]:p.Row[r+1]]...)
		c.Reward = append(c.Reward, p.Reward[r])
		c.Row = append(c.Row, len(c.Col))
	}
}

// Solve replaces v by values such that v + low ≤ V ≤ v + high, with low ≤ 0 ≤ high and
// high − low at most tol, or what rounding allows. v + low is moreover not above its own
// backup, rounding included, so that it is the value of no better plan than the chain.
// The first values do not matter but for the time. Where ctx ends before, the error is
// the context's, and low and high are what holds of the v that was reached.
//
// Let G(v) be what v becomes by a sweep in place forth and one back over each part of the
// states, which reads v where a state of another part follows. G is affine, a contraction,
// and leaves V as it is: V solves (I − H)V = G(0), where H is G without rewards. BiCGSTAB
// (van der Vorst 1992) solves that; to it, the sweeps are a preconditioner, a block
// symmetric Gauss–Seidel one. Values travel along chains of states with the sweeps, and
// the slow mode of a chain that mixes well, which falls by γ with a sweep, is gone after
// few steps of BiCGSTAB. Where these fail, sweeps alone go on.
//
// The bounds are those of the residual ρ = r + γPv − v as computed, which is within δ, see
// Rounding: V − v = Σ (γP)^k·ρ, and rows sum to γ at most.
func (c *Chain) Solve(ctx context.Context, v []float64, tol float64) (low, high float64, err error) {
	x := newSolver(c, len(v))
	target := tol * (1 - c.Discount) / 4
	for {
		change, end := x.improve(ctx, v, target)
		low, high = c.bracket(v)
		switch {
		case high-low <= tol:
			return low, high, nil
		case end != nil:
			return low, high, end
		case change <= 4*c.rounding(v): // no sweep will do better
			return low, high, nil
		}
		target = change / 8
	}
}

// bracket returns the bounds of Solve from the residual of v.
func (c *Chain) bracket(v []float64) (low, high float64) {
	var least, most sums
	EachPart(c.Workers, len(v), func(i, from, to int) {
		for s := from; s < to; s++ {
			residual := c.backup(v, s) - v[s]
			least[i], most[i] = min(least[i], residual), max(most[i], residual)
		}
	})
	delta, rate := c.rounding(v), 1-c.Discount
	return (least.least() - delta) / rate, (most.largest() + delta) / rate
}

// backup returns r + Σ γP·v of one state.
func (c *Chain) backup(v []float64, s int) float64 {
	lo, hi := c.Row[s], c.Row[s+1]
	col, weight := c.Col[lo:hi], c.Weight[lo:hi]
	sum := c.Reward[s]
	for i, to := range col {
		sum += weight[i] * v[to]
	}
	return sum
}

// rounding bounds the rounding of one backup of v, as MDP.Rounding does.
func (c *Chain) rounding(v []float64) float64 {
	var longest, reward, size sums
	EachPart(c.Workers, len(v), func(i, from, to int) {
		for s := from; s < to; s++ {
			longest[i] = max(longest[i], float64(c.Row[s+1]-c.Row[s]))
			reward[i], size[i] = max(reward[i], math.Abs(c.Reward[s])), max(size[i], math.Abs(v[s]))
		}
	})
	return (longest.largest() + 3) * 0x1p-53 * (reward.largest() + size.largest())
}

// sweep sets out to G(v), or to H(v) without the rewards. out and v must not overlap.
func (c *Chain) sweep(out, v []float64, rewards bool) {
	EachPart(c.Workers, len(v), func(_, from, to int) {
		copy(out[from:to], v[from:to])
		for s := from; s < to; s++ {
			c.step(out, v, s, from, to, rewards)
		}
		for s := to - 1; s >= from; s-- {
			c.step(out, v, s, from, to, rewards)
		}
	})
}

// step sets out(s) to the value that leaves the equation of s without a residual, given
// out at the states of its part and v at others.
func (c *Chain) step(out, v []float64, s, from, to int, rewards bool) {
	sum, self := 0.0, 0.0
	if rewards {
		sum = c.Reward[s]
	}
	lo, hi := c.Row[s], c.Row[s+1]
	col, weight := c.Col[lo:hi], c.Weight[lo:hi]
	for i, next := range col {
		n, w := int(next), weight[i]
		switch {
		case n == s:
			self += w
		case n >= from && n < to:
			sum += w * out[n]
		default:
			sum += w * v[n]
		}
	}
	if self > 0 {
		sum /= 1 - self
	}
	out[s] = sum
}

// solver has the vectors of BiCGSTAB.
type solver struct {
	*Chain
	residual, shadow, search, image, image2, found []float64
}

func newSolver(c *Chain, states int) *solver {
	x := &solver{Chain: c}
	for _, v := range []*[]float64{&x.residual, &x.shadow, &x.search, &x.image, &x.image2, &x.found} {
		*v = make([]float64, states)
	}
	return x
}

const (
	// stepsOfBiCGSTAB is the most steps without looking at the true residual.
	stepsOfBiCGSTAB = 100
	// plainSweeps is how many sweeps follow where BiCGSTAB has failed, and twice as many
	// every time after that.
	plainSweeps = 30
)

// improve brings G(v) − v down to target at most, or to what rounding allows, and returns
// its largest entry. The error is the context's.
func (x *solver) improve(ctx context.Context, v []float64, target float64) (change float64, err error) {
	for plain := plainSweeps; ; {
		x.sweep(x.residual, v, true)
		if change = x.subtract(x.residual, v); change <= target || change <= 4*x.rounding(v) {
			return change, nil
		}
		if ctx.Err() != nil {
			return change, ctx.Err()
		}
		copy(x.found, v)
		x.accelerate(ctx, max(target/2, 1e-9*change))
		x.sweep(x.image, x.found, true)
		copy(x.search, x.image)
		if better := x.subtract(x.search, x.found); better <= change/2 {
			copy(v, x.image)
			continue
		}
		for i := 0; i < plain && ctx.Err() == nil; i++ {
			x.sweep(x.image, v, true)
			copy(v, x.image)
		}
		plain *= 2
	}
}

// accelerate adds to found, of residual x.residual, what BiCGSTAB finds until the residual
// that it carries along is at most target.
func (x *solver) accelerate(ctx context.Context, target float64) {
	r, p, q, t := x.residual, x.search, x.image, x.image2
	copy(x.shadow, r)
	clear(p)
	clear(q)
	rho, alpha, omega := 1.0, 1.0, 1.0
	var dot, dot2, top sums
	for range stepsOfBiCGSTAB {
		x.each(func(i, from, to int) { dot[i] = inner(x.shadow[from:to], r[from:to]) })
		last := rho
		rho = dot.total()
		beta := rho / last * alpha / omega
		x.each(func(i, from, to int) {
			for s := from; s < to; s++ {
				p[s] = r[s] + beta*(p[s]-omega*q[s])
			}
		})
		x.apply(q, p)
		x.each(func(i, from, to int) { dot[i] = inner(x.shadow[from:to], q[from:to]) })
		alpha = rho / dot.total()
		if math.IsNaN(alpha) || math.IsInf(alpha, 0) {
			return
		}
		x.each(func(i, from, to int) {
			for s := from; s < to; s++ {
				r[s] -= alpha * q[s]
			}
		})
		x.apply(t, r)
		x.each(func(i, from, to int) {
			dot[i], dot2[i] = inner(t[from:to], r[from:to]), inner(t[from:to], t[from:to])
		})
		if omega = dot.total() / dot2.total(); math.IsNaN(omega) || math.IsInf(omega, 0) {
			omega = 0
		}
		x.each(func(i, from, to int) {
			top[i] = 0
			for s := from; s < to; s++ {
				x.found[s] += alpha*p[s] + omega*r[s]
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
func (x *solver) apply(out, v []float64) {
	x.sweep(out, v, false)
	x.each(func(i, from, to int) {
		for s := from; s < to; s++ {
			out[s] = v[s] - out[s]
		}
	})
}

// subtract takes v from x, and returns the largest entry that is left.
func (x *solver) subtract(from, v []float64) float64 {
	var top sums
	x.each(func(i, lo, hi int) {
		for s := lo; s < hi; s++ {
			from[s] -= v[s]
			top[i] = max(top[i], math.Abs(from[s]))
		}
	})
	return top.largest()
}

// each calls do for each part of the states.
func (x *solver) each(do func(i, from, to int)) {
	EachPart(x.Workers, len(x.found), do)
}

// inner returns the sum of x(i)·y(i).
func inner(x, y []float64) float64 {
	sum := 0.0
	for i, a := range x {
		sum += a * y[i]
	}
	return sum
}
