package check

import (
	"math"
	"slices"
	"strconv"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/stat"
	"bayescpace/bcpace/solverkit"

	"gonum.org/v1/gonum/floats"
)

// The sampling part of the check: what Step draws, against what LogLikelihood and
// Successors say.

// starts compares Start with Starts and StartLogLikelihood.
func (c *checker) starts() {
	e, ok := c.m.(bcpace.Enumerator)
	if !ok {
		c.startsOnAxes()
		return
	}
	var z bcpace.Successors
	c.list(e, &z, nil, -1)
	f, isFinite := c.asFinite()
	if isFinite {
		for i := range z.Len() {
			s, _, _ := z.Row(i)
			c.inSet(f, s, nil, -1, "Starts")
		}
	}
	exact := true // until a draw is not in the list
	s := make([]float64, len(c.spec.Axes))
	l := doubt(8 * z.Len() * min(len(c.prior), 16)) // starts have an eighth of the doubt
	for latent, p := range c.prior[:min(len(c.prior), 16)] {
		if p == 0 {
			continue
		}
		index := indexOf(&z)
		counts := make([]int, z.Len())
		for range c.opt.Draws {
			c.tried[Starts]++
			c.in("Start", nil, -1, latent, func() { c.m.Start(s, latent, c.rng) })
			i, ok := index[stateKey(s)]
			c.want(ok || !isFinite, s, -1, latent, "Start drew this state, which Starts does not hold")
			if !ok {
				exact = false // a quadrature of a continuous start
				break
			}
			counts[i]++
		}
		if !exact {
			break
		}
		for i, k := range counts {
			at, prob, _ := z.Row(i)
			c.want(!stat.FrequencyOff(k, c.opt.Draws, prob[latent], l), at, -1, latent, "Start drew this state %d times of %d, but Starts gives it probability %v", k, c.opt.Draws, prob[latent])
		}
	}
	c.startRatios(&z, exact)
}

// startsOnAxes checks that what Start draws lies on the axes, and tells nothing of the latent that no likelihood says, where no list says what it
// may draw.
func (c *checker) startsOnAxes() {
	s := make([]float64, len(c.spec.Axes))
	for latent, p := range c.prior[:min(len(c.prior), 16)] {
		if p == 0 {
			continue
		}
		for range c.opt.Draws {
			c.tried[Starts]++
			c.in("Start", nil, -1, latent, func() { c.m.Start(s, latent, c.rng) })
			c.onAxes(s, nil, -1, latent, "Start")
		}
	}
	c.startsTell()
}

// startRatios checks that StartLikelihood tells of the latents what Starts does.
func (c *checker) startRatios(z *bcpace.Successors, exact bool) {
	told := c.can.StartLogLikelihood
	for i := range z.Len() {
		s, prob, _ := z.Row(i)
		ref := floats.MaxIdx(prob)
		for latent, p := range prob {
			if told == nil {
				c.want(!exact || math.Abs(p-prob[ref]) <= listTolerance, s, -1, latent, "Starts gives this start state probability %v, and %v under latent %s: want the same under all, or a StartLikelihood", p, prob[ref], strconv.Quote(c.spec.Latents[ref]))
				continue
			}
			c.enter("StartLogLikelihood", s, -1, latent)
			got, top := told(s, latent), told(s, ref)
			c.leave()
			c.want(!math.IsNaN(got) && !math.IsInf(got, 1) && (p == 0) == math.IsInf(got, -1), s, -1, latent, "StartLogLikelihood is %v, but Starts gives the state probability %v", got, p)
			if want := math.Log(p / prob[ref]); exact && p > 0 && math.Abs(got-top-want) > ratioTolerance*max(1, math.Abs(want)) {
				c.fault(s, -1, latent, "StartLogLikelihood is %v above that of latent %s, but Starts gives probabilities %v and %v, whose log ratio is %v",
					got-top, strconv.Quote(c.spec.Latents[ref]), p, prob[ref], want)
			}
		}
	}
}

