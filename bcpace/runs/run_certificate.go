package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
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

// Prove returns bounds of the optimal value at the start, in reward units, that rest on the model alone, where the solver can prove them;
// else −Inf and +Inf. It goes on from those that are known, so that more time gives closer ones; where ctx ends, they are
// the best so far. The certificate of r stays as it is. The error is the model's.
func (r *Run) Prove(ctx context.Context) (lower, upper float64, err error) {
	v, ok := r.values.(provingValues)
	if !ok {
		return math.Inf(-1), math.Inf(1), nil
	}
	lower, upper, err = v.ProvedAtStart(ctx, r)
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	return lower, upper, err
}

// founded returns c with what it rests on, which follows from its kind and its
// bounds, the model and the algorithm.
func (r *Run) founded(c bcpace.Certificate) bcpace.Certificate {
	assumed, lower, upper := c.Assumes, c.LowerBy, c.UpperBy
	c.LowerBy, c.UpperBy, c.PolicyEarns, c.Assumes = bcpace.ByRange, bcpace.ByRange, bcpace.ByRange, r.Spec.Estimated
	switch c.Kind {
	case bcpace.NoCertificate:
		if r.Stop == stop.Fault {
			c.LowerBy, c.UpperBy, c.PolicyEarns = bcpace.NotKnown, bcpace.NotKnown, bcpace.NotKnown
			break
		}
		r.foundedUpper(&c, assumed, upper)
	case bcpace.ExactCertificate:
		c.LowerBy, c.UpperBy, c.PolicyEarns, c.Refuted = bcpace.ByProof, bcpace.ByProof, bcpace.ByProof, ""
	case bcpace.StatisticalCertificate:
		low, _ := solverkit.RangeOfReturns(r.model)
		if c.Lower != low || lower != bcpace.ByRange { // a simulation may tell as little
			c.LowerBy, c.PolicyEarns = bcpace.BySimulation, bcpace.BySimulation
			if lower == bcpace.ByProof && r.statesSmoothness() {
				c.LowerBy = lower
			}
		}
		r.foundedUpper(&c, assumed, upper)
	}
	return c
}

// foundedUpper sets what the upper bound of a run without an exact certificate rests on. assumed
// and by are what a file, or who has computed it, says of it: where states are continuous, only
// a model that states its smoothness has a proved one.
func (r *Run) foundedUpper(c *bcpace.Certificate, assumed string, by bcpace.Basis) {
	if _, top := solverkit.RangeOfReturns(r.model); c.Upper >= top {
		return
	}
	c.UpperBy = bcpace.ByProof
	if _, finite := bcpace.AsFinite(r.model); !finite && (by != bcpace.ByProof || !r.statesSmoothness()) {
		if c.UpperBy, c.Assumes = bcpace.ByAssumption, assuming(r.model, r.plan.Assumes); assumed == AssumesSlope {
			c.Assumes = assumed
		}
	}
}

// statesSmoothness reports whether a bound of the model may be proved although its states are continuous.
func (r *Run) statesSmoothness() bool { return bcpace.AbilitiesOf(r.model).Smoothness != nil }

// AssumesGrid is the assumption of an upper bound from latent values on a grid.
const AssumesGrid = "the model's list of successors is exact, and latent values on a grid err no more than a coarser grid suggests"

// AssumesSlope is the assumption of the upper bound of a certified run on continuous
// states in files that were written before there was a bound from grids.
const AssumesSlope = "the model's list of successors and the grid of latent values are exact, and the Lipschitz constant L_S holds"

// assuming returns the assumption of an upper bound of m: text, and what a bound from a list
// of controls rests on if m has a Box or such a list.
func assuming(m bcpace.Model, text string) string {
	if spec := m.Spec(); spec.HasBox() || bcpace.AbilitiesOf(m).Behind != nil {
		text += ", and a control that is not on the list in the place of its Box adds no more than a finer list suggests, or nothing where none was tried"
	}
	return text
}

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
	// Values may tell which part of the gap at the start, from 0 to 1, goes to a Lipschitz constant.
	if v, ok := r.values.(interface{ LipschitzShare() float64 }); ok {
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

// refutedSearch says how the bounds that a search claims at the start are contradicted:
// by what its policy earns or the most that a policy earns, according to certificate c and
// the simulation behind it, or by each other. It returns "" if they are not, and for a search
// whose bounds are proved.
//
// The policy need not be the one that the lower bound follows: where the bounds are apart, it
// may take an action that is worth less than the lower one. So the gap is allowed for, or ε
// where that is more, as the search goes no further.
func (r *Run) refutedSearch(c bcpace.Certificate) string {
	if !r.Brackets() || r.plan.Exact || len(r.Trace) == 0 {
		return ""
	}
	upper, gap := r.Value, r.Trace[len(r.Trace)-1].Gap
	lo, hi := solverkit.RangeOfReturns(r.model)
	slack := 1e-6*(hi-lo) + 1e-9*max(math.Abs(lo), math.Abs(hi)) // values on grids are solved as far
	switch {
	case c.LowerBy == bcpace.BySimulation && c.Lower > upper+slack:
		return fmt.Sprintf("the upper bound %.6g of the search, as its policy earns %.6g or more in simulated episodes", upper, c.Lower)
	case (c.UpperBy == bcpace.ByAssumption || c.UpperBy == bcpace.ByProof) && upper-gap > c.Upper+slack:
		return fmt.Sprintf("the lower bound %.6g of the search, as no policy is worth more than %.6g (%s)", upper-gap, c.Upper, c.UpperBy)
	case gap < -slack:
		return fmt.Sprintf("the bounds of the search, as the lower one, %.6g, exceeds the upper one, %.6g", upper-gap, upper)
	case r.atMost < upper-gap-max(gap, r.plan.Epsilon)-slack:
		return fmt.Sprintf("the lower bound %.6g of the search, as its policy earns %.6g or less in simulated episodes", upper-gap, r.atMost)
	}
	return ""
}

// withRefuted returns c with what it refutes: the bounds of the search, and the assumed
// upper bound, +Inf if there is none.
func (r *Run) withRefuted(c bcpace.Certificate, assumed float64) bcpace.Certificate {
	var all []string
	if s := r.refutedSearch(c); s != "" {
		all = append(all, s)
	}
	if assumed < c.Lower {
		all = append(all, fmt.Sprintf("the upper bound %.6g that is assumed, as the policy earns %.6g or more in simulated episodes (it assumed that %s)", assumed, c.Lower, assuming(r.model, r.plan.Assumes)))
	}
	c.Refuted = strings.Join(all, "; ")
	return c
}
