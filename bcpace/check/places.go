package check

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/ends"
)

// place is a state and a latent under which it was reached, after some steps. Latents are
// those under which it may be, as the belief there says.
type place struct {
	s       []float64
	latent  int
	latents []int
	steps   int
}

// other draws another latent under which the state may be reached, −1 if there is none.
func (p *place) other(rng *rand.Rand) int {
	n := len(p.latents)
	at := slices.Index(p.latents, p.latent)
	if at < 0 || n < 2 {
		return -1
	}
	return p.latents[(at+1+rng.IntN(n-1))%n]
}

// maxPlaces bounds the places of each kind.
const maxPlaces = 2000

// reach finds the places to look at: those of episodes with random actions. Those of episodes that
// repeat one action go into c.far, as they reach limits of axes that random actions do not.
func (c *checker) reach() {
	for range c.opt.Episodes {
		c.rollout(func() int { return c.spec.DrawAction(c.rng) }, &c.places, c.rng)
		c.stable()
	}
	rng := c.stream(1)
	for a := range min(len(c.spec.Actions), 16) {
		c.rollout(func() int { return a }, &c.far, rng)
	}
}

// stream returns random numbers that no other part of the check uses.
func (c *checker) stream(n uint64) *rand.Rand {
	return rand.New(rand.NewPCG(c.opt.Seed, 0x636865636b+n))
}

// rollout plays an episode with the actions that act returns, and keeps the places that it reaches in list.
func (c *checker) rollout(act func() int, list *[]place, rng *rand.Rand) {
	s, next := make([]float64, len(c.spec.Axes)), make([]float64, len(c.spec.Axes))
	row, b := make(bcpace.Belief, len(c.spec.Latents)), append(bcpace.Belief(nil), c.prior...)
	latent := c.prior.Sample(rng)
	c.start(s, latent, rng)
	c.enter("StartLogLikelihood", s, -1, latent)
	bayes := bcpace.NewBayes(c.m)
	if bayes.Condition(b, s) != nil {
		b = bcpace.OneHot(len(b), latent)
	}
	c.leave()
	for t := range min(c.opt.Steps, cmp.Or(c.spec.Horizon, c.opt.Steps)) {
		c.keep(list, place{s, latent, ends.Possible(b), t})
		action := act()
		out := c.step(next, s, latent, action, rng)
		moved := c.latentRow(row, s, action, latent)
		c.enter("LogLikelihood", s, action, latent)
		if bayes.Update(b, b, s, action, next) != nil {
			b = bcpace.OneHot(len(b), latent) // what is wrong shows elsewhere
		}
		c.leave()
		if moved {
			latent = row.Sample(rng)
		}
		if out.Done {
			break
		}
		s, next = next, s
	}
}

// keep notes a place in list, once.
func (c *checker) keep(list *[]place, p place) {
	key := stateKey(p.s) + fmt.Sprint(p.latent)
	if c.known[key] || len(*list) >= maxPlaces {
		return
	}
	c.known[key] = true
	p.s = append([]float64(nil), p.s...)
	*list = append(*list, p)
}

// Calibration goes on with steps that end at a limit of an axis, wherever
// steps can come to one. Episodes with random actions stay near the start. So a tree of
// steps grows from the places that they reach towards points drawn at random, each at a
// limit of an axis (rapidly-exploring random trees, LaValle 1998). All its states are
// reached by steps, so that nothing is asked of the model that it need not answer.

const (
	treeSteps   = 100 // that the tree tries, for each of Options.Transitions
	treePlaces  = 15  // for each of them, with those that it grows from
	treeRoots   = 5   // of these, for each
	treeActions = 8   // that are tried from a place
	treeRun     = 20  // places in a row on the way to one point
	maxMissed   = 4   // limits that are named
)

// limitsOf returns the limits of all axes that have some.
func limitsOf(axes []bcpace.Axis) []limit {
	var all []limit
	for i, a := range axes {
		if !a.Discrete && a.Labels == nil && a.Period == 0 && a.Max > a.Min {
			all = append(all, limit{i, a.Min}, limit{i, a.Max})
		}
	}
	return all
}

// calibrateAtLimits is the calibration where steps lead to limits of axes.
func (c *checker) calibrateAtLimits() {
	if c.skips(Calibration) || len(c.spec.Latents) < 2 || len(c.limits) == 0 {
		return
	}
	t := &tree{c: c, found: make([][]attempt, len(c.limits)), seen: make([]int, len(c.limits)), rng: c.stream(6)}
	for _, a := range c.spec.Axes {
		per := 0.0
		if a.Max > a.Min {
			per = 1 / (a.Max - a.Min)
		}
		t.perUnit, t.turns = append(t.perUnit, per), append(t.turns, a.Period > 0)
	}
	t.grow()
	var tried []attempt
	var missed []string
	for i, l := range c.limits {
		tried = append(tried, t.found[i]...)
		if t.seen[i] == 0 {
			missed = append(missed, fmt.Sprintf("%s = %.6g", c.spec.Axes[l.axis].Name, l.value))
		}
	}
	if n := len(missed); n > maxMissed {
		missed = append(missed[:maxMissed], fmt.Sprintf("%d more", n-maxMissed))
	}
	before := c.tried[Calibration]
	fault := c.try(func() { c.calibration(tried, max(c.opt.Draws/4, 1), 16, t.rng) })
	c.atLimits = fmt.Sprintf("; %d more beside limits of axes", c.tried[Calibration]-before)
	if len(missed) > 0 {
		c.atLimits += ", and none came to " + strings.Join(missed, ", ")
	}
	c.tried[Calibration] = before
	c.must(fault)
}

