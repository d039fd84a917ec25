package check

import (
	"math"
	"math/rand/v2"
	"strconv"

	"bayescpace/bcpace"
)

// scales checks the promise of a Scale of +Inf, that nothing else depends on the axis: from
// two states that differ on it alone, equal random numbers lead to the same entries of the
// other axes, reward and end, and LogLikelihood tells as much of the latent. Grids leave
// such an axis out. The values that it tries are visited ones.
func (c *checker) scales() error {
	rng := c.stream(5)
	for axis, a := range c.spec.Axes {
		if !math.IsInf(a.Scale, 1) {
			continue
		}
		for range c.opt.Transitions {
			p, q := c.places[rng.IntN(len(c.places))], c.places[rng.IntN(len(c.places))]
			if p.s[axis] == q.s[axis] {
				continue
			}
			moved := append([]float64(nil), p.s...)
			moved[axis] = q.s[axis]
			c.tried[Scales]++
			if err := c.same(p, moved, rng.IntN(len(c.spec.Actions)), p.other(rng), axis, rng.Uint64()); err != nil {
				return err
			}
		}
	}
	return nil
}

// same takes the same step from p and from moved, which differs on one axis, and compares
// what it leads to, and what that tells of the latents of p and j; j is −1 for none.
func (c *checker) same(p place, moved []float64, action, j, axis int, seed uint64) error {
	states := [2][]float64{p.s, moved}
	var next [2][]float64
	var outs [2]bcpace.Outcome
	var tells [2]float64
	for i, s := range states {
		next[i] = make([]float64, len(s))
		outs[i] = c.draw(next[i], s, p.latent, action, rand.New(rand.NewPCG(seed, 1)))
		if err := c.spec.CheckOutcome(outs[i], next[i], s, action, p.latent); err != nil {
			return err
		}
		if j >= 0 {
			tells[i] = c.log(s, action, next[i], p.latent) - c.log(s, action, next[i], j)
		}
	}
	differs := func(what string, x, y any) error {
		return c.fault(p.s, action, p.latent, "axis %s has Scale +Inf, and with %v in place of %v on it %s %v instead of %v, from equal random numbers: "+
			"want the same, as a Scale of +Inf promises that nothing else depends on the axis; otherwise give it a finite Scale",
			strconv.Quote(c.spec.Axes[axis].Name), moved[axis], p.s[axis], what, y, x)
	}
	for i, a := range c.spec.Axes {
		if x, y := next[0][i], next[1][i]; !math.IsInf(a.Scale, 1) && math.Abs(x-y) > 1e-9*(a.Max-a.Min) {
			return differs("the next entry "+strconv.Quote(a.Name)+" is", x, y)
		}
	}
	switch x, y := outs[0], outs[1]; {
	case math.Abs(x.Reward-y.Reward) > 1e-9*(c.spec.RewardMax-c.spec.RewardMin):
		return differs("the reward is", x.Reward, y.Reward)
	case x.Done != y.Done:
		return differs("Done is", x.Done, y.Done)
	}
	if x, y := tells[0], tells[1]; x != y && !(math.Abs(x-y) <= 1e-9*(1+min(math.Abs(x), math.Abs(y)))) {
		return differs("LogLikelihood under latent "+c.name(p.latent)+" less that under "+c.name(j)+" is", x, y)
	}
	return nil
}
