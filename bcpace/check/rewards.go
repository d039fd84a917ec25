package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"bayescpace/bcpace"
)

// decisive is a difference of log likelihoods that leaves a reward nothing to tell: one latent is
// a thousand times as likely as the other.
var decisive = math.Log(1000)

// asLikely says what a difference of log likelihoods below decisive tells.
func asLikely(difference float64) string {
	if difference == 0 {
		return "as likely under both"
	}
	return fmt.Sprintf("%.3g times as likely under one as under the other", math.Exp(math.Abs(difference)))
}

// rewards notes a reward that depends on the latent where the state tells nothing of it:
// an agent that sees its rewards would know more than the belief does. It compares two
// latents whose steps, with equal random numbers, lead to the same state, where that does
// not decide between them. It passes over steps that end the episode or move the latent, as it
// does not matter what is learned there.
func (c *checker) rewards() error {
	n := len(c.spec.Axes)
	rng, next, other := c.stream(4), make([]float64, n), make([]float64, n)
	row := make([]float64, len(c.spec.Latents))
	places := append(append([]place(nil), c.places...), c.far...)
	order := rng.Perm(len(places) * len(c.spec.Actions))
	for _, k := range order[:min(len(order), 10*c.opt.Transitions)] {
		p, action := places[k/len(c.spec.Actions)], k%len(c.spec.Actions)
		j := p.other(rng)
		if j < 0 {
			continue
		}
		c.tried[Rewards]++
		seed := rng.Uint64()
		step := func(to []float64, latent int) (bcpace.Outcome, error) {
			out := c.draw(to, p.s, latent, action, rand.New(rand.NewPCG(seed, 1)))
			return out, c.spec.CheckOutcome(out, to, p.s, action, latent)
		}
		x, err := step(next, p.latent)
		if err != nil {
			return err
		}
		y, err := step(other, j)
		if err != nil {
			return err
		}
		if x.Done || y.Done || !slices.Equal(next, other) || math.Abs(x.Reward-y.Reward) <= 1e-9*(c.spec.RewardMax-c.spec.RewardMin) {
			continue
		}
		one, two := c.log(p.s, action, next, p.latent), c.log(p.s, action, next, j)
		tells := math.Abs(one-two) > decisive
		if d, ok := c.m.(bcpace.LatentDynamics); ok && !tells {
			for _, latent := range []int{p.latent, j} {
				moves, err := c.latentRow(d, row, p.s, action, latent)
				if err != nil {
					return err
				}
				tells = tells || moves
			}
		}
		if !tells {
			c.notes = append(c.notes, fmt.Sprintf("at state %v, action %s pays %.6g under latent %s and %.6g under latent %s, and leads to %v, which is %s: "+
				"the belief does not learn from this reward. If the agent sees it, put the last reward on an axis of the state",
				p.s, strconv.Quote(c.spec.ActionName(action)), x.Reward, strconv.Quote(c.spec.Latents[p.latent]), y.Reward, strconv.Quote(c.spec.Latents[j]), next, asLikely(one-two)))
			return c.apart()
		}
	}
	return c.apart()
}