// draws compares Step with LogLikelihood and Successors at random places.
func (c *checker) draws() {
	if c.skips(Draws) {
		return
	}
	list := c.attempts(c.places, c.opt.Transitions, c.rng)
	coordinates := solverkit.CoordinatesOf(c.spec)
	d := &drawing{
		draws: c.opt.Draws * min(max(c.opt.Transitions/max(len(list), 1), 1), 10),
		next:  make([]float64, len(c.spec.Axes)), before: make([]float64, len(c.spec.Axes)),
		coordinates: coordinates, means: make([]stat.Moments, len(coordinates)),
		// An eighth of the doubt for each of the four tests below.
		lBet:  doubt(8 * 2 * len(c.spec.Actions) * len(c.spec.Latents)),
		lOdds: doubt(8 * len(list)),
		lList: doubt(8 * len(list)),
		lMean: doubt(8 * len(list) * (len(coordinates) + 2)),
	}
	for _, t := range list {
		c.drawAt(d, t.p.s, t.p.latent, t.action)
	}
}

// drawing is the memory of draws.
type drawing struct {
	draws int // for each triple

	next, before              []float64
	z                         bcpace.Successors
	lBet, lOdds, lList, lMean float64

	coordinates  []solverkit.Coordinate
	means        []stat.Moments // of the coordinates
	reward, done stat.Moments
	index        map[string]int
	counts       []int
	key          []byte
	stray        []float64 // a draw that the list does not hold
}

// drawAt draws from (s, latent, action), and compares.
func (c *checker) drawAt(d *drawing, s []float64, latent, action int) {
	e, lists := c.m.(bcpace.Enumerator)
	d.index, d.counts, d.stray = nil, nil, nil
	clear(d.means)
	d.reward, d.done = stat.Moments{}, stat.Moments{}
	if lists {
		err := c.try(func() { c.list(e, &d.z, s, action) })
		if lists = err == nil; lists {
			d.index, d.counts = indexOf(&d.z), make([]int, d.z.Len())
			lists = c.keepsTo(d, s, latent, action)
		} else if !c.skips(Lists) {
			c.must(err)
		}
	}
	other := -1 // another latent
	if n := len(c.spec.Latents); n > 1 {
		other = (latent + 1 + c.rng.IntN(n-1)) % n
	}
	var odds stat.Bet
	c.odds = nil
	copy(d.before, s)
	for range d.draws {
		fillWith(d.next, math.NaN())
		c.tried[Draws]++
		out := c.draw(d.next, s, latent, action, c.rng)
		if !slices.Equal(s, d.before) {
			c.fault(d.before, action, latent, "Step wrote to s, which is now %v, want s left as it is and the next state in next", s)
		}
		c.must(c.spec.CheckOutcome(out, d.next, s, action, latent))
		log := c.log(s, action, d.next, latent)
		c.possible(log, s, action, d.next, latent)
		if other >= 0 {
			x := c.log(s, action, d.next, other)
			if math.IsNaN(x) || math.IsInf(x, 1) {
				c.fault(s, action, other, "LogLikelihood of %v is %v, want a number, or -Inf", d.next, x)
			}
			if c.odds == nil && odds.Put(math.Exp(x-log)-1, d.lOdds) {
				c.odds = c.spec.Fault(s, action, latent, "LogLikelihood favours latent %s over this one for next states that Step drew under this one, such as %v: "+
					"the mean of P(s'|other)/P(s'|this) is above 1, want it to agree with Step", strconv.Quote(c.spec.Latents[other]), d.next)
			}
		}
		for i := range d.coordinates {
			d.means[i].Add(d.coordinates[i].Of(d.next))
		}
		d.reward.Add(out.Reward)
		d.done.Add(num.OfBool(out.Done))
		if lists {
			c.drawn(d, s, latent, action, out)
		}
	}
	switch {
	case d.index == nil:
	case d.stray == nil:
		c.frequencies(d, s, latent, action)
	default:
		_, isFinite := c.asFinite()
		c.want(!isFinite, s, action, latent, "Step drew %v, which Successors does not hold", d.stray)
		c.means(d, s, latent, action)
	}
	c.must(c.odds)
}

// keepsTo tries whether Step draws only states of the list; otherwise it keeps
// one that is not in d.stray.
func (c *checker) keepsTo(d *drawing, s []float64, latent, action int) bool {
	for range min(d.draws, 100) {
		c.draw(d.next, s, latent, action, c.rng)
		if _, ok := d.find(d.next); !ok {
			return false
		}
	}
	return true
}

