package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/stat"
)

// The calibration test needs no list of successors. It draws one of two latents with equal
// chances, a step under it, and computes the posterior p of the first of the two from
// LogLikelihood. With x = 1 if the first was drawn and 0 otherwise, E[(x − p)·g(s')] = 0
// for every function g, if and only if LogLikelihood has the ratio that Step has. The test
// takes g = p − ½, which a LogLikelihood that tells too much or too little changes, and
// g = 1, which one that leans to a latent does. It takes both of steps that end at a limit
// of an axis and of the others, as a density is wrong where Step stops at a limit with
// positive probability. It bets on each of these at each state, and for each action over
// all states.

// belief is what LogLikelihood says after a step of two latents, and whether the first of
// them was drawn.
type belief struct {
	logs  [2]float64
	first bool
	at    int // the number of the place and the two latents
}

// ratio is the log of the ratio between the two latents.
func (b belief) ratio() float64 { return b.logs[0] - b.logs[1] }

// density is ratio if LogLikelihood returns a density instead of its logarithm, and NaN if it
// cannot.
func (b belief) density() float64 { return math.Log(b.logs[0]) - math.Log(b.logs[1]) }

// chance returns the posterior of the first latent where the log ratio is d.
func chance(d float64) float64 { return 1 / (1 + math.Exp(-d)) }

// calibrated bets that beliefs are wrong: by g, and in both directions.
type calibrated [2][2]stat.Bet

// put bets on a belief, and reports whether the wealth has come to exceed e^l.
func (c *calibrated) put(b belief, l float64) (off bool) {
	p := chance(b.ratio())
	x := num.OfBool(b.first) - p
	for g, v := range [2]float64{x * (2*p - 1), x} {
		for side, sign := range [2]float64{1, -1} {
			off = c[g][side].Put(sign*v, l) || off
		}
	}
	return off
}

// miscalibrated is the first failure of a kind.
type miscalibrated struct {
	p      place
	action int
	i, j   int
	at     int // of belief
	next   []float64
}

// calibrate makes the calibration test. Where LogLikelihood favours the wrong latent, of which the test of draws tells
// more, it sets swapped.
func (c *checker) calibrate() {
	if c.skips(Calibration) || len(c.spec.Latents) < 2 {
		return
	}
	rng := c.stream(2)
	list := c.attempts(slices.Concat(c.places, c.far), c.opt.Transitions, rng)
	draws := max(c.opt.Draws/4, 1) * min(max(c.opt.Transitions/max(len(list), 1), 1), 10)
	c.calibration(list, draws, 8, rng)
}

// calibration tries so many steps at each place of a list. Of the doubt, it has one part in
// so many for the bets of an action and another one for those of a place, over 8 bets each.
func (c *checker) calibration(list []attempt, draws, parts int, rng *rand.Rand) {
	lAll := doubt(parts * 8 * len(c.spec.Actions))
	lHere := doubt(parts * 8 * max(len(list), 1))
	next := make([]float64, len(c.spec.Axes))
	all := make([][2]calibrated, len(c.spec.Actions))
	beliefs := make([][2][]belief, len(c.spec.Actions))
	var failed [2]*miscalibrated
	for at, n := range list {
		p, action := n.p, n.action
		i, j := p.latent, p.other(rng)
		if j < 0 {
			continue
		}
		i, j = min(i, j), max(i, j)
		var here [2]calibrated
		for range draws {
			first := rng.IntN(2) == 0
			latent := j
			if first {
				latent = i
			}
			c.tried[Calibration]++
			c.once(next, p.s, latent, action, rng)
			x, y := c.log(p.s, action, next, i), c.log(p.s, action, next, j)
			if math.IsNaN(x-y) || math.IsInf(x, 1) || math.IsInf(y, 1) {
				c.fault(p.s, action, -1, "LogLikelihood of %v is %v under latent %s and %v under %s, want numbers, or -Inf", next, x, c.name(i), y, c.name(j))
			}
			b := belief{logs: [2]float64{x, y}, first: first, at: at}
			kind := 0
			if c.atLimit(next) {
				kind = 1
			}
			beliefs[action][kind] = append(beliefs[action][kind], b)
			off := here[kind].put(b, lHere)
			if off = all[action][kind].put(b, lAll) || off; off && failed[kind] == nil {
				failed[kind] = &miscalibrated{p: p, action: action, i: i, j: j, at: at, next: append([]float64(nil), next...)}
			}
		}
		if failed[0] != nil { // one at limits alone may be explained better by another to come
			break
		}
	}
	for kind, f := range failed {
		if f != nil {
			var what string
			what, c.swapped = diagnosis(beliefs[f.action][kind], f.at, kind == 1, "LogLikelihood", "latent")
			c.fault(f.p.s, f.action, -1, "after steps such as to %v, drawn under latent %s or %s with equal chances, %s",
				f.next, c.name(f.i), c.name(f.j), what)
		}
	}
}

