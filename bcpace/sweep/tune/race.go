package tune

import (
	"cmp"
	"math"
	"slices"

	"bayescpace/bcpace/internal/num"

	"gonum.org/v1/gonum/stat/distuv"
)

// race drops settings that are surely worse than another, or all but a fixed part.
//
// A setting is dropped by an interval without being worse in truth only where some other one is ahead of it by the interval
// of a rung, though it is not ahead in truth. That has the probability share for one of them on one rung, and so delta at
// most for all others on all rungs. It does not matter that the one which drops is chosen by its values.
type race struct {
	rungs, eta int         // eta is 0 for intervals
	share      float64     // of delta, for one comparison
	settings   []Candidate // of which it says what becomes of them
	left       []int       // settings that were not dropped
	leader     int
}

// newRace begins a race of settings over so many rungs.
func newRace(settings []Candidate, rungs, eta int, delta float64) *race {
	return &race{rungs: rungs, eta: eta, share: delta / float64(max(len(settings)-1, 1)*rungs), settings: settings, left: num.UpTo(len(settings))}
}

// climb takes the values of the settings that are left on a rung, where one without values is dropped; one of them has some.
func (r *race) climb(rung int, values [][]float64) {
	var there []int
	for _, i := range r.left {
		at := &r.settings[i]
		at.Seeds, at.Mean, at.Rung = len(values[i]), mean(values[i]), rung // unless it stays
		if at.Seeds > 0 {
			there = append(there, i)
		}
	}
	best := slices.Clone(there)
	slices.SortStableFunc(best, func(i, j int) int { return cmp.Compare(r.settings[j].Mean, r.settings[i].Mean) })
	r.leader = best[0]
	stay := func(i int) bool { return r.interval(i, values) }
	if r.eta > 0 {
		stay = r.part(best, rung)
	}
	r.left = nil
	for _, i := range there {
		if stay(i) {
			r.settings[i].Rung = 0
			r.left = append(r.left, i)
		}
	}
}

// interval reports whether the leader is not surely ahead of a setting, and notes by how much it is. It is not ahead of itself.
func (r *race) interval(i int, values [][]float64) bool {
	d := r.ahead(values[r.leader], values[i])
	if d > 0 {
		r.settings[i].Behind = d
	}
	return !(d > 0)
}

// part returns what reports whether a setting is among the fixed part of those that came to a rung. Best are those with
// values, the best first.
func (r *race) part(best []int, rung int) func(i int) bool {
	if rung < r.rungs {
		best = best[:min(max(len(r.left)/r.eta, 1), len(best))]
	}
	return func(i int) bool { return slices.Contains(best, i) }
}

// ahead returns by how much a is ahead of b in expectation, with a probability of 1 − share.
func (r *race) ahead(a, b []float64) float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	m, n, squares := mean(d), float64(len(d)), 0.0
	for _, v := range d {
		squares += (v - m) * (v - m)
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(1 - r.share)
	return m - t*math.Sqrt(squares/(n-1)/n)
}

// mean returns the mean of x, the same to the bit wherever x lies in memory; NaN of none.
func mean(x []float64) float64 { return num.Sum(x) / float64(len(x)) }
