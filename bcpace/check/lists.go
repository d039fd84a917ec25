package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"bayescpace/bcpace"

	"gonum.org/v1/gonum/floats"
)

// The exact part of the check for an Enumerator and a Finite model: what its lists say, without drawing.

const (
	listTolerance  = 1e-9 // of sums of probabilities, as for beliefs
	ratioTolerance = 1e-6 // of logs of likelihood ratios
	maxListStates  = 500  // states whose lists are looked at
	maxListWork    = 3e6  // and calls of LogLikelihood for them
	maxNumbers     = 4096 // states of a Finite model that are counted through

	valueTolerance = 1e-6 // of values and bounds, as a share of the range of values
	maxValueStates = 100  // states at which a model's own values are looked at
	maxValueWork   = 3e6  // and latents times actions times successors there
)

// list fills z with the successors of (s, action), or with the start states where s is nil, and checks it.
func (c *checker) list(e bcpace.Enumerator, z *bcpace.Successors, s []float64, action int) {
	call := "Successors"
	if s == nil {
		call = "Starts"
	}
	n := len(c.spec.Latents)
	z.Reset(len(c.spec.Axes), n)
	before := append([]float64(nil), s...)
	c.enter(call, s, action, -1)
	if s == nil {
		e.Starts(z)
	} else {
		e.Successors(z, s, action)
	}
	c.leave()
	c.must(c.spec.CheckSizes(z, call, s, action))
	c.want(s == nil || slices.Equal(s, before), before, action, -1, "Successors wrote to s, which is now %v, want s left as it is", s)
	c.want(z.Len() > 0, s, action, -1, "%s added no state, want at least one", call)
	sums := make([]float64, n)
	seen := make(map[string]bool, z.Len())
	for i := range z.Len() {
		next, prob, reward := z.Row(i)
		c.onAxes(next, s, action, -1, call)
		key := stateKey(next)
		if seen[key] {
			c.fault(s, action, -1, "%s holds state %v twice, want each state once, with the sum of its probabilities", call, next)
		}
		seen[key] = true
		top := 0.0
		for latent, p := range prob {
			if !(p >= 0 && p <= 1+listTolerance) {
				c.fault(s, action, latent, "%s gives state %v probability %v, want a number in [0, 1]", call, next, p)
			}
			sums[latent] += p
			top = max(top, p)
			if s == nil {
				if reward[latent] != 0 || z.Done[i] {
					c.fault(s, action, latent, "Starts gives start state %v reward %v and Done %t, want 0 and false", next, reward[latent], z.Done[i])
				}
			} else if p > 0 && !c.spec.AllowsReward(reward[latent]) {
				c.fault(s, action, latent, "Successors gives state %v reward %v, want a number within [RewardMin, RewardMax] = [%v, %v]", next, reward[latent], c.spec.RewardMin, c.spec.RewardMax)
			}
		}
		if top == 0 {
			c.fault(s, action, -1, "%s holds state %v, which has probability 0 under every latent, want only states that can follow", call, next)
		}
	}
	for latent, sum := range sums {
		if !(math.Abs(sum-1) <= listTolerance) {
			c.fault(s, action, latent, "the probabilities of %s sum to %v, want 1", call, sum)
		}
	}
}

// lists checks the lists at the places reached and, for a Finite model, at the
// states of the set, their agreement with LogLikelihood, and what the model says of its own
// values.
func (c *checker) lists() {
	e, ok := c.m.(bcpace.Enumerator)
	if !ok {
		return
	}
	f, isFinite := c.asFinite()
	var states [][]float64
	known := make(map[string]bool)
	take := func(s []float64) {
		if key := stateKey(s); !known[key] {
			known[key] = true
			states = append(states, s)
		}
	}
	for i := 0; i < len(c.places) && len(states) < maxListStates; i++ {
		take(c.places[i].s)
	}
	if isFinite {
		for k := range min(f.NumStates(), maxListStates) {
			s := make([]float64, len(c.spec.Axes))
			f.StateAt(s, c.pick(k, f.NumStates(), maxListStates))
			take(s)
		}
	}
	var z bcpace.Successors
	actions, work := len(c.spec.Actions), 0
	for k := 0; k < len(states)*actions && work <= maxListWork; k++ {
		s, action := states[k/actions], k%actions
		c.tried[Lists]++
		c.list(e, &z, s, action)
		work += z.Len() * len(c.spec.Latents)
		c.ratios(&z, s, action, isFinite)
		for i := 0; isFinite && i < z.Len(); i++ {
			next, _, _ := z.Row(i)
			c.inSet(f, next, s, action, "Successors")
		}
	}
	c.ownValues(e, states)
}

