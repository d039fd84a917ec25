package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/stat"
)

// residuals are draws less their stated means, in stated deviations: if the statements are right, they are standard normal.
type residuals struct {
	what string
	at   []float64
}

// off reports whether their distribution differs from the standard normal one, by the inequality of Dvoretzky, Kiefer and
// Wolfowitz with the constant of Massart (1990): P(sup |F − Φ| > d) ≤ 2·exp(−2nd²). It returns their mean and deviation.
func (r *residuals) off(l float64) (off bool, mean, deviation float64) {
	slices.Sort(r.at)
	n, worst := float64(len(r.at)), 0.0
	var m stat.Moments
	for i, x := range r.at {
		p := math.Erfc(-x/math.Sqrt2) / 2
		worst = max(worst, p-float64(i)/n, float64(i+1)/n-p)
		m.Add(x)
	}
	return 2*n*worst*worst > l+math.Ln2, m.Mean, math.Sqrt(m.Variance())
}

// gaussian checks that Prior and Step draw what Model.Gaussian says, and that LogDensity agrees with it.
func (c *hiddenChecker) gaussian() {
	g := c.m.Gaussian
	if g == nil {
		return
	}
	rng := c.stream(0x102)
	dim, k := len(g.Mean), len(g.Of)
	var lists []*residuals
	for _, part := range []string{"Mean and Deviation say of the first hidden vector", "Move and MoveNoise say of the next hidden vector"} {
		for _, a := range c.m.Spec.Hidden {
			lists = append(lists, &residuals{what: part + " on axis " + strconv.Quote(a.Name)})
		}
	}
	for _, axis := range g.Of {
		lists = append(lists, &residuals{what: "Observe and ObserveNoise say of the next state on axis " + strconv.Quote(c.spec.Axes[axis].Name)})
	}
	lists = append(lists, &residuals{what: "Gaussian says of several axes, which it takes for independent"})
	first, moved, seen, joint := lists[:dim], lists[dim:2*dim], lists[2*dim:2*dim+k], lists[2*dim+k]
	for range 10 * c.opt.Draws {
		_, x := c.start(rng.Uint64())
		c.standardise(first, nil, x, g.Mean, g.Deviation, nil, -1)
	}
	for _, n := range c.tries(rng) {
		c.gaussianAt(n, moved, seen, joint, rng)
	}
	l := doubt(4 * len(lists))
	for _, r := range lists {
		c.tried[Gaussian] += len(r.at)
		if len(r.at) == 0 {
			continue
		}
		off, mean, deviation := r.off(l)
		c.want(!off, nil, -1, -1, "%d draws of Prior or Step are not what %s: in stated deviations they have mean %.3g and deviation %.3g, want those of a normal distribution, 0 and 1", len(r.at), r.what, mean, deviation)
	}
}

// standardise adds values to lists, less their means and in deviations. A value without deviation must be its mean. sum, if
// not nil, gets the sum of what was added, and the number.
func (c *hiddenChecker) standardise(lists []*residuals, sum *[2]float64, x, mean, deviation, s []float64, action int) {
	for i, v := range x {
		if deviation[i] == 0 {
			if math.Abs(v-mean[i]) > 1e-9*max(1, math.Abs(v)) {
				c.fault(s, action, -1, "a draw of Prior or Step is %v, not what %s: %v, without noise", v, lists[i].what, mean[i])
			}
			continue
		}
		z := (v - mean[i]) / deviation[i]
		lists[i].at = append(lists[i].at, z)
		if sum != nil {
			sum[0], sum[1] = sum[0]+z, sum[1]+1
		}
	}
}

// ending is how many steps are tried to see whether an episode may end by an action at a place: Gaussian says nothing of such steps.
const ending = 30

