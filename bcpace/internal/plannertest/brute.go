package plannertest

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
)

// Brute is value iteration to a horizon over the beliefs that follow, without bounds at the
// leaves but those of the range of rewards.
type Brute struct {
	Model bcpace.Finite
	// Merge, if set, has some of what follows an action stand for others.
	Merge func([]Follow) []Follow

	spec  bcpace.Spec
	bayes *bcpace.Bayes
}

// Follow is what follows an action: a state and belief with its probability.
type Follow struct {
	State  []float64
	Belief bcpace.Belief
	Prob   float64
}

// NewBrute returns the value iteration of m.
func NewBrute(m bcpace.Finite) *Brute {
	return &Brute{Model: m, spec: m.Spec(), bayes: bcpace.NewBayes(m)}
}

// Value returns a bracket of V*(s, b) from so many steps.
func (o *Brute) Value(t *testing.T, s []float64, b bcpace.Belief, steps int) (lo, hi float64) {
	if steps == 0 {
		return o.spec.VMin(), o.spec.VMax()
	}
	lo, hi = math.Inf(-1), math.Inf(-1)
	for action := range o.spec.Actions {
		low, high := o.Q(t, s, b, action, steps)
		lo, hi = max(lo, low), max(hi, high)
	}
	return lo, hi
}

// Q returns a bracket of Q*(s, b, a) from so many steps, 1 or more.
func (o *Brute) Q(t *testing.T, s []float64, b bcpace.Belief, action, steps int) (lo, hi float64) {
	var z bcpace.Successors
	z.Reset(len(o.spec.Axes), len(o.spec.Latents))
	o.Model.Successors(&z, s, action)
	var list []Follow
	for i := range z.Len() {
		next, prob, reward := z.Row(i)
		p := 0.0
		for φ, w := range b {
			p += w * prob[φ]
			lo += w * prob[φ] * reward[φ]
		}
		if p == 0 || z.Done[i] {
			continue
		}
		c := make(bcpace.Belief, len(b))
		if err := o.bayes.Update(c, b, s, action, next); err != nil {
			t.Fatal(err)
		}
		list = append(list, Follow{next, c, p})
	}
	if o.Merge != nil {
		list = o.Merge(list)
	}
	hi = lo
	for _, x := range list {
		low, high := o.Value(t, x.State, x.Belief, steps-1)
		lo, hi = lo+o.spec.Discount*x.Prob*low, hi+o.spec.Discount*x.Prob*high
	}
	return lo, hi
}

// Holds plays episodes of four steps in m and compares the interval of each decision with the
// value by Brute, from six steps. It returns the number of the decisions, and of those where the
// value is exact.
func Holds(t *testing.T, p bcpace.PolicyAbilities, m bcpace.Finite, rng *rand.Rand, what string) (decisions, exact int) {
	t.Helper()
	o, sim := NewBrute(m), bcpace.NewSimulator(m)
	for range 8 {
		if err := sim.Reset(rng); err != nil {
			t.Fatal(err)
		}
		p.Begin(sim.State, sim.Belief)
		for step := 0; step < 4 && !sim.Done; step++ {
			d, err := p.Plan(t.Context(), sim.State, sim.Belief, rng)
			if err != nil {
				t.Fatal(err)
			}
			lo, hi := o.Value(t, sim.State, sim.Belief, 6)
			slack := 1e-9 * (1 + math.Abs(lo)) // of the oracle's sums
			if d.Upper < lo-slack || d.Lower > hi+slack || !(d.Lower <= d.Upper) {
				t.Fatalf("%s, step %d: interval [%v, %v], but the value lies in [%v, %v]", what, step, d.Lower, d.Upper, lo, hi)
			}
			if decisions++; lo == hi {
				exact++
			}
			reward, err := sim.Step(d.Action, rng)
			if err != nil {
				t.Fatal(err)
			}
			p.Observe(d.Action, reward, sim.State)
		}
	}
	return decisions, exact
}
