package bcpace

// founded returns c with what it rests on, which follows from its kind and its
// bounds, the model and the algorithm.
func (r *Run) founded(c Certificate) Certificate {
	assumed, lower := c.Assumes, c.LowerBy
	c.LowerBy, c.UpperBy, c.PolicyEarns, c.Assumes = ByRange, ByRange, ByRange, ""
	switch c.Kind {
	case NoCertificate:
		if r.Stop == StopFault {
			c.LowerBy, c.UpperBy, c.PolicyEarns = NotKnown, NotKnown, NotKnown
			break
		}
		r.foundedUpper(&c, assumed)
	case ExactCertificate:
		c.LowerBy, c.UpperBy, c.PolicyEarns, c.Refuted = ByProof, ByProof, ByProof, ""
	case StatisticalCertificate:
		low, _ := RangeOfReturns(r.model)
		if c.Lower != low || lower != ByRange { // a simulation may tell as little
			c.LowerBy, c.PolicyEarns = BySimulation, BySimulation
		}
		r.foundedUpper(&c, assumed)
	}
	return c
}

// foundedUpper sets what the upper bound of a run without a proof rests on. assumed is what a
// file says of it.
func (r *Run) foundedUpper(c *Certificate, assumed string) {
	if _, top := RangeOfReturns(r.model); c.Upper >= top {
		return
	}
	c.UpperBy = ByProof
	if _, finite := AsFinite(r.model); !finite {
		if c.UpperBy, c.Assumes = ByAssumption, assuming(r.model, r.plan.Assumes); assumed == AssumesSlope {
			c.Assumes = assumed
		}
	}
}
