package bcpace

import (
	"context"
	"math"
	"slices"
)

// continuousTables are the bounds of a model with continuous states that come
// from grids. They hold as far as the grids do.
type continuousTables struct {
	spec   Spec
	latent *GridValues // Q(s,φ,a)
	worst  *GridValues // the least that a policy earns under φ that takes a first
	// fixed has the values of some policies in the place of actions: those that
	// take one action for ever, then, if there is room, those that are optimal for
	// one latent.
	fixed *GridValues
}

// maxFixedValues bounds the values of fixed policies, to half a gigabyte.
const maxFixedValues = 1 << 26

// solveContinuous computes the tables of m on the grid of SolveGrid.
func solveContinuous(ctx context.Context, m Enumerator) (*continuousTables, error) {
	if err := solvable(m, "the certified algorithm", 0); err != nil {
		return nil, err
	}
	spec := m.Spec()
	axes, err := GridOptions{}.axes(spec)
	if err != nil {
		return nil, err
	}
	l := newGridLattice(spec, axes)
	p, err := newLatentMDP(ctx, m, l)
	if err != nil {
		return nil, err
	}
	tol := latentTolerance(spec)
	grid := func(actions int) *GridValues {
		return &GridValues{Axes: axes, Table: make([]float64, p.points*p.latents*actions), spec: spec, latents: p.latents, actions: actions,
			Error: math.NaN(), MeanError: math.NaN()}
	}
	policies := p.Actions + p.latents
	if p.points*p.latents*policies > maxFixedValues {
		policies = p.Actions
	}
	t := &continuousTables{spec: spec, latent: grid(p.Actions), worst: grid(p.Actions), fixed: grid(policies)}
	if _, err := p.Solve(ctx, t.latent.Table, tol); err != nil {
		return nil, err
	}
	if err := t.evaluate(ctx, p, tol); err != nil {
		return nil, err
	}
	negate(p.Reward)
	if _, err := p.Solve(ctx, t.worst.Table, tol); err != nil {
		return nil, err
	}
	negate(t.worst.Table)
	return t, nil
}

// evaluate fills fixed.
func (t *continuousTables) evaluate(ctx context.Context, p *latentMDP, tol float64) error {
	nodes := p.points * p.latents
	v, action := make([]float64, nodes), make([]int32, nodes)
	for policy := range t.fixed.actions {
		for n := range nodes {
			action[n] = int32(policy)
			if policy >= p.Actions {
				of := n/p.latents*p.latents + policy - p.Actions
				action[n] = int32(argmax(t.latent.Table[of*p.Actions : (of+1)*p.Actions]))
			}
		}
		backwards := false
		for p.Evaluate(v, action, backwards) > tol*p.Rate {
			backwards = !backwards
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		for n, x := range v {
			t.fixed.Table[n*t.fixed.actions+policy] = x
		}
	}
	return nil
}

func argmax(x []float64) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

// mean fills out, of an entry for each action of v, with Σ_φ b(φ)·v(s,φ,·) at the
// place c.
func (v *GridValues) mean(out []float64, c *corners, b Belief) {
	clear(out)
	for i := range c.len() {
		point, w := c.at(i)
		if w == 0 {
			continue
		}
		for φ, p := range b {
			if f := w * p; f > 0 {
				row := v.Table[(point*v.latents+φ)*v.actions:][:v.actions]
				for a, q := range row {
					out[a] += f * q
				}
			}
		}
	}
}

// lower fills out with the values of the fixed policies at the place c, and returns
// the largest of them, L0(s,b).
func (t *continuousTables) lower(out []float64, c *corners, b Belief) float64 {
	out = out[:t.fixed.actions]
	t.fixed.mean(out, c, b)
	return slices.Max(out)
}

// actionOf returns what a fixed policy does at s.
func (t *continuousTables) actionOf(policy int, s []float64) int {
	n := len(t.spec.Actions)
	if policy < n {
		return policy
	}
	best, top := 0, math.Inf(-1)
	for a := range n {
		if q := t.latent.Q(s, policy-n, a); q > top {
			best, top = a, q
		}
	}
	return best
}

const (
	// slopeQuantile of the slopes between neighbouring grid points, times
	// slopeMargin, stands for a Lipschitz constant in the state that is not given.
	slopeQuantile = 0.9
	slopeMargin   = 2
)

// slope estimates a Lipschitz constant of U0 − Q* in the state, in reward units
// per unit of the metric. Q* moves about as steeply as the latent values that it
// is made of, so that it is twice what these do between neighbouring points of
// the grid; but for the steepest tenth, which is where goals and walls begin.
// There Q* jumps with U0, and their difference does not. It is an estimate, and
// no bound.
func (t *continuousTables) slope() float64 {
	v := t.latent
	var slopes []float64
	stride := 1
	for i := len(v.Axes) - 1; i >= 0; i-- {
		axis := v.Axes[i]
		if axis.Points == 1 {
			continue
		}
		if !axis.Discrete {
			length := axis.Step / unit(t.spec.Axes[i])
			row := v.latents * v.actions
			for g := 0; (g+stride)*row < len(v.Table); g++ {
				if g/stride%axis.Points == axis.Points-1 {
					continue
				}
				for k := range row {
					slopes = append(slopes, math.Abs(v.Table[(g+stride)*row+k]-v.Table[g*row+k])/length)
				}
			}
		}
		stride *= axis.Points
	}
	if len(slopes) == 0 {
		return 0
	}
	slices.Sort(slopes)
	return slopeMargin * slopes[int(slopeQuantile*float64(len(slopes)-1))]
}
