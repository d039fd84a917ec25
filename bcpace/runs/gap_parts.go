package runs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bayescpace/bcpace"
)

// GapParts say what holds the bounds of a statistical certificate apart, in reward units:
// their sum is its Gap. The largest of them is what to work on.
type GapParts struct {
	// Search is what the policy that was found may still miss: more time, more samples or
	// a smaller ε shrink it.
	Search float64
	// Lipschitz is the part of what is missed that goes to carrying bounds from samples to
	// other states, by the Lipschitz constant of a search: a smaller one, or a Scale that
	// fits the axes better, shrinks it.
	Lipschitz float64
	// Grid is what was added to the upper bound for the estimated error of a grid: more
	// points, or points on the borders where values jump, shrink it.
	Grid float64
	// Simulation is what the lower bound lacks of the mean of the simulated returns, to
	// hold with probability 1 − Delta: more episodes shrink it.
	Simulation float64
}

// String lists the parts, the largest first, without those that are 0.
func (p GapParts) String() string {
	type part struct {
		name string
		size float64
	}
	all := []part{{"search", p.Search}, {"Lipschitz constant", p.Lipschitz}, {"grid", p.Grid}, {"simulation", p.Simulation}}
	slices.SortStableFunc(all, func(x, y part) int { return cmp.Compare(y.size, x.size) })
	var words []string
	for _, x := range all {
		if x.size > 0 {
			words = append(words, fmt.Sprintf("%s %.3g", x.name, x.size))
		}
	}
	return strings.Join(words, ", ")
}

// lipschitzSharer are Values that can tell which part of the gap at the start, from 0 to
// 1, goes to a Lipschitz constant.
type lipschitzSharer interface{ LipschitzShare() float64 }

// partsOf returns the parts of the gap of c, the certificate of simulated returns. grid is
// what its upper bound, if it is the one assumed, has for the error of a grid.
func (r *Run) partsOf(c bcpace.Certificate, x *simulation, grid float64) GapParts {
	if len(x.returns) == 0 || c.LowerBy != bcpace.BySimulation {
		return GapParts{}
	}
	mean := 0.0
	for _, y := range x.returns {
		mean += y / float64(len(x.returns))
	}
	p := GapParts{Simulation: max(0, min(mean-c.Lower, c.Gap()))}
	if c.UpperBy == bcpace.ByAssumption {
		p.Grid = min(grid, c.Gap()-p.Simulation)
	}
	p.Search = c.Gap() - p.Simulation - p.Grid
	if v, ok := r.values.(lipschitzSharer); ok {
		p.Lipschitz = p.Search * v.LipschitzShare()
		p.Search -= p.Lipschitz
	}
	return p
}

// verifyParts checks that the parts of the gap are what they are of.
func (r *Run) verifyParts() error {
	p, gap := r.Parts, r.Certificate.Gap()
	if p == (GapParts{}) { // a file from before there were parts, or nothing known
		return nil
	}
	sum, least := p.Search+p.Lipschitz+p.Grid+p.Simulation, min(p.Search, p.Lipschitz, p.Grid, p.Simulation)
	if !(sum-gap <= 1e-9*gap && gap-sum <= 1e-9*gap && least >= 0) {
		return Claim("the parts of the gap", p, "none below 0, and %v in all", gap)
	}
	return nil
}