// find returns the number of s in the list.
func (d *drawing) find(s []float64) (int, bool) {
	d.key = num.AppendKey(d.key[:0], s)
	i, ok := d.index[string(d.key)]
	if !ok && d.stray == nil {
		d.stray = append([]float64(nil), s...)
	}
	return i, ok
}

// drawn takes a draw into the counts of its list, and compares its reward and
// Done with those listed.
func (c *checker) drawn(d *drawing, s []float64, latent, action int, out bcpace.Outcome) {
	i, ok := d.find(d.next)
	if !ok {
		return
	}
	d.counts[i]++
	next, prob, reward := d.z.Row(i)
	if prob[latent] == 0 {
		c.fault(s, action, latent, "Step drew %v, to which Successors gives probability 0", next)
	}
	if out.Done != d.z.Done[i] {
		c.fault(s, action, latent, "Step returned Done %t at %v, but Successors %t", out.Done, next, d.z.Done[i])
	}
	width := c.spec.RewardMax - c.spec.RewardMin
	if width == 0 {
		return
	}
	x := (out.Reward - reward[latent]) / width
	for side, sign := range [2]float64{1, -1} {
		key := [3]int{action, latent, side}
		b := c.bets[key]
		if b == nil {
			b = new(stat.Bet)
			c.bets[key] = b
		}
		if b.Put(max(sign*x, -1), d.lBet) {
			c.fault(s, action, latent, "Step pays %v on average here (last %v, arriving at %v), but Successors says %v there", d.reward.Mean, out.Reward, next, reward[latent])
		}
	}
}

// frequencies compares the draws with the probabilities of a list that they
// keep to.
func (c *checker) frequencies(d *drawing, s []float64, latent, action int) {
	l := d.lList + math.Log(float64(d.z.Len()))
	for i, k := range d.counts {
		next, prob, _ := d.z.Row(i)
		c.want(!stat.FrequencyOff(k, d.draws, prob[latent], l), s, action, latent, "Step drew %v %d times of %d, but Successors gives it probability %v", next, k, d.draws, prob[latent])
	}
}

// means compares the draws with the means of a quadrature.
func (c *checker) means(d *drawing, s []float64, latent, action int) {
	mean := make([]float64, len(d.coordinates))
	reward, done := 0.0, 0.0
	for i := range d.z.Len() {
		next, prob, r := d.z.Row(i)
		p := prob[latent]
		for k := range mean {
			mean[k] += p * d.coordinates[k].Of(next)
		}
		if p > 0 {
			reward += p * r[latent]
			done += p * num.OfBool(d.z.Done[i])
		}
	}
	off := func(m stat.Moments, want, width, bias float64) bool {
		return math.Abs(m.Mean-want) > stat.Radius(m.N, m.Variance(), width, d.lMean)+bias*width
	}
	for k, x := range d.coordinates {
		c.want(!off(d.means[k], mean[k], x.Width, 0.01), s, action, latent, "the mean of %s after Step is %v over %d draws, but %v by Successors", x.Name, d.means[k].Mean, d.draws, mean[k])
	}
	c.want(!off(d.reward, reward, c.spec.RewardMax-c.spec.RewardMin, 0.25), s, action, latent, "Step pays %v on average over %d draws, but Successors says %v", d.reward.Mean, d.draws, reward)
	c.want(!off(d.done, done, 1, 0.25), s, action, latent, "Step ends the episode in %v of %d draws, but Successors with probability %v", d.done.Mean, d.draws, done)
}

// The statistical tests of the check. Each refuses a true hypothesis with
// probability at most e^−l, for any distribution and any number of draws; l is
// chosen so that the sum over all tests stays below falseAlarm: an eighth of it for the
// list of starts, for each of the four tests of draws, and for each of the two of the
// calibration, and a sixteenth for each of the two of the calibration at limits.

// doubt returns l for one of n tests that share falseAlarm, but for the part of the test of ends.
func doubt(n int) float64 { return math.Log(float64(n) / ((1 - endsPart) * falseAlarm)) }

// indexOf numbers the states of a list.
func indexOf(z *bcpace.Successors) map[string]int {
	index := make(map[string]int, z.Len())
	for i := range z.Len() {
		s, _, _ := z.Row(i)
		index[stateKey(s)] = i
	}
	return index
}