// ratios checks that Prob and LogLikelihood say the same about the latents. Of
// a quadrature, it only checks that LogLikelihood does not rule out a state
// that the list holds.
func (c *checker) ratios(z *bcpace.Successors, s []float64, action int, exact bool) {
	logs := make([]float64, len(c.spec.Latents))
	for i := range z.Len() {
		next, prob, _ := z.Row(i)
		ref := floats.MaxIdx(prob) // the most likely latent
		for latent, p := range prob {
			logs[latent] = c.log(s, action, next, latent)
			switch x := logs[latent]; {
			case math.IsNaN(x) || math.IsInf(x, 1):
				c.fault(s, action, latent, "LogLikelihood of %v is %v, want a number, or -Inf", next, x)
			case p > 0 && math.IsInf(x, -1):
				c.fault(s, action, latent, "LogLikelihood of %v is -Inf, but Successors gives it probability %v", next, p)
			case exact && p == 0 && !math.IsInf(x, -1):
				c.fault(s, action, latent, "LogLikelihood of %v is %v, but Successors gives it probability 0: want -Inf", next, x)
			}
		}
		if !exact {
			continue
		}
		for latent, p := range prob {
			if p == 0 {
				continue
			}
			want, got := math.Log(p/prob[ref]), logs[latent]-logs[ref]
			if math.Abs(want-got) > ratioTolerance*max(1, math.Abs(want)) {
				c.fault(s, action, latent, "LogLikelihood of %v is %v above that of latent %s, but Successors gives probabilities %v and %v, whose log ratio is %v",
					next, got, strconv.Quote(c.spec.Latents[ref]), p, prob[ref], want)
			}
		}
	}
}

// numbering checks that StateAt and StateIndex are inverse, and that the places
// reached are states of the set.
func (c *checker) numbering() {
	f, ok := c.asFinite()
	if !ok {
		return
	}
	n := asked(&c.calls, "NumStates", nil, -1, -1, func() int { return f.NumStates() })
	c.want(n > 0, nil, -1, -1, "NumStates is %d, want at least 1", n)
	s := make([]float64, len(c.spec.Axes))
	for k := range min(n, maxNumbers) {
		c.tried[Numbering]++
		k = c.pick(k, n, maxNumbers)
		fillWith(s, math.NaN())
		c.in("StateAt", nil, -1, -1, func() { f.StateAt(s, k) })
		c.onAxes(s, nil, -1, -1, "StateAt")
		got := asked(&c.calls, "StateIndex", s, -1, -1, func() int { return f.StateIndex(s) })
		c.want(got == k, s, -1, -1, "StateIndex is %d for the state that StateAt gives for number %d, want %d", got, k, k)
	}
	for _, p := range c.places {
		c.inSet(f, p.s, p.s, -1, "a rollout")
	}
}

// inSet checks that next is a state of the set.
func (c *checker) inSet(f bcpace.Finite, next, s []float64, action int, call string) {
	k := asked(&c.calls, "StateIndex", next, -1, -1, func() int { return f.StateIndex(next) })
	if k < 0 || k >= f.NumStates() {
		c.fault(s, action, -1, "%s leads to %v, for which StateIndex is %d, want a number from 0 to %d", call, next, k, f.NumStates()-1)
	}
	back := make([]float64, len(next))
	c.in("StateAt", next, -1, -1, func() { f.StateAt(back, k) })
	if !slices.Equal(back, next) {
		c.fault(s, action, -1, "%s leads to %v, for which StateIndex is %d, but StateAt gives %v for that number", call, next, k, back)
	}
}

// asFinite is AsFinite for the model under check.
func (c *checker) asFinite() (bcpace.Finite, bool) {
	c.enter("IsFinite", nil, -1, -1)
	defer c.leave()
	return bcpace.AsFinite(c.m)
}

// pick returns the k-th of limit numbers below n: each one where there are no
// more than that, and otherwise the ends and random ones between them.
func (c *checker) pick(k, n, limit int) int {
	switch {
	case n <= limit || k == 0:
		return k
	case k == limit-1:
		return n - 1
	}
	return c.rng.IntN(n)
}

