package runs

import (
	"fmt"
	"math"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

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
