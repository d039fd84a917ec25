package check

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/normal"
	"bayescpace/bcpace/internal/stat"
)

// smooth compares what a model states of its smoothness with what it does: the log likelihood
// with that of normal noise around the stated mean, means, standard deviations and expected rewards
// between two places with those in their middle, how the latent moves with its rows, and what
// arriving means and earns with drawn steps.
func (c *checker) smooth() {
	if c.can.Smoothness == nil {
		return
	}
	stated := asked(&c.calls, "Smoothness", nil, -1, -1, func() bcpace.Smoothness { return c.can.Smoothness() })
	n := len(c.spec.Axes)
	c.want(len(stated.Sigma) == n && len(stated.MeanCurve) == n && (stated.SigmaCurve == nil || len(stated.SigmaCurve) == n) && (stated.Jumps == nil || len(stated.Jumps) == n) && stated.Mean != nil, nil, -1, -1, "Smoothness has %d standard deviations, %d and %d curves and %d lists of jumps, want %d of each, or no SigmaCurve and no jumps, and a Mean", len(stated.Sigma), len(stated.MeanCurve), len(stated.SigmaCurve), len(stated.Jumps), n)
	rng := c.stream(8)
	for _, p := range c.places[:min(len(c.places), 100)] {
		for action := range c.spec.Actions {
			c.tried[Smooth]++
			c.smoothDensity(stated, p, action, rng)
			c.smoothCurves(stated, p, action, rng)
			c.smoothMoves(stated, p, action)
		}
	}
	for _, p := range c.places[:min(len(c.places), 4)] {
		c.smoothReward(stated, p, rng.IntN(len(c.spec.Actions)), rng)
	}
}

// smoothDensity compares how much likelier one place that a step leads to is than another one, both
// between the ends of the axes.
func (c *checker) smoothDensity(stated bcpace.Smoothness, p place, action int, rng *rand.Rand) {
	n := len(c.spec.Axes)
	one, two := make([]float64, n), make([]float64, n)
	mean, sigma := c.smoothNoise(stated, p.s, p.latent, action)
	want := 0.0
	for i, x := range [][]float64{one, two} {
		out := c.once(x, p.s, p.latent, action, rng)
		c.smoothArrival(stated, p, action, x, out)
		l, ok := c.smoothLog(x, mean, sigma)
		if !ok {
			return
		}
		want += float64(1-2*i) * l
	}
	got := c.log(p.s, action, one, p.latent) - c.log(p.s, action, two, p.latent)
	c.want(math.Abs(got-want) <= 1e-5*(1+math.Abs(want)), p.s, action, p.latent, "LogLikelihood says that %v is e^%.6g times as likely as %v, want e^%.6g, by the mean %v and the standard deviations %v of Smoothness", one, got, two, want, mean, sigma)
	want, _ = c.smoothLog(one, mean, sigma)
	for φ := range c.spec.Latents {
		to, wide := c.smoothNoise(stated, p.s, φ, action)
		other, _ := c.smoothLog(one, to, wide)
		got := c.log(p.s, action, one, p.latent) - c.log(p.s, action, one, φ)
		c.want(math.IsInf(got, 1) || math.Abs(got-(want-other)) <= 1e-5*(1+math.Abs(want-other)), p.s, action, p.latent, "LogLikelihood says that %v is e^%.6g times as likely as under latent %d, want e^%.6g, by the means %v and %v and the standard deviations %v and %v of Smoothness", one, got, φ, want-other, mean, to, sigma, wide)
	}
}

// smoothNoise returns the means and standard deviations of a step.
func (c *checker) smoothNoise(stated bcpace.Smoothness, s []float64, latent, action int) (mean, sigma []float64) {
	mean, sigma = make([]float64, len(s)), append([]float64(nil), stated.Sigma...)
	c.enter("Smoothness", s, action, latent)
	stated.Mean(mean, s, latent, action)
	if stated.SigmaAt != nil {
		stated.SigmaAt(sigma, s, latent, action)
	}
	c.leave()
	return mean, sigma
}

