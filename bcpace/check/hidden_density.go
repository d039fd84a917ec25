package check

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/stat"
)

// The calibration of a hidden vector: as that of latents, with two hidden vectors in the place of two latents. Both are moved
// by Step, and what one of the two steps led to is shown. Given what the two vectors have become, which of them it belongs to has the odds
// that LogDensity says.

// starts checks that the first state tells of the hidden vector what StartLogDensity says: nothing, where there is none.
func (c *hiddenChecker) starts() {
	rng := c.stream(0x100)
	if c.m.Start == nil {
		c.start(rng.Uint64())
		return
	}
	var all calibrated
	var list []belief
	var tells tell
	for at := range c.opt.Draws * 4 {
		c.tried[Starts]++
		_, x := c.start(rng.Uint64())
		s, y := c.start(rng.Uint64())
		first := rng.IntN(2) == 0
		of := y
		if first {
			of = x
		}
		c.enter("Start or StartLogDensity", nil, -1, -1)
		c.m.Start(s, of, rng)
		if c.m.StartLogDensity == nil {
			c.leave()
			c.want(!tells.put(s, x, y, first, 0.5, doubt(4)), s, -1, -1, "StartLogDensity is nil, but states that Start draws tell of the hidden vector: want StartLogDensity, or a Start that does not look at x")
			continue
		}
		b := belief{logs: [2]float64{c.m.StartLogDensity(s, x), c.m.StartLogDensity(s, y)}, first: first, at: at}
		c.leave()
		c.want(!math.IsNaN(b.ratio()), s, -1, -1, "StartLogDensity is %v with hidden vector %v and %v with %v, want numbers, or -Inf for one", b.logs[0], x, b.logs[1], y)
		list = append(list, b)
		if all.put(b, doubt(4*8)) {
			what, _ := diagnosis(list, at, false, "StartLogDensity", "hidden vector")
			c.fault(s, -1, -1, "after starts such as this one, drawn with hidden vector %v or %v with equal chances, %s", x, y, what)
		}
	}
}

// tell bets that what is shown tells which of two hidden vectors it belongs to, beyond what is said: for each pair of axes, that the larger entry of the
// state is with the larger entry of the vector, and the contrary.
type tell struct {
	sums []float64 // of states at this place, for a typical one
	n    float64
	bets []stat.Bet
}

// put bets on a state, which is said to belong to x with probability p and else to y, and reports whether the wealth of one of the bets has
// come to exceed e^l times their number.
func (t *tell) put(s, x, y []float64, first bool, p, l float64) (off bool) {
	if t.bets == nil {
		t.sums, t.bets = make([]float64, len(s)), make([]stat.Bet, 2*len(s)*len(x))
	}
	l += math.Log(float64(len(t.bets)))
	gain := -p / max(p, 1-p)
	if first {
		gain = (1 - p) / max(p, 1-p)
	}
	for i, v := range s {
		for j := range x {
			if t.n > 0 && x[j] != y[j] && v != t.sums[i]/t.n {
				g := gain
				if (v > t.sums[i]/t.n) != (x[j] > y[j]) {
					g = -g
				}
				k := 2 * (i*len(x) + j)
				off = t.bets[k].Put(g, l) || off
				off = t.bets[k+1].Put(-g, l) || off
			}
		}
		t.sums[i] += v
	}
	t.n++
	return off
}

// hiddenTry is a place and an action to look at.
type hiddenTry struct {
	hiddenPlace
	action int
}

// tries returns places and actions, drawn without repetition as far as there are enough.
func (c *hiddenChecker) tries(rng *rand.Rand) (list []hiddenTry) {
	for range (c.opt.Places + len(c.places) - 1) / max(len(c.places), 1) {
		for _, i := range rng.Perm(len(c.places)) {
			if len(list) < c.opt.Places {
				list = append(list, hiddenTry{c.places[i], c.spec.DrawAction(rng)})
			}
		}
	}
	return list
}

// calibrate checks LogDensity.
func (c *hiddenChecker) calibrate() {
	if c.m.LogDensity == nil {
		return
	}
	rng := c.stream(0x101)
	tries := c.tries(rng)
	lHere, lAll := doubt(4*3*8*max(len(tries), 1)), doubt(4*3*8)
	var all calibrated
	var tells tell
	var more error
	var list []belief
	for at, n := range tries {
		var here calibrated
		clear(tells.sums)
		tells.n = 0
		for draw := range c.opt.Draws {
			if len(n.others) == 0 {
				break
			}
			y := n.others[draw%len(n.others)]
			b, next, vectors, ok := c.pair(n, y, rng)
			if !ok {
				continue
			}
			b.at = at
			list = append(list, b)
			off := here.put(b, lHere)
			if off = all.put(b, lAll) || off; off {
				what, _ := diagnosis(list, at, false, "LogDensity", "hidden vector")
				if c.m.Gaussian != nil {
					what += " (or leave Gaussian nil: its filters learn nothing from an episode that goes on, so that its end must not depend on the hidden vector)"
				}
				c.fault(n.s, n.action, -1, "after steps such as to %v, drawn with hidden vector %v or %v with equal chances, %s", next, n.x, y, what)
			}
			if tells.put(next, vectors[0], vectors[1], b.first, chance(b.ratio()), doubt(4*3)) && more == nil {
				more = c.spec.Fault(n.s, n.action, -1, "after steps such as to %v, drawn with hidden vector %v or %v with equal chances, the next state tells more of the two than LogDensity says: want the logarithm of the probability of the step under each", next, n.x, y)
			}
		}
		c.must(more) // of which all else that is wrong here tells more
	}
}

// pair takes a step with each of two hidden vectors, and returns what LogDensity says of one of the steps, and what the vectors have become. ok is false where an
// episode ends, of which it says nothing.
func (c *hiddenChecker) pair(n hiddenTry, y []float64, rng *rand.Rand) (b belief, next []float64, vectors [2][]float64, ok bool) {
	c.tried[Calibration]++
	var steps [2][]float64
	var outs [2]bcpace.Outcome
	given := [2][]float64{n.x, y}
	c.enter("Step", n.s, n.action, -1)
	for i := range steps {
		steps[i], vectors[i] = c.room()
		outs[i] = c.m.Step(steps[i], vectors[i], n.s, given[i], n.action, rng)
	}
	c.leave()
	shown := rng.IntN(2)
	if outs[shown].Done || c.m.Gaussian == nil && outs[1-shown].Done { // Step tells filters but those of Gaussian that it goes on
		return b, nil, vectors, false
	}
	next = steps[shown]
	c.density(n.s, given[shown], n.action, next, vectors[shown], outs[shown])
	c.enter("LogDensity", n.s, n.action, -1)
	for i := range given {
		b.logs[i] = c.m.LogDensity(n.s, given[i], n.action, next, vectors[i])
	}
	c.leave()
	if math.IsNaN(b.ratio()) || math.IsInf(b.logs[0], 1) || math.IsInf(b.logs[1], 1) {
		c.fault(n.s, n.action, -1, "LogDensity of %v is %v with hidden vector %v and %v with %v, want numbers, or -Inf", next, b.logs[0], vectors[0], b.logs[1], vectors[1])
	}
	b.first = shown == 0
	return b, next, vectors, true
}
