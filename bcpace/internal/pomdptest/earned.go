package pomdptest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace/pomdp"
)

// Outlook brackets what p earns in m from the start, or the optimal value where p is
// nil, by the beliefs that can follow the start, at most so many of them: beyond those
// nothing is known but the range of rewards. Neither end is off by more than tol of
// what these beliefs tell, nor on the wrong side of it.
func Outlook(m *pomdp.Model, p pomdp.Policy, most int, tol float64) (low, high float64) {
	type outcome struct {
		p  float64
		to int // −1 beyond the beliefs listed
	}
	type place struct {
		x       int
		b       []float64
		rewards []float64
		follow  [][]outcome // by action
	}
	var places []*place
	seen := make(map[string]int)
	visit := func(x int, b []float64) int {
		key := []byte{byte(x)}
		for _, v := range b {
			key = fmt.Appendf(key, " %d", int64(math.Round(v*1e11)))
		}
		i, ok := seen[string(key)]
		switch {
		case ok:
			return i
		case len(places) == most:
			return -1
		}
		seen[string(key)] = len(places)
		places = append(places, &place{x: x, b: slices.Clone(b)})
		return len(places) - 1
	}
	var roots []outcome
	b := make([]float64, m.NumHidden())
	for x := range m.NumVisible() {
		if q := m.StartBelief(b, x); q > 0 {
			roots = append(roots, outcome{q, visit(x, b)})
		}
	}
	for i := 0; i < len(places); i++ {
		at := places[i]
		for a := range m.Actions {
			if p != nil && p.Act(at.x, at.b) != a {
				continue
			}
			r := 0.0
			for y, q := range at.b {
				r += q * m.Reward[a][at.x*len(b)+y]
			}
			var list []outcome
			for x := range m.NumVisible() {
				for o := range m.Observations {
					if q := m.Update(b, at.b, at.x, a, x, o); q > 0 {
						list = append(list, outcome{q, visit(x, b)})
					}
				}
			}
			at.rewards, at.follow = append(at.rewards, r), append(at.follow, list)
		}
	}
	least, largest := math.Inf(1), math.Inf(-1)
	for _, list := range m.Reward {
		least, largest = min(least, slices.Min(list)), max(largest, slices.Max(list))
	}
	value := func(beyond float64) float64 {
		beyond /= 1 - m.Discount
		v := slices.Repeat([]float64{beyond}, len(places)+1) // the last one is that of −1
		of := func(list []outcome) (sum float64) {
			for _, k := range list {
				sum += k.p * v[(k.to+len(v))%len(v)]
			}
			return sum
		}
		for change := math.Inf(1); change*m.Discount > tol*(1-m.Discount); {
			change = 0
			for i, at := range slices.Backward(places) {
				best := math.Inf(-1)
				for k, list := range at.follow {
					best = max(best, at.rewards[k]+m.Discount*of(list))
				}
				change = max(change, math.Abs(best-v[i]))
				v[i] = best
			}
		}
		return of(roots)
	}
	return value(least), value(largest)
}

// CheckClosed fails where the value of the policy at a belief is above what its action
// earns in one step and then the value at the belief that follows: values that nowhere
// are belong to vectors that the policy attains.
func CheckClosed(t *testing.T, name string, m *pomdp.Model, p *pomdp.VectorPolicy, rng *rand.Rand) {
	t.Helper()
	scale := 0.0
	for _, list := range m.Reward {
		scale = max(scale, slices.Max(list), -slices.Min(list))
	}
	next := make([]float64, m.NumHidden())
	for i := range 40 {
		x, b := rng.IntN(m.NumVisible()), Row(rng, len(next), i%3)
		a, step := p.Act(x, b), 0.0
		for y, q := range b {
			step += q * m.Reward[a][x*len(b)+y]
		}
		for xNext := range m.NumVisible() {
			for o := range m.Observations {
				if q := m.Update(next, b, x, a, xNext, o); q > 0 {
					step += m.Discount * q * p.Value(xNext, next)
				}
			}
		}
		if v := p.Value(x, b); v > step+1e-12*scale/(1-m.Discount) {
			t.Errorf("%s: the value at (%d, %v) is %v, and by a step of action %d it is %v", name, x, b, v, a, step)
			return
		}
	}
}
