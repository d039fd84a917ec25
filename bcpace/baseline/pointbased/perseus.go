package pointbased

import (
	"context"

	"bayescpace/bcpace/solverkit"
)

// Perseus solves finite POMDPs with mixed observability, and Finite models, by randomised
// point-based value iteration (Spaan and Vlassis 2005, "Perseus: Randomized point-based value
// iteration for POMDPs").
//
// Perseus collects a set B of beliefs once, by random actions from the start. A stage makes
// from the value V, the maximum of its α-vectors, a value V' that is nowhere lower on B, with
// few backups:
//
//  1. B' = B, and V' has no vectors.
//  2. Draw b from B' and make its backup α by V (see PBVI). Where α·b ≥ V(b), α joins
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
type Perseus = Staged[perseus]

func init() { solverkit.Register(Perseus{}) }

// perseus is Perseus as an Algorithm.
type perseus struct {
	collected bool
	group     []*StagePoint // drawn
	improved  []improvement
}

func (perseus) about() solverkit.About {
	return solverkit.About{Written: "Perseus", Doc: "raises the lower bound at a set of beliefs that random actions reach, with few backups in a stage",
		Cited: "Perseus, randomised point-based value iteration [@spaan2005], for mixed observability [@ong2010]"}
}

func (perseus) algorithm() Algorithm { return new(perseus) }

// improvement is a vector made at a point.
type improvement struct {
	at *StagePoint
	v  Vector
}

// walk is how many random steps there are at most for each belief that is allowed: in a
// small model there may be fewer beliefs.
const walk = 20

// Grow collects the beliefs, the first time that it is called.
func (p *perseus) Grow(ctx context.Context, t *Stages) bool {
	if p.collected {
		return false
	}
	p.collected = true
	starts, keep := t.Starts(), 1-t.Rate()
	begin := func() (int32, Belief) {
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

// drawn is how many beliefs are drawn at a time, so that several goroutines can make their
// backups. It does not depend on their number, so that neither does the result.
const drawn = 4

// Stage makes a value that is nowhere lower at the beliefs.
func (p *perseus) Stage(ctx context.Context, t *Stages) (rise float64) {
	for _, n := range t.Members {
		t.Raise(&n.BeliefPoint)
		n.Open = true
	}
	p.improved = p.improved[:0]
	for order := t.Rand.Perm(len(t.Members)); len(order) > 0 && ctx.Err() == nil; {
		p.group = p.group[:0]
		for ; len(order) > 0 && len(p.group) < drawn; order = order[1:] {
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