// tree is the tree of steps.
type tree struct {
	c      *checker
	places []place
	found  [][]attempt // by limit, that have led there
	seen   []int       // by limit: how many have

	perUnit []float64 // by axis: 1 over its range, 0 for a single value
	turns   []bool    // by axis: whether it comes again after its range
	tried   int
	rng     *rand.Rand
}

// target is a point at a limit that the tree grows towards. Only some axes count.
type target struct {
	s      []float64
	counts []bool
}

// draw draws a target.
func (t *tree) draw(x *target) {
	l := t.c.limits[t.rng.IntN(len(t.c.limits))]
	for i, a := range t.c.spec.Axes {
		x.s[i], x.counts[i] = a.Min+t.rng.Float64()*(a.Max-a.Min), t.rng.IntN(2) == 0
	}
	x.s[l.axis], x.counts[l.axis] = l.value, true
}

// apart returns the square of the distance from s to a target, with the range of each axis
// as its unit, or any number above most where it is more than that.
func (t *tree) apart(s []float64, x *target, most float64) float64 {
	sum := 0.0
	for i := range s {
		if !x.counts[i] {
			continue
		}
		d := math.Abs(s[i]-x.s[i]) * t.perUnit[i]
		if t.turns[i] {
			d = min(d, 1-d)
		}
		if sum += d * d; sum > most {
			break
		}
	}
	return sum
}

// grow grows the tree from places of the check.
func (t *tree) grow() {
	from := slices.Concat(t.c.places, t.c.far)
	t.rng.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	t.places = from[:min(len(from), treeRoots*t.c.opt.Transitions)]
	steps, places := treeSteps*t.c.opt.Transitions, treePlaces*t.c.opt.Transitions
	n := len(t.c.spec.Axes)
	x := &target{make([]float64, n), make([]bool, n)}
	for t.tried < steps && len(t.places) < places {
		t.draw(x)
		near, least := 0, math.Inf(1)
		for i := range t.places {
			if d := t.apart(t.places[i].s, x, least); d < least {
				near, least = i, d
			}
		}
		p := t.places[near]
		for range treeRun {
			next := t.step(p, x)
			if next.s == nil {
				break
			}
			t.places = append(t.places, next)
			d := t.apart(next.s, x, least)
			if d >= least || len(t.places) == places {
				break
			}
			p, least = next, d
		}
	}
}

// step tries some actions from p, and returns the place nearest to the target that one of
// them leads to; its state is nil if all end the episode.
func (t *tree) step(p place, x *target) place {
	c, n := t.c, len(t.c.spec.Axes)
	if c.spec.Horizon > 0 && p.steps >= c.spec.Horizon {
		return place{}
	}
	action, least := -1, math.Inf(1)
	first := t.rng.IntN(len(c.spec.Actions))
	next, s := make([]float64, n), make([]float64, n)
	for k := range min(len(c.spec.Actions), treeActions) {
		a := (first + k) % len(c.spec.Actions)
		t.tried++
		out := c.once(next, p.s, p.latent, a, t.rng)
		t.note(p, a, next)
		if d := t.apart(next, x, least); !out.Done && d < least {
			action, least = a, d
			copy(s, next)
		}
	}
	if action < 0 || c.spec.Horizon > 0 && p.steps+1 >= c.spec.Horizon {
		return place{}
	}
	return t.after(p, action, s)
}

// note keeps an action at a place that leads to a limit, if another latent is possible there.
// Of all of one limit it keeps some, each with equal chances.
func (t *tree) note(p place, action int, next []float64) {
	if len(p.latents) < 2 {
		return
	}
	most := max(t.c.opt.Transitions/2/len(t.c.limits), 1)
	for i, l := range t.c.limits {
		if !l.at(next) {
			continue
		}
		t.seen[i]++
		if len(t.found[i]) < most {
			t.found[i] = append(t.found[i], attempt{p, action})
		} else if k := t.rng.IntN(t.seen[i]); k < most {
			t.found[i][k] = attempt{p, action}
		}
	}
}

// after returns the place that an action has led to from p. The latents possible there are
// those to which an even belief in the ones possible at p gives a probability.
func (t *tree) after(p place, action int, next []float64) place {
	c := t.c
	b := make(bcpace.Belief, len(c.spec.Latents))
	for _, φ := range p.latents {
		b[φ] = 1 / float64(len(p.latents))
	}
	err := asked(&c.calls, "LogLikelihood", p.s, action, p.latent, func() error { return bcpace.NewBayes(c.m).Update(b, b, p.s, action, next) })
	if err != nil {
		b = bcpace.OneHot(len(b), p.latent) // what is wrong shows elsewhere
	}
	latent := p.latent
	if row := make(bcpace.Belief, len(b)); c.latentRow(row, p.s, action, latent) {
		latent = row.Sample(t.rng)
	}
	return place{s: next, latent: latent, latents: ends.Possible(b), steps: p.steps + 1}
}
