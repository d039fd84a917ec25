// Package perseus solves finite POMDPs with mixed observability by randomised point-based
// value iteration: Perseus (Spaan and Vlassis 2005, "Perseus: Randomized point-based value
// iteration for POMDPs").
//
// Perseus collects a set B of beliefs once, by random actions from the start. A stage makes
// from the value V, the maximum of its α-vectors, a value V' that is nowhere lower on B, with
// few backups:
//
//  1. B' = B, and V' has no vectors.
//  2. Draw b from B' and make its backup α by V (see package pbvi). Where α·b ≥ V(b), α joins
//     V'; otherwise the vector that attains V(b) does.
//  3. Take from B' all b with V'(b) ≥ V(b), and go on with 2 until B' is empty.
//
// A backup often raises many beliefs, so that a stage makes far fewer than |B| of them. BEETLE
// (Poupart, Vlassis, Hoey and Regan 2006, "An analytic solution to discrete Bayesian
// reinforcement learning") solves BAMDPs with this algorithm on polynomials over the parameters
// of a Dirichlet prior; on a bcpace.Finite model, whose latents are a list, the vectors are
// over the latents.
//
// What differs from the paper: what the agent sees of the state is no part of the belief, so
// that vectors belong to one x (Ong, Png, Hsu and Lee 2010); beliefs that are the same are
// one; a random episode ends with probability 1−γ after each step and another begins;
// vectors start from the blind policies, which repeat one action (Hauskrecht 2000), and are
// dropped only where others are better at all beliefs of B; left out are an action whose
// upper bound is below the lower bound at b, and a backup that raises the bound by no more
// than Epsilon·(1−γ); four beliefs are drawn at a time; and a stage that raises nothing is
// followed by backups at all of B, as only they show that there is nothing to raise.
//
// The policy holds all the vectors of its plan and earns the lower bound, by proof. The upper
// bound is the fast informed bound (Hauskrecht 2000), and stays as it is.
package perseus

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/internal/pointbased"
	"bayescpace/bcpace/pomdp"
)

// Solver is Perseus as a solver, of POMDPs and of Finite models. It reads all of its
// parameters; the zero value is useful.
type Solver struct {
	// Epsilon, in reward units, ends the search when no backup raises the lower bound at any
	// belief by more than Epsilon·(1−γ), or when the bounds at the start are within it. 0
	// means that of rounding.
	Epsilon float64
	// Beliefs is the number of beliefs that are collected, at most. 0 means 1000.
	Beliefs int
	// MaxStages ends the search after so many stages. 0 means no such limit.
	MaxStages int
	// Seed is that of the random actions and of the order of backups.
	Seed uint64
	// Unrevealed has the policy of a POMDP act on the POMDP's own states. Otherwise what
	// its observations reveal becomes visible where that makes it no larger: beliefs are
	// then over fewer hidden values. A Finite model has nothing to reveal.
	Unrevealed bool
}

// Name implements bcpace.Solver.
func (Solver) Name() string { return "perseus" }

// Solve implements bcpace.Solver. The value is the lower bound, which the policy earns.
// The stop is stop.Samples with as many beliefs as are allowed, and
// stop.Converged where fewer were found. The error is a *bcpace.UnsupportedError for a
// model without numbered states, and a *bcpace.InputError for parameters that cannot be used.
func (s Solver) Solve(ctx context.Context, m bcpace.Model, c bcpace.Control) (*bcpace.Solution, error) {
	return s.method().Solve(ctx, m, c)
}

// SolvePOMDP implements pomdp.Solver. If ctx ends before it is known what observations
// reveal, the policy acts on the POMDP's own states.
func (s Solver) SolvePOMDP(ctx context.Context, m *pomdp.Model, c bcpace.Control) (*pomdp.Solution, error) {
	return s.method().SolvePOMDP(ctx, m, c)
}

// Supports returns a *bcpace.UnsupportedError for a model without numbered states.
func (s Solver) Supports(m bcpace.Model) error { return s.method().Supports(m) }

func (s Solver) method() pointbased.Method {
	const title = "Perseus"
	return pointbased.Method{Solver: s, Title: title, Unrevealed: s.Unrevealed,
		Search: pointbased.Run(s, title, pointbased.Options(s), func() pointbased.Algorithm { return new(algorithm) })}
}

// algorithm is a pointbased.Algorithm.
type algorithm struct {
	collected bool
	group     []*pointbased.Member // drawn
	improved  []improvement
}

// improvement is a vector made at a point.
type improvement struct {
	at *pointbased.Member
	v  pointbased.Vector
}

// walk is how many random steps there are at most for each belief that is allowed: in a
// small model there may be fewer beliefs.
const walk = 20

// Grow collects the beliefs, the first time that it is called.
func (p *algorithm) Grow(ctx context.Context, t *pointbased.Stages) bool {
	if p.collected {
		return false
	}
	p.collected = true
	starts, keep := t.Starts(), 1-t.Rate()
	begin := func() (int32, pointbased.Belief) {
		k := t.Choose(starts)
		return k.X, k.Belief
	}
	x, b := begin()
	for step := 0; step < walk*t.Most && len(t.Members) < t.Most && ctx.Err() == nil; step++ {
		if t.Rand.Float64() >= keep {
			x, b = begin()
		}
		k := t.Draw(x, b, t.Rand.IntN(t.NA))
		x, b = k.X, k.Belief.Clone()
		if !t.Has(x, b) {
			t.Put(x, b)
		}
	}
	return true
}

// group is how many beliefs are drawn at a time, so that several goroutines can make their
// backups. It does not depend on their number, so that neither does the result.
const group = 4

// Stage makes a value that is nowhere lower at the beliefs.
func (p *algorithm) Stage(ctx context.Context, t *pointbased.Stages) (rise float64) {
	for _, n := range t.Members {
		t.Raise(&n.Point)
		n.Open = true
	}
	p.improved = p.improved[:0]
	for order := t.Rand.Perm(len(t.Members)); len(order) > 0 && ctx.Err() == nil; {
		p.group = p.group[:0]
		for ; len(order) > 0 && len(p.group) < group; order = order[1:] {
			if n := t.Members[order[0]]; n.Open {
				p.group = append(p.group, n)
			}
		}
		made, raises := t.Backups(ctx, p.group)
		for i, n := range p.group {
			v := made[i]
			if raises[i] {
				rise = max(rise, v.Dot(n.Belief)-n.Lower)
				p.improved = append(p.improved, improvement{n, v})
			}
			for _, other := range t.At(n.X) {
				if raises[i] && v.Dot(other.Belief) >= other.Lower || !raises[i] && other.Vec == n.Vec {
					other.Open = false
				}
			}
		}
	}
	for _, k := range p.improved {
		t.Add(k.at, k.v)
	}
	clear(p.improved)
	if rise <= t.Tolerance {
		rise = max(rise, t.Sweep(ctx))
	}
	return rise
}
