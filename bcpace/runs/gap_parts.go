package runs

import (
	"bayescpace/bcpace"
)

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
