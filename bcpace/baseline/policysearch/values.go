package policysearch

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/solverkit"
)

const (
	valueKinds      = 2       // what an action is worth, and what it tells
	fewAxes         = 2       // of real numbers, up to which a grid says enough for what is earned at once to count no more
	tableAxes       = 6       // of real numbers, above which a grid says little
	tablePoints     = 1 << 14 // of a grid
	firstPoints     = 1 << 12 // of the first one, where finer ones follow
	mostPoints      = 1 << 18
	finer           = 4    // how many times as many points the next one has,
	finerTime       = 5    // and how many times as much time it takes, about
	tableTolerance  = 1e-4 // as a part of the range of returns
	certificateTime = 0.1  // of the time before a deadline
	tableShare      = 0.8  // of the time left, which remains for the search at least,
	finerShare      = 0.65 // or this where finer grids follow
	scaleEpisodes   = 32
	scaleSteps      = 50
)

// actionValues are values of actions by which a policy of the family may go.
type actionValues struct {
	bcpace.LatentValues
	scale  float64 // +Inf where they say nothing
	points int     // of their grid, at most
}

// HasValues reports whether policies for m may go by values on a grid, so that QMDP is among them: where a model lists
// what follows its states, has several actions, without a Box, and six axes of real numbers at most.
func HasValues(m bcpace.Model) bool {
	_, lists := m.(bcpace.Enumerator)
	spec := m.Spec()
	return lists && !spec.HasBox() && len(spec.Actions) > 1 && solverkit.RealAxes(spec) <= tableAxes
}

// tabulate sets the values of the family, on grids of so many points: what actions are worth to who knows the latent, and
// what they tell of it. Where ctx ends before, the values so far serve as well. The error is the model's.
func (f *family) tabulate(ctx context.Context, points int, seed uint64) error {
	f.values = nil
	for _, of := range f.valued() {
		v, err := f.valuesOf(ctx, of, points, seed)
		f.cut = ctx.Err() != nil
		if err != nil || v.LatentValues == nil {
			return err
		}
		f.values = append(f.values, v)
	}
	return nil
}

// valuesOf returns the values of one of the models that are valued, those so far where ctx ends. Without any,
// LatentValues is nil. The error is the model's.
func (f *family) valuesOf(ctx context.Context, of bcpace.Enumerator, points int, seed uint64) (v actionValues, err error) {
	if v.LatentValues, err = table(ctx, of, points); v.LatentValues == nil {
		return v, fault(err)
	}
	if v.scale, err = f.spread(v.LatentValues, seed); err != nil {
		return v, err
	}
	if !(v.scale > 0) { // all actions have the same, or some have none
		v.scale = math.Inf(1)
	}
	v.points = points
	return v, nil
}

// valued returns the models whose values are tabulated.
func (f *family) valued() []bcpace.Enumerator {
	m := f.model.(bcpace.Enumerator)
	return []bcpace.Enumerator{m, informing(m)}
}

// table returns the values of a model to who knows the latent, on a grid of so many points: those so far where ctx ends,
// and nil where there are none.
func table(ctx context.Context, m bcpace.Enumerator, points int) (bcpace.LatentValues, error) {
	lo, hi := solverkit.RangeOfReturns(m)
	q, err := dp.SolveLatentOn(ctx, m, dp.GridOptions{MaxPoints: points, Tolerance: tableTolerance * (hi - lo), NoError: true})
	if q == nil {
		return nil, err
	}
	return q, err
}

// byWorth returns the weights of the policy that takes the action that is worth most to who knows the latent
// after it, which is QMDP.
func (f *family) byWorth() []float64 {
	w := make([]float64, f.weights())
	w[len(w)-f.shared] = 1
	return w
}

// fault returns err where it says that the model breaks its contract.
func fault(err error) error {
	if broken := (*bcpace.ConformanceError)(nil); errors.As(err, &broken) {
		return err
	}
	return nil
}

// informing returns m with what a step tells of the latent as its reward: the information, in nats, between
// what follows under a latent and what follows under the prior,
//
//	Σ_s' P(s'|s,φ,a) · log P(s'|s,φ,a) / Σ_ψ P0(ψ)·P(s'|s,ψ,a)
//
// but where the episode ends, as nobody acts on it then.
func informing(m bcpace.Enumerator) bcpace.Enumerator {
	prior := make(bcpace.Belief, len(m.Spec().Latents))
	m.Prior(prior)
	return bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) {
		list := a.Successors
		a.Spec.RewardMin, a.Spec.RewardMax = 0, 0
		for _, p := range prior {
			if p > 0 {
				a.Spec.RewardMax = max(a.Spec.RewardMax, -math.Log(p))
			}
		}
		a.Successors = func(z *bcpace.Successors, s []float64, action int) {
			list(z, s, action)
			for φ := range prior {
				told := 0.0
				for i := range z.Len() {
					_, prob, _ := z.Row(i)
					if prob[φ] > 0 && prior[φ] > 0 {
						told += prob[φ] * math.Log(prob[φ]/floats.Dot(prior, prob))
					}
				}
				told = max(0, min(a.Spec.RewardMax, told))
				for i := range z.Len() {
					_, _, reward := z.Row(i)
					if reward[φ] = told; z.Done[i] {
						reward[φ] = 0
					}
				}
			}
		}
		a.ReturnRange, a.Lipschitz, a.Smoothness, a.Validate = nil, nil, nil, nil
	}).(bcpace.Enumerator)
}

// spread returns by how much values of the best action exceed those of the mean one, on average over
// states and beliefs of episodes whose actions are drawn. The error is the model's.
func (f *family) spread(q bcpace.LatentValues, seed uint64) (mean float64, err error) {
	rng := rand.New(rand.NewPCG(seed, scaleStream))
	sim := bcpace.NewSimulator(f.model)
	visits, values := 0.0, make([]float64, len(f.spec.Actions))
	for range scaleEpisodes {
		if err := sim.Reset(rng); err != nil {
			return 0, err
		}
		for range scaleSteps {
			dp.ExpectedAll(values, q, sim.State, sim.Belief)
			mean += floats.Max(values) - num.Sum(values)/float64(len(values))
			visits++
			if _, err := sim.Step(rng.IntN(len(values)), rng); err != nil {
				return 0, err
			}
			if sim.Done {
				break
			}
		}
	}
	return mean / visits, nil
}
