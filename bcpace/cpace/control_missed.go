package cpace

import (
	"context"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

const (
	// missedStates is at how many states of samples missed looks, and missedControls how
	// many controls it tries there, or twice as many on each axis as the list has.
	missedStates   = 32
	missedControls = 129
)

// missed estimates by how much the values of the latent MDPs fall short, as they are those of a
// list of controls. If, wherever one is, the best control of a finer list earns at most δ more in
// one step, by the values of the list after it, then all values fall short of those of the
// finer list by δ·Σ_t γ^t at most. δ is the largest one at states of the samples, for latents in
// their beliefs. It is 0 where there is no finer list.
func (v *controlValues) missed(ctx context.Context, samples *runs.Samples) (float64, error) {
	coarse, ok := v.model.(bcpace.Enumerator)
	if !ok {
		return 0, nil
	}
	finer := coarse
	for len(finer.Spec().Actions) < missedControls || finer == coarse {
		next := solverkit.FinerControls(finer)
		if next == nil {
			return 0, nil
		}
		finer = next
	}
	spec := v.model.Spec()
	a, b := v.steps(coarse), v.steps(finer)
	most := 0.0
	look := func(s []float64, belief bcpace.Belief) error {
		for φ, p := range belief {
			if p == 0 {
				continue
			}
			before, err := a.best(ctx, s, φ)
			if err != nil {
				return err
			}
			after, err := b.best(ctx, s, φ)
			if err != nil {
				return err
			}
			most = max(most, after-before)
		}
		return nil
	}
	for i := range min(missedStates, samples.Len()) {
		x := samples.At(i * samples.Len() / min(missedStates, samples.Len()))
		if err := look(x.State, x.Belief); err != nil {
			return 0, err
		}
	}
	return most * spec.EffectiveHorizon(), nil
}

// controlSteps looks one step ahead in a list of controls.
type controlSteps struct {
	values  *controlValues
	lister  *bcpace.Lister
	γ       float64
	actions int // of the list
	after   int // of the list that the values are for
}

func (v *controlValues) steps(list bcpace.Enumerator) controlSteps {
	spec := list.Spec()
	return controlSteps{v, bcpace.NewLister(list), spec.Discount, len(spec.Actions), len(v.ids)}
}

// best returns the largest value of an action of the list under a latent, by the values after
// one step.
func (x controlSteps) best(ctx context.Context, s []float64, φ int) (float64, error) {
	best := math.Inf(-1)
	for a := range x.actions {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := x.lister.List(s, a); err != nil {
			return 0, err
		}
		q := x.lister.Reward[φ]
		to, share, moves := x.lister.Moves(φ)
		for i, done := range x.lister.Successors.Done {
			next, prob, _ := x.lister.Successors.Row(i)
			switch {
			case done || prob[φ] == 0:
			case !moves:
				q += x.γ * prob[φ] * x.value(next, φ)
			default:
				for k, after := range to {
					q += x.γ * prob[φ] * share[k] * x.value(next, int(after))
				}
			}
		}
		best = max(best, q)
	}
	return best, nil
}

// value returns the value of a latent MDP at a state, by the list that the values are for.
func (x controlSteps) value(s []float64, φ int) float64 {
	best := math.Inf(-1)
	for a := range x.after {
		best = max(best, x.values.LatentValues.Q(s, φ, a))
	}
	return best
}