// atLimit reports whether s lies at a limit of a continuous axis.
func (c *checker) atLimit(s []float64) bool {
	return slices.ContainsFunc(c.limits, func(l limit) bool { return l.at(s) })
}

// name quotes the name of a latent.
func (c *checker) name(latent int) string { return strconv.Quote(c.spec.Latents[latent]) }

// diagnosis says what is wrong with beliefs of which of two, as of is in the plural with an s, a step was drawn with; function has led to them, and at is the place
// of the failure. swapped says that they favour the wrong one.
func diagnosis(list []belief, at int, atLimit bool, function, of string) (what string, swapped bool) {
	claimed, right := 0.0, 0.0
	for _, b := range list {
		p := chance(b.ratio())
		claimed += max(p, 1-p) / float64(len(list))
		switch {
		case p == 0.5:
			right += 0.5 / float64(len(list))
		case (p > 0.5) == b.first:
			right += 1 / float64(len(list))
		}
	}
	scale := fit(list)
	plain := logScore(list, func(b belief) float64 { return scale * b.ratio() })
	what = fmt.Sprintf("%s is %.3g sure of one of the two on average, and right in %.3g of the cases: ", function, claimed, right)
	// How much likelier the beliefs are with this scale than if they told nothing: 10 hardly ever
	// comes about by chance.
	tells := float64(len(list))*(math.Ln2-plain) > 10
	const want = "want the logarithm of the probability of the step under each"
	ratio, flat := flat(list, at, atLimit)
	switch {
	case flat:
		what += fmt.Sprintf("its difference between the two is %.3g wherever the step leads, so that it tells nothing of the %s; %s", ratio, of, want)
	case scale < 0 && tells:
		return what + "it favours the wrong one", true
	case atLimit:
		what += "these steps end at a limit of an axis, where Step stops with positive probability; want there the logarithm of the probability of all that lies beyond the limit, not a density"
	case !tells:
		what += fmt.Sprintf("what it says has nothing to do with the %s under which the step was drawn; %s", of, want)
	case logScore(list, func(b belief) float64 { return b.density() }) < plain:
		what += "it returns the density itself, want its logarithm"
	case scale > 1.1:
		what += fmt.Sprintf("it tells too little; want differences between %ss that are %.3g times as large. A σ that is %.3g times that of Step would cause this", of, scale, math.Sqrt(scale))
	case scale < 0.9:
		what += fmt.Sprintf("it tells too much; want differences between %ss that are %.3g times as large. A σ that is %.3g times that of Step would cause this", of, scale, math.Sqrt(scale))
	default:
		what += "want it to agree with Step"
	}
	return what, false
}

// flat reports whether the log ratio is the same wherever a step from a place leads, but for rounding,
// and returns that at place number at. From a place, all steps to a limit may lead to the same state, so
// that the ratio must be the same at all places there.
func flat(list []belief, at int, atLimit bool) (ratio float64, flat bool) {
	first := make(map[int]float64)
	for _, b := range list {
		if atLimit {
			b.at = at
		}
		r, seen := first[b.at]
		if !seen {
			r = b.ratio()
			first[b.at] = r
		}
		if rounding := 1e-9 * (1 + math.Abs(r)); b.ratio() != r && !(math.Abs(b.ratio()-r) <= rounding) {
			return 0, false
		}
	}
	if ratio = first[at]; math.Abs(ratio) < 1e-9 { // rounding
		ratio = 0
	}
	return ratio, true
}

// fit returns the factor by which log ratios would have to be multiplied for the beliefs to
// be right: the maximum of the likelihood, which is concave, in [−64, 64].
func fit(list []belief) float64 {
	low, high := -64.0, 64.0
	for range 50 {
		k, slope := (low+high)/2, 0.0
		for _, b := range list {
			if !math.IsInf(b.ratio(), 0) {
				slope += (num.OfBool(b.first) - chance(k*b.ratio())) * b.ratio()
			}
		}
		if slope > 0 {
			low = k
		} else {
			high = k
		}
	}
	return (low + high) / 2
}

// logScore returns the mean of −log of the probability that beliefs with the log ratios of
// of gave to what was drawn, +Inf where a ratio is not a number.
func logScore(list []belief, of func(belief) float64) float64 {
	sum := 0.0
	for _, b := range list {
		d := of(b)
		if math.IsNaN(d) {
			return math.Inf(1)
		}
		if !b.first {
			d = -d
		}
		sum += max(-d, 0) + math.Log1p(math.Exp(-math.Abs(d)))
	}
	return sum / float64(len(list))
}
