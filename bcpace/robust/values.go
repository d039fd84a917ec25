package robust

import (
	"context"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/internal/controller"
	"bayescpace/bcpace/internal/stat"
)

// values returns lower bounds of the values of the k-th policy by latent: proved from its graph, where that can be written out, and
// otherwise by simulation.
func (x *search) values(ctx context.Context, p *controller.Member, k int) ([]float64, error) {
	if finite, ok := p.Writable(); ok {
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
	x.simulated = true
	return x.simulate(ctx, p, k)
}

// playShare is the share of the time that is left in which a policy is played, under all latents.
const playShare = 0.3

// simulate returns lower bounds of the values of the k-th policy from episodes under each latent. The probabilities with which one is
// false sum over all policies and latents to Delta at most, as Σ 1/((k+1)(k+2)) = 1.
func (x *search) simulate(ctx context.Context, p *controller.Member, k int) ([]float64, error) {
	n := len(x.centre)
	delta := x.set.Delta / float64(n*(k+1)*(k+2))
	low := make([]float64, n)
	open, err := bcpace.WithPrior(p.Model, bcpace.Uniform(n)) // the beliefs of the policy are its own
	if err != nil {
		return nil, err
	}
	for φ := range low {
		sure := make(bcpace.Belief, n)
		sure[φ] = 1
		world, err := bcpace.WithPrior(p.Model, sure)
		if err != nil {
			return nil, err
		}
		r, err := x.inner.Play(ctx, open, p, eval.Options{Episodes: x.set.Episodes, Seed: x.Seed + uint64(k), World: world}, playShare/float64(n-φ))
		if err != nil {
			return nil, err
		}
		low[φ] = max(stat.MeanLower(r.Returns, r.Range[0], r.Range[1], delta, x.set.Episodes)-r.Truncation, x.lo)
	}
	return low, nil
}
