package solvertest

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/online/adaops"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/bcpace/solverkit"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// withReadings returns a random model with readings and a horizon.
func withReadings(rng *rand.Rand, seed uint64) bcpace.Finite {
	inner := randmodel.New(rng, randmodel.Options{States: 2 + int(seed%2), Latents: 2 + int(seed/2%2), Actions: 2, Branch: 1 + int(seed%2),
		Kind: bcpace.LatentKind(seed / 3 % 3), Lists: seed/9%2 == 1, Drifts: seed/18%2 == 1, Horizon: 2 + int(seed/5%2)})
	m, _ := bcpace.AsFinite(bcpace.KeepHorizon(randmodel.AddReadings(inner, 2+int(seed%3), rng)))
	return m
}

// TestAdaOPSHoldsTheValue compares the interval of each of 2000 decisions in random models with
// the value by value iteration over all that follows, for any δ.
func TestAdaOPSHoldsTheValue(t *testing.T) {
	decisions := 0
	for seed := uint64(0); decisions < 2000; seed++ {
		rng := rand.New(rand.NewPCG(seed, 19))
		m := withReadings(rng, seed)
		s := adaops.Solver{Budget: bcpace.Budget{Simulations: 1 + int(seed%7*seed%23)}, Delta: []float64{0, 0.02, 0.3, 2}[seed%4]}
		if s.NoPacking = s.Delta == 0; s.NoPacking && seed%8 == 0 {
			s.NoPacking = false // the default
		}
		_, p := plannertest.Solve(t, s, m)
		held, exact := holds(t, p, m, rng, fmt.Sprintf("seed %d", seed))
		if held != exact {
			t.Fatalf("seed %d: %d of %d values are exact, want all", seed, exact, held)
		}
		decisions += held
	}
}

// packed merges by the definition: the likeliest first, what is in the same state within delta of
// a centre is one.
func packed(delta float64) func([]follow) []follow {
	return func(list []follow) (nodes []follow) {
		slices.SortStableFunc(list, func(x, y follow) int { return cmp.Compare(y.Prob, x.Prob) })
		var centres []follow
		for _, x := range list {
			at := slices.IndexFunc(centres, func(c follow) bool {
				same := c.State[0] == x.State[0] && slices.Equal(c.State[2:], x.State[2:]) // but for the reading
				return same && c.Belief.L1(x.Belief) <= delta
			})
			if at < 0 {
				centres = append(centres, x)
				nodes = append(nodes, follow{State: x.State, Belief: slices.Clone(x.Belief), Prob: x.Prob})
				continue
			}
			n := &nodes[at]
			for φ := range n.Belief {
				n.Belief[φ] = (n.Prob*n.Belief[φ] + x.Prob*x.Belief[φ]) / (n.Prob + x.Prob)
			}
			n.Prob += x.Prob
		}
		return nodes
	}
}

// TestAdaOPSError: the value of the packed tree, by brute force, is at most V*, and as near as the
// package says; a search that comes to its end takes an action that is best in that tree.
func TestAdaOPSError(t *testing.T) {
	merged, ended := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 23))
		m := withReadings(rng, seed)
		delta := []float64{0.01, 0.1, 0.5, 2}[seed%4]
		whole, tree := newBrute(m), newBrute(m)
		tree.Merge = packed(delta)
		starts, err := bcpace.StartsOf(m)
		if err != nil {
			t.Fatal(err)
		}
		at := starts[0]
		best, _ := whole.Value(t, at.State, at.Belief, 6)
		value, _ := tree.Value(t, at.State, at.Belief, 6)
		spec := m.Spec()
		lo, hi := solverkit.RangeOfReturns(m)
		most := 0.0
		for step := 1; step < 3; step++ { // horizons are 2 and 3
			most += math.Pow(spec.Discount, float64(step)) * (hi - lo) * delta
		}
		if value > best+1e-9 || value < best-most-1e-9 {
			t.Fatalf("seed %d: V_δ = %v, want it from %v − %v to that", seed, value, best, most)
		}
		if value < best-1e-9 {
			merged++
		}
		const plenty = 2000
		d := plannertest.Decide(t, adaops.Solver{Budget: bcpace.Budget{Simulations: plenty}, Delta: delta}, m, bcpace.StartPoint{State: at.State, Belief: at.Belief}, rng)
		if d.Lower > value+1e-9 || d.Upper < best-1e-9 {
			t.Fatalf("seed %d: interval [%v, %v], want one from V_δ = %v at most", seed, d.Lower, d.Upper, value)
		}
		if d.Simulations == plenty {
			continue
		}
		ended++
		if q, _ := tree.Q(t, at.State, at.Belief, d.Action, 6); q < value-1e-6*(hi-lo) {
			t.Fatalf("seed %d: action %d is worth %v in the tree, want %v", seed, d.Action, q, value)
		}
	}
	if merged < 40 || ended < 300 {
		t.Errorf("%d values with an error and %d searches at their end, want 40 and 300", merged, ended)
	}
}