// smoothLog returns the log of the density of noise at a place; false where there is none, as an axis
// has no noise or ends there.
func (c *checker) smoothLog(x, mean, sigma []float64) (sum float64, ok bool) {
	for i, a := range c.spec.Axes {
		σ := sigma[i]
		if a.Discrete && σ == 0 {
			continue
		}
		if !(σ > 0) || a.Period == 0 && (x[i] <= a.Min || x[i] >= a.Max) {
			return 0, false
		}
		noise := normal.Noise{Min: a.Min, Max: a.Max, Sigma: σ, Wraps: a.Period > 0}
		if a.Period > 0 {
			noise.Max = a.Min + a.Period
		}
		sum += noise.Log(x[i], mean[i]) + noise.LogScale(x[i])
	}
	return sum, true
}

// smoothMoves compares how the latent moves with its rows.
func (c *checker) smoothMoves(stated bcpace.Smoothness, p place, action int) {
	if stated.Moves == nil {
		return
	}
	n := len(c.spec.Latents)
	row, want := make([]float64, n), bcpace.OneHot(n, p.latent)
	c.in("Smoothness", p.s, action, p.latent, func() { stated.Moves(row, p.latent, action) })
	if of := c.can.LatentTransition; of != nil {
		c.in("LatentTransition", p.s, action, p.latent, func() { of(want, p.s, action, p.latent) })
	}
	c.want(want.L1(row) <= 1e-9, p.s, action, p.latent, "the latent moves by %v, and by %v in Smoothness, want the same", []float64(want), row)
}

// smoothArrival compares what arriving at a place means with what the step did, and with what it
// means elsewhere between the same jumps.
func (c *checker) smoothArrival(stated bcpace.Smoothness, p place, action int, next []float64, out bcpace.Outcome) {
	var at, same bcpace.Arrival
	if stated.Arrive != nil {
		c.in("Smoothness", next, -1, p.latent, func() {
			at, same = stated.Arrive(next, p.latent), stated.Arrive(middleOf(c.spec, stated, next), p.latent)
		})
	}
	c.want(at == same, next, -1, p.latent, "arriving here means %+v by Smoothness, and %+v in the middle between the same Jumps, want the same", at, same)
	c.want(at.Ends == out.Done, next, -1, p.latent, "a step that arrived here has Done %v, and Smoothness says %v", out.Done, at.Ends)
	paid := stated.Reward != nil || math.Abs(out.Reward-at.Reward) <= 1e-9*(c.spec.RewardMax-c.spec.RewardMin)
	c.want(paid, next, -1, p.latent, "a step that arrived here earned %v, and Smoothness says that it pays %v, and has no Reward beside it", out.Reward, at.Reward)
	if at.Tells {
		for φ := range c.spec.Latents {
			l := c.log(p.s, action, next, φ)
			c.want(φ == p.latent || math.IsInf(l, -1), p.s, action, φ, "arriving at %v has the log likelihood %v, want −Inf, as Smoothness says that it tells latent %d", next, l, p.latent)
		}
	}
}

// middleOf returns the place in the middle of the segments that have a place.
func middleOf(spec bcpace.Spec, stated bcpace.Smoothness, next []float64) []float64 {
	m := append([]float64(nil), next...)
	for i, a := range spec.Axes {
		if stated.Sigma[i] == 0 || a.Period == 0 && (next[i] <= a.Min || next[i] >= a.Max) {
			continue
		}
		lo, hi := segment(a, stated, i, next[i])
		m[i] = (lo + hi) / 2
	}
	return m
}

// segment returns the ends of that part of axis i, between two jumps or an end, which has x.
func segment(a bcpace.Axis, stated bcpace.Smoothness, i int, x float64) (lo, hi float64) {
	lo, hi = a.Min, a.Max
	if stated.Jumps == nil {
		return lo, hi
	}
	for _, jump := range stated.Jumps[i] {
		if jump <= x {
			lo = jump
		} else {
			hi = min(hi, jump)
		}
	}
	return lo, hi
}