// gaussianAt draws steps at a place.
func (c *hiddenChecker) gaussianAt(n hiddenTry, moved, seen []*residuals, joint *residuals, rng *rand.Rand) {
	g := c.m.Gaussian
	next, nextX := c.room()
	step := func() bcpace.Outcome {
		return asked(&c.calls, "Step", n.s, n.action, -1, func() bcpace.Outcome { return c.m.Step(next, nextX, n.s, n.x, n.action, rng) })
	}
	for range ending {
		if step().Done {
			return
		}
	}
	k := len(g.Of)
	mean, deviation := slices.Clone(n.x), make([]float64, len(n.x))
	z, seenMean, seenDeviation := make([]float64, k), make([]float64, k), make([]float64, k)
	for range c.opt.Draws / 10 {
		step()
		c.enter("a function of Gaussian", n.s, n.action, -1)
		if g.Move != nil {
			g.Move(mean, n.s, n.x, n.action)
		}
		if g.MoveNoise != nil {
			g.MoveNoise(deviation, n.s, n.x, n.action)
		}
		g.Observe(seenMean, n.s, n.action, nextX)
		g.ObserveNoise(seenDeviation, n.s, n.action, nextX)
		c.leave()
		for i, axis := range g.Of {
			z[i] = next[axis]
			c.want(seenDeviation[i] > 0, n.s, n.action, -1, "ObserveNoise gives %v on axis %s, want a deviation above 0", seenDeviation[i], strconv.Quote(c.spec.Axes[axis].Name))
		}
		var sum [2]float64
		c.standardise(moved, &sum, nextX, mean, deviation, n.s, n.action)
		c.standardise(seen, &sum, z, seenMean, seenDeviation, n.s, n.action)
		if sum[1] > 1 {
			joint.at = append(joint.at, sum[0]/math.Sqrt(sum[1]))
		}
	}
	c.agrees(n, next, nextX, step)
}

// agrees checks that LogDensity tells as much of the hidden vector as Gaussian does.
func (c *hiddenChecker) agrees(n hiddenTry, next, nextX []float64, step func() bcpace.Outcome) {
	if c.m.LogDensity == nil {
		return
	}
	seen, x := slices.Clone(next), slices.Clone(nextX)
	step()
	room := make([]float64, 2*len(c.m.Gaussian.Of))
	c.enter("LogDensity or a function of Gaussian", n.s, n.action, -1)
	got := c.m.LogDensity(n.s, n.x, n.action, seen, x) - c.m.LogDensity(n.s, n.x, n.action, seen, nextX)
	want := c.m.Gaussian.LogDensity(n.s, n.action, seen, x, room) - c.m.Gaussian.LogDensity(n.s, n.action, seen, nextX, room)
	c.leave()
	c.want(!(math.Abs(got-want) > 1e-6*max(1, math.Abs(want))), n.s, n.action, -1, "LogDensity of %v differs by %v between hidden vectors %v and %v, and by Gaussian that is %v, want the same", seen, got, x, nextX, want)
}

// goroutines checks that goroutines side by side get what one alone gets.
func (c *hiddenChecker) goroutines() {
	rng := c.stream(0x103)
	plays := c.tries(rng)[:min(concurrentPlays, c.opt.Places)]
	seed := rng.Uint64()
	c.tried[Goroutines] = concurrentGoroutines * concurrentRounds * len(plays)
	deeds := func(i int) []deed {
		p, out, log := plays[i], bcpace.Outcome{}, 0.0
		next, nextX := c.room()
		return []deed{{"Step, LogDensity or Bounds", func() string {
			out, log = c.m.Step(next, nextX, p.s, p.x, p.action, rand.New(yielding{rand.NewPCG(seed, uint64(i))})), 0
			if c.m.LogDensity != nil && !out.Done {
				log = c.m.LogDensity(p.s, p.x, p.action, next, nextX)
			}
			if c.m.Bounds != nil {
				lower, upper := c.m.Bounds(p.s, p.x)
				log += lower + upper
			}
			return string(num.AppendKey(num.AppendKey(nil, next), append(nextX, out.Reward, num.OfBool(out.Done), log)))
		}, func() string { return fmt.Sprintf("%v, %v, %+v, %v", next, nextX, out, log) }}}
	}
	c.must(sideBySide(c.ctx, len(plays), func() func(i int) []deed { return deeds },
		func(i int, do func()) { c.in("Step, LogDensity or Bounds", plays[i].s, plays[i].action, -1, do) },
		func(i int, what string) error { return c.spec.Fault(plays[i].s, plays[i].action, -1, "%s", what) }))
}
