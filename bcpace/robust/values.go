package robust

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/internal/meanbound"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/solverkit"
)

// values returns lower bounds of the values of the k-th policy by latent: proved from its graph, where that can be written out, and
// otherwise by simulation.
func (x *search) values(ctx context.Context, p *controller.Member, k int) ([]float64, error) {
	if finite, ok := bcpace.AsFinite(p.Model); ok && writable(p.Policy) {
		prior := make(bcpace.Belief, len(x.centre))
		p.Model.Prior(prior)
		var low []float64
		var err error
		p.Graph, err = controller.Of(ctx, finite, p.Policy, x.Epsilon/8/max(x.hi-x.lo, x.Epsilon), func(c *controller.Controller) (float64, error) {
			now, _, err := c.Returns(ctx)
			if err != nil {
				return 0, err
			}
			if low == nil || product(prior, now) > product(prior, low) {
				low = now
			}
			return product(prior, now), nil
		})
		return low, err
	}
	x.basis = bcpace.BySimulation
	return x.simulated(ctx, p, k)
}

// writable reports whether a policy is a function of state and belief.
func writable(p bcpace.Policy) bool {
	_, plans := bcpace.AsPlanner(p)
	_, remembers := solverkit.AsEpisodic(p)
	return !plans && !remembers
}

// simulated returns lower bounds of the values of the k-th policy from episodes under each latent. The probabilities with which one is
// false sum over all policies and latents to Delta at most, as Σ 1/((k+1)(k+2)) = 1.
func (x *search) simulated(ctx context.Context, p *controller.Member, k int) ([]float64, error) {
	n := len(x.centre)
	delta := x.Delta / float64(n*(k+1)*(k+2))
	low := make([]float64, n)
	open, err := bcpace.WithPrior(p.Model, bcpace.Uniform(n)) // the beliefs of the policy are its own
	if err != nil {
		return nil, err
	}
	policy := controller.NewMixture([]controller.Member{*p}, []float64{1})
	simulating, cancel := runs.LeaveTime(ctx, 1-leftTime)
	defer cancel()
	for φ := range low {
		sure := make(bcpace.Belief, n)
		sure[φ] = 1
		world, err := bcpace.WithPrior(p.Model, sure)
		if err != nil {
			return nil, err
		}
		share, cancel := runs.LeaveTime(simulating, 1-1/float64(n-φ))
		r, err := eval.Rollouts(share, open, policy, eval.Options{Episodes: x.Episodes, Seed: x.Seed + uint64(k), Workers: x.control.Workers, World: world})
		ended := share.Err() != nil // the bound holds for what was played till then
		if cancel(); err != nil && !ended {
			return nil, err
		}
		low[φ] = max(meanbound.Lower(r.Returns, r.Range[0], r.Range[1], delta, x.Episodes)-r.Truncation, x.lo)
	}
	return low, nil
}