// ownValues compares what a model says of its own values with its lists: LatentValues keep to
// the Bellman equation, and bounds to its inequalities, each at random beliefs.
func (c *checker) ownValues(e bcpace.Enumerator, states [][]float64) {
	q, valued := c.m.(bcpace.LatentValues)
	bounds, bounded := c.m.(bcpace.ValueBounds)
	if !valued && !bounded {
		return
	}
	spread := c.spec.VMax() - c.spec.VMin()
	if c.spec.Goal { // without a bound
		spread = (c.spec.RewardMax - c.spec.RewardMin) * float64(c.spec.DefaultHorizon())
	}
	x := &valuer{checker: c, lister: bcpace.NewLister(e), tolerance: valueTolerance * spread}
	rng := c.stream(7)
	work := 0
	for k := range min(len(states), maxValueStates) {
		s := states[c.pick(k, len(states), maxValueStates)]
		if valued {
			x.latent(q, s, rng.IntN(len(c.spec.Latents)))
		}
		if bounded {
			x.bounds(bounds, s, anyBelief(len(c.spec.Latents), k, rng))
		}
		if work += len(c.spec.Actions) * len(c.spec.Latents) * (1 + x.lister.Successors.Len()); work > maxValueWork {
			break
		}
	}
}

// anyBelief returns one that is certain, one over two latents or any one, by turns.
func anyBelief(latents, turn int, rng *rand.Rand) bcpace.Belief {
	b := bcpace.OneHot(latents, rng.IntN(latents))
	switch turn % 3 {
	case 1:
		p := rng.Float64()
		for i := range b {
			b[i] *= p
		}
		b[rng.IntN(latents)] += 1 - p
	case 2:
		b.SampleSimplex(rng)
	}
	return b
}

// valuer compares values with lists.
type valuer struct {
	*checker
	lister    *bcpace.Lister
	tolerance float64 // in reward units
}

// backup returns the value of an action by a value of what follows.
func (va *valuer) backup(s []float64, b bcpace.Belief, action int, value func(s []float64, b bcpace.Belief) float64) float64 {
	va.leave()
	va.must(va.lister.List(s, action))
	return va.lister.Backup(b, value)
}

// latent checks Q at a state and latent.
func (va *valuer) latent(q bcpace.LatentValues, s []float64, latent int) {
	most := func(s []float64, latent int) float64 {
		top := math.Inf(-1)
		for a := range va.spec.Actions {
			va.enter("Q", s, a, latent)
			top = max(top, q.Q(s, latent, a))
		}
		return top
	}
	mean := func(s []float64, b bcpace.Belief) (sum float64) {
		for φ, p := range b {
			if p > 0 {
				sum += p * most(s, φ)
			}
		}
		return sum
	}
	for a := range va.spec.Actions {
		want := va.backup(s, bcpace.OneHot(len(va.spec.Latents), latent), a, mean)
		va.enter("Q", s, a, latent)
		got := q.Q(s, latent, a)
		va.want(math.Abs(got-want) <= va.tolerance, s, a, latent, "Q is %v, and what Successors lists is worth %v by the values that follow, want the same", got, want)
	}
	if m, ok := q.(interface {
		Max(s []float64, latent int) float64
	}); ok {
		va.enter("Max", s, -1, latent)
		got, want := m.Max(s, latent), most(s, latent)
		va.want(math.Abs(got-want) <= va.tolerance, s, -1, latent, "Max is %v, want the largest Q, %v", got, want)
	}
	va.leave()
}

// bounds checks bounds at a state and belief.
func (va *valuer) bounds(v bcpace.ValueBounds, s []float64, b bcpace.Belief) {
	va.enter("Lower", s, -1, -1)
	lower, action := v.Lower(s, b)
	va.enter("Upper", s, -1, -1)
	upper := v.Upper(s, b)
	va.want(va.spec.IsAction(action), s, -1, -1, "Lower takes action %d at belief %v, want an action of the model", action, b)
	va.want(lower <= upper+va.tolerance, s, -1, -1, "Lower is %v and Upper %v at belief %v, want one at most the other", lower, upper, b)
	for a := range va.spec.Actions {
		q := va.backup(s, b, a, func(s []float64, b bcpace.Belief) float64 {
			va.enter("Upper", s, -1, -1)
			return v.Upper(s, b)
		})
		va.want(!(q > upper+va.tolerance), s, a, -1, "Upper is %v at belief %v, and what follows is worth %v by Upper there, want no more", upper, b, q)
	}
	q := va.backup(s, b, action, func(s []float64, b bcpace.Belief) float64 {
		va.enter("Lower", s, -1, -1)
		low, _ := v.Lower(s, b)
		return low
	})
	va.leave()
	va.want(!(q < lower-va.tolerance), s, action, -1, "Lower is %v at belief %v, and what follows is worth %v by Lower there, want no less", lower, b, q)
}
