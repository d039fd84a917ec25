package runs

import (
	"context"
	"errors"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
	"bayescpace/bcpace/stop"
)

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