// TestLookaheadHoldsTheValue compares the interval of each of 10⁴ decisions in random models with
// the value by another way: value iteration over all beliefs that follow. It is exact where
// the model has a horizon, and elsewhere so deep that what remains is small.
func TestLookaheadHoldsTheValue(t *testing.T) {
	decisions, exact := 0, 0
	for seed := uint64(0); decisions < 5000; seed++ {
		rng := rand.New(rand.NewPCG(seed, 17))
		options := randmodel.Options{States: 2 + int(seed%4), Latents: 1 + int(seed%3), Actions: 2, Branch: 2,
			Kind: bcpace.LatentKind(seed / 3 % 3), Lists: seed/9%2 == 1, Drifts: seed/18%2 == 1, Discount: 0.2 + 0.3*rng.Float64(), InformativeStart: seed%2 == 0}
		if seed%8 > 0 {
			options.Horizon, options.Discount = 2+int(seed%3), 0
		}
		m, _ := bcpace.AsFinite(bcpace.KeepHorizon(randmodel.New(rng, options)))
		_, p := plannertest.Solve(t, lookahead.Solver{Budget: bcpace.Budget{Simulations: 1 + int(seed%7*seed%23)}}, m)
		held, known := holds(t, p, m, rng, fmt.Sprintf("seed %d", seed))
		decisions, exact = decisions+held, exact+known
	}
	if exact < 2500 {
		t.Errorf("%d of %d values are exact, want 2500", exact, decisions)
	}
}

// brute is value iteration to a horizon over the beliefs that follow, without bounds at the
// leaves but those of the range of rewards.
type brute struct {
	Model bcpace.Finite
	// Merge, if set, has some of what follows an action stand for others.
	Merge func([]follow) []follow

	spec  bcpace.Spec
	bayes *bcpace.Bayes
}

// follow is what follows an action: a state and belief with its probability.
type follow struct {
	State  []float64
	Belief bcpace.Belief
	Prob   float64
}

// newBrute returns the value iteration of m.
func newBrute(m bcpace.Finite) *brute {
	return &brute{Model: m, spec: m.Spec(), bayes: bcpace.NewBayes(m)}
}

// Value returns a bracket of V*(s, b) from so many steps.
func (o *brute) Value(t *testing.T, s []float64, b bcpace.Belief, steps int) (lo, hi float64) {
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
func (o *brute) Q(t *testing.T, s []float64, b bcpace.Belief, action, steps int) (lo, hi float64) {
	var z bcpace.Successors
	z.Reset(len(o.spec.Axes), len(o.spec.Latents))
	o.Model.Successors(&z, s, action)
	var list []follow
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
		list = append(list, follow{next, c, p})
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

// holds plays episodes of four steps in m and compares the interval of each decision with the
// value by brute, from six steps. It returns the number of the decisions, and of those where the
// value is exact.
func holds(t *testing.T, p bcpace.PolicyAbilities, m bcpace.Finite, rng *rand.Rand, what string) (decisions, exact int) {
	t.Helper()
	o, sim := newBrute(m), bcpace.NewSimulator(m)
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