// smoothCurves compares the middle between two places on one axis, with no jump between them, with their
// mean.
func (c *checker) smoothCurves(stated bcpace.Smoothness, p place, action int, rng *rand.Rand) {
	k := rng.IntN(len(c.spec.Axes))
	a := c.spec.Axes[k]
	if a.Discrete || !(a.Max > a.Min) {
		return
	}
	var at, mean, sigma [3][]float64
	var reward [3]float64
	lo, hi := a.Min, a.Max
	if stated.Jumps != nil {
		lo, hi = segment(a, stated, k, lo+(hi-lo)*rng.Float64())
	}
	from, to := lo+(hi-lo)*rng.Float64(), lo+(hi-lo)*rng.Float64()
	for i, x := range []float64{from, to, (from + to) / 2} {
		at[i] = append([]float64(nil), p.s...)
		at[i][k] = x
		mean[i], sigma[i] = c.smoothNoise(stated, at[i], p.latent, action)
		c.enter("Smoothness", at[i], action, p.latent)
		if stated.Reward != nil {
			reward[i] = stated.Reward(at[i], p.latent, action)
		}
		c.leave()
	}
	h := (to - from) / a.MetricUnit()
	for _, x := range []struct {
		what, curve string
		of          [3][]float64
		by          []float64
	}{{"mean", "MeanCurve", mean, stated.MeanCurve}, {"standard deviation", "SigmaCurve", sigma, stated.SigmaCurve}} {
		for i := range x.of[0] {
			bend := 0.0
			if x.by != nil {
				bend = x.by[i]
			}
			size := math.Abs(x.of[0][i]) + math.Abs(x.of[1][i]) + math.Abs(x.of[2][i])
			off := math.Abs(x.of[2][i] - (x.of[0][i]+x.of[1][i])/2)
			c.want(off <= bend*h*h/8+1e-9*size, at[2], action, p.latent, "the %s of axis %d is %v off the middle of those at %v and %v, want %v at most by a %s of %v", x.what, i, off, at[0], at[1], bend*h*h/8, x.curve, bend)
		}
	}
	off := reward[2] - (reward[0]+reward[1])/2
	c.want(off <= stated.RewardCurve*h*h/8+1e-9*(c.spec.RewardMax-c.spec.RewardMin), at[2], action, p.latent, "the expected reward is %v above the middle of those at %v and %v, want %v at most by a RewardCurve of %v", off, at[0], at[1], stated.RewardCurve*h*h/8, stated.RewardCurve)
}

// smoothReward compares an expected reward with the mean of drawn ones, by the inequalities of
// Hoeffding and of Maurer and Pontil (2009), of which the second one knows how much the draws differ.
func (c *checker) smoothReward(stated bcpace.Smoothness, p place, action int, rng *rand.Rand) {
	if stated.Reward == nil {
		return
	}
	next, least, most := make([]float64, len(c.spec.Axes)), 0.0, 0.0
	var beside stat.Moments // the rewards less what arriving pays
	for range c.opt.Draws {
		out := c.once(next, p.s, p.latent, action, rng)
		x := out.Reward
		if stated.Arrive != nil {
			pays := asked(&c.calls, "Smoothness", next, -1, p.latent, func() float64 { return stated.Arrive(next, p.latent).Reward })
			x, least, most = x-pays, min(least, pays), max(most, pays)
		}
		beside.Add(x)
	}
	want := asked(&c.calls, "Smoothness", p.s, action, p.latent, func() float64 { return stated.Reward(p.s, p.latent, action) })
	width := c.spec.RewardMax - c.spec.RewardMin + most - least
	l := math.Log(100 / falseAlarm)
	slack := min(width*math.Sqrt((l+math.Log(4))/float64(2*beside.N)), stat.Radius(beside.N, beside.Variance(), width, l))
	c.want(math.Abs(beside.Mean-want) <= slack, p.s, action, p.latent, "Smoothness states an expected reward of %v beside what arriving pays, want %v within %v, the mean of %d steps", want, beside.Mean, slack, c.opt.Draws)
}
