package check

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

const (
	valueTolerance = 1e-6 // of values and bounds, as a share of the range of values
	maxValueStates = 100  // states at which a model's own values are looked at
	maxValueWork   = 3e6  // and latents times actions times successors there
)

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
		if got := q.Q(s, latent, a); !(math.Abs(got-want) <= va.tolerance) {
			va.fault(s, a, latent, "Q is %v, and what Successors lists is worth %v by the values that follow, want the same", got, want)
		}
	}
	if m, ok := q.(interface {
		Max(s []float64, latent int) float64
	}); ok {
		va.enter("Max", s, -1, latent)
		if got, want := m.Max(s, latent), most(s, latent); !(math.Abs(got-want) <= va.tolerance) {
			va.fault(s, -1, latent, "Max is %v, want the largest Q, %v", got, want)
		}
	}
	va.leave()
}

// bounds checks bounds at a state and belief.
func (va *valuer) bounds(v bcpace.ValueBounds, s []float64, b bcpace.Belief) {
	va.enter("Lower", s, -1, -1)
	lower, action := v.Lower(s, b)
	va.enter("Upper", s, -1, -1)
	upper := v.Upper(s, b)
	switch {
	case !va.spec.IsAction(action):
		va.fault(s, -1, -1, "Lower takes action %d at belief %v, want an action of the model", action, b)
	case !(lower <= upper+va.tolerance):
		va.fault(s, -1, -1, "Lower is %v and Upper %v at belief %v, want one at most the other", lower, upper, b)
	}
	for a := range va.spec.Actions {
		q := va.backup(s, b, a, func(s []float64, b bcpace.Belief) float64 {
			va.enter("Upper", s, -1, -1)
			return v.Upper(s, b)
		})
		if q > upper+va.tolerance {
			va.fault(s, a, -1, "Upper is %v at belief %v, and what follows is worth %v by Upper there, want no more", upper, b, q)
		}
	}
	q := va.backup(s, b, action, func(s []float64, b bcpace.Belief) float64 {
		va.enter("Lower", s, -1, -1)
		low, _ := v.Lower(s, b)
		return low
	})
	if va.leave(); q < lower-va.tolerance {
		va.fault(s, action, -1, "Lower is %v at belief %v, and what follows is worth %v by Lower there, want no less", lower, b, q)
	}
}
