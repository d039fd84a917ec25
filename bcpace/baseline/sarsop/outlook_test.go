package sarsop

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
)

// Outlook brackets what p earns in m from the start, or the optimal value where p is
// nil, by the beliefs that can follow the start, at most so many of them: beyond those
// nothing is known but the range of rewards. Neither end is off by more than tol of
// what these beliefs tell, nor on the wrong side of it.
func Outlook(m *pomdp.Model, p pomdp.Policy, most int, tol float64) (low, high float64) {
	g, roots := beliefsOf(m, p, most, 1e-11)
	least, largest := math.Inf(1), math.Inf(-1)
	for _, list := range m.Reward {
		least, largest = min(least, slices.Min(list)), max(largest, slices.Max(list))
	}
	return g.value(roots, least, tol), g.value(roots, largest, tol)
}

// beliefsOf lists the beliefs that can follow the start when p acts, or any action is taken where p is nil, and those of the start.
func beliefsOf(m *pomdp.Model, p pomdp.Policy, most int, grain float64) (g *beliefGraph, roots []outcome) {
	g = &beliefGraph{m: m, most: most, grain: grain, seen: make(map[string]int)}
	b := make([]float64, m.NumHidden())
	for x := range m.NumVisible() {
		if q := m.StartBelief(b, x); q > 0 {
			roots = append(roots, outcome{p: q, to: g.visit(x, b)})
		}
	}
	for i := 0; i < len(g.places); i++ {
		g.expand(g.places[i], p)
	}
	return g, roots
}

// beliefGraph lists beliefs of m and which of them follow which.
type beliefGraph struct {
	m      *pomdp.Model
	most   int     // places at most
	grain  float64 // probabilities are rounded to multiples of it to tell beliefs apart
	places []*place
	seen   map[string]int // places by what is seen and a rounded belief
}

// place is what is seen and a belief in the rest.
type place struct {
	x       int
	b       []float64
	rewards []float64   // by action of the policy, or all of them without one
	follow  [][]outcome // likewise
}

// outcome is a place that may follow.
type outcome struct {
	p  float64
	to int // −1 beyond the places listed
	// Beyond, what is seen and the belief there.
	x int
	b []float64
}

// visit returns the number of a place, which it adds if it is new, or −1 where there is no room.
func (g *beliefGraph) visit(x int, b []float64) int {
	key := []byte{byte(x)}
	for _, v := range b {
		key = fmt.Appendf(key, " %d", int64(math.Round(v/g.grain)))
	}
	i, ok := g.seen[string(key)]
	switch {
	case ok:
		return i
	case len(g.places) == g.most:
		return -1
	}
	g.seen[string(key)] = len(g.places)
	g.places = append(g.places, &place{x: x, b: slices.Clone(b)})
	return len(g.places) - 1
}

// expand sets what follows at under the action of p, or under each action where p is nil.
func (g *beliefGraph) expand(at *place, p pomdp.Policy) {
	m, next := g.m, make([]float64, len(at.b))
	for a := range m.Actions {
		if p != nil && p.Act(at.x, at.b) != a {
			continue
		}
		r := 0.0
		for y, q := range at.b {
			r += q * m.Reward[a][at.x*len(at.b)+y]
		}
		var list []outcome
		for x := range m.NumVisible() {
			for o := range m.Observations {
				if q := m.Update(next, at.b, at.x, a, x, o); q > 0 {
					k := outcome{p: q, to: g.visit(x, next)}
					if k.to < 0 {
						k.x, k.b = x, slices.Clone(next)
					}
					list = append(list, k)
				}
			}
		}
		at.rewards, at.follow = append(at.rewards, r), append(at.follow, list)
	}
}

// value returns the value of the roots by value iteration, if every step beyond the places
// listed earns beyond.
func (g *beliefGraph) value(roots []outcome, beyond, tol float64) float64 {
	discount := g.m.Discount
	beyond /= 1 - discount
	v := slices.Repeat([]float64{beyond}, len(g.places)+1) // the last one is that of −1
	of := func(list []outcome) (sum float64) {
		for _, k := range list {
			sum += k.p * v[(k.to+len(v))%len(v)]
		}
		return sum
	}
	for change := math.Inf(1); change*discount > tol*(1-discount); {
		change = 0
		for i, at := range slices.Backward(g.places) {
			best := math.Inf(-1)
			for k, list := range at.follow {
				best = max(best, at.rewards[k]+discount*of(list))
			}
			change = max(change, math.Abs(best-v[i]))
			v[i] = best
		}
	}
	return of(roots)
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
		x, b := rng.IntN(m.NumVisible()), pomdptest.Row(rng, len(next), i%3)
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
