package tune

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// race drops settings that are surely worse than another.
//
// The best setting is dropped only where some other one is ahead of it by the interval of a rung,
// though it is not ahead in truth. That has the probability share for one of them on one rung, and so delta at most for
// all others on all rungs. It does not matter that the one which drops is chosen by its values.
type race struct {
	share  float64     // of delta, for one comparison
	left   []int       // settings that were not dropped
	values [][]float64 // by setting, and seed
	rung   []int       // by setting: where it was dropped, 0 where it was not
	behind []float64   // by setting: how far at least, when it was dropped
	leader int
}

// newRace begins a race of settings over so many rungs.
func newRace(settings, rungs int, delta float64) *race {
	x := &race{share: delta / float64(max(settings-1, 1)*rungs), values: make([][]float64, settings), rung: make([]int, settings), behind: make([]float64, settings)}
	for i := range settings {
		x.left = append(x.left, i)
	}
	return x
}

// climb takes the values of the settings that are left on a rung, where one without values is dropped.
func (x *race) climb(rung int, values [][]float64) {
	var there []int
	for _, i := range x.left {
		if x.values[i] = values[i]; values[i] == nil {
			x.rung[i] = rung
			continue
		}
		there = append(there, i)
	}
	if x.left = nil; len(there) == 0 {
		return
	}
	x.leader = there[0]
	for _, i := range there {
		if mean(values[i]) > mean(values[x.leader]) {
			x.leader = i
		}
	}
	for _, i := range there {
		if i != x.leader {
			if d := x.ahead(values[x.leader], values[i]); d > 0 {
				x.rung[i], x.behind[i] = rung, d
				continue
			}
		}
		x.left = append(x.left, i)
	}
}

// ahead returns by how much a is ahead of b in expectation, with a probability of 1 − share.
func (x *race) ahead(a, b []float64) float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	m, sd := stat.MeanStdDev(d, nil)
	n := float64(len(d))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(1 - x.share)
	return m - t*sd/math.Sqrt(n)
}

// mean returns the mean of x.
func mean(x []float64) float64 { return stat.Mean(x, nil) }
