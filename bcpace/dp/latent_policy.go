package dp

import (
	"context"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// QMDPPolicy returns the LatentPolicy of m, on the values of SolveLatent. If m has a
// horizon, the policy reads the steps left; see ForPolicy. The error is that of
// SolveLatent.
func QMDPPolicy(ctx context.Context, m bcpace.Model) (bcpace.Policy, error) {
	m, err := bcpace.Discretised(m, 0)
	if err != nil {
		return nil, err
	}
	m = bcpace.KeepHorizon(m)
	q, err := SolveLatentOn(ctx, m, GridOptions{NoError: true})
	if err != nil {
		return nil, err
	}
	return bcpace.PolicyOf(m, LatentPolicy(q, len(m.Spec().Actions))), nil
}

// listedValues are latent values of a model whose actions have boxes, interpolated between a
// list of them, at one of which a largest value lies.
type listedValues interface {
	bcpace.LatentValues
	// Listed returns the values of the actions of the list, by their places there, and their ids.
	Listed() (q bcpace.LatentValues, ids []int)
}

// LatentPolicy is QMDP (Littman et al. 1995): it acts greedily on
// Σ_φ b(φ)·Q(s, φ, a), as if the latent were known after the next step.
func LatentPolicy(q bcpace.LatentValues, actions int) bcpace.Policy {
	if c, ok := q.(listedValues); ok {
		values, ids := c.Listed()
		list := LatentPolicy(values, len(ids))
		return bcpace.PolicyFunc(func(s []float64, b bcpace.Belief, rng *rand.Rand) int {
			if a := list.Act(s, b, rng); a >= 0 {
				return ids[a]
			}
			return -1
		})
	}
	latents := -1 // any number
	if v, ok := q.(interface{ Beliefs() int }); ok {
		latents = v.Beliefs()
	}
	return bcpace.PolicyFunc(func(s []float64, b bcpace.Belief, _ *rand.Rand) int {
		best, act := 0.0, -1
		if latents >= 0 && len(b) != latents {
			return act
		}
		for a := range actions {
			if v := Expected(q, s, b, a); v > best || act < 0 && !math.IsNaN(v) {
				best, act = v, a
			}
		}
		return act
	})
}

// Expected returns Σ_φ b(φ)·Q(s, φ, a), the QMDP upper bound.
func Expected(q bcpace.LatentValues, s []float64, b bcpace.Belief, action int) float64 {
	v := 0.0
	for i, p := range b {
		if p > 0 {
			v += p * q.Q(s, i, action)
		}
	}
	return v
}

// ExpectedAll fills out, of an entry for each action, with Expected(q, s, b, ·), but for rounding. It is
// faster than one call for each where the values are a table.
func ExpectedAll(out []float64, q bcpace.LatentValues, s []float64, b bcpace.Belief) {
	switch v := q.(type) {
	case *FiniteValues:
		clear(out)
		i := v.states.index(s)
		if i < 0 {
			fill(out, math.NaN())
			return
		}
		for φ, p := range b {
			if p > 0 {
				for a, x := range v.Table[(i*v.latents+φ)*v.actions:][:v.actions] {
					out[a] += p * x
				}
			}
		}
	case *GridValues:
		var at GridPlace
		if !at.Locate(v.Axes, s) {
			fill(out, math.NaN())
			return
		}
		v.Mean(out, &at, b)
	default:
		for a := range out {
			out[a] = Expected(q, s, b, a)
		}
	}
}

// fill sets all entries to x.
func fill(out []float64, x float64) {
	for i := range out {
		out[i] = x
	}
}

// BestCase returns max over φ with b(φ) > 0 of Q(s, φ, a): the paper's
// Best-Case Upper Bound.
func BestCase(q bcpace.LatentValues, s []float64, b bcpace.Belief, action int) float64 {
	v, any := 0.0, false
	for i, p := range b {
		if p > 0 {
			if x := q.Q(s, i, action); !any || x > v {
				v, any = x, true
			}
		}
	}
	return v
}
