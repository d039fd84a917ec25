package bracket

import (
	"context"
	"errors"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/proved"
	"bayescpace/bcpace/runs"
)

const (
	// proofShare is the part of the range of returns by which a finer grid lowers the proved bound
	// for it to be refined: a search closes the rest of the gap soon.
	proofShare = 0.01
	// proofLeaves is the part of the time before a deadline that a proof leaves for what follows.
	proofLeaves = 0.5
	// proofWork is proved.Options.Work: a proof is worth some seconds to a planner.
	proofWork = 3e8
)

// prove returns the proved upper bound of m, whose returns have that range, or nil for a model that
// package proved cannot do.
func prove(ctx context.Context, m bcpace.Model, width float64) (*proved.GridBound, error) {
	within, cancel := runs.LeaveTime(ctx, proofLeaves)
	defer cancel()
	b, err := proved.Upper(within, m, proved.Options{Tolerance: proofShare * width, Work: proofWork})
	if unsupported := new(bcpace.UnsupportedError); errors.As(err, &unsupported) || within.Err() != nil && ctx.Err() == nil {
		return b, nil
	}
	return b, err
}

// withProof returns c with the upper bound that is proved, where that is more than the range of
// returns tells. It withdraws a lower bound that the proof refutes.
func (g gridBounds) withProof(c bcpace.Certificate) bcpace.Certificate {
	if g.proof == nil || g.proof.Start >= g.hi {
		return c
	}
	c.Upper, c.UpperBy = g.proof.Start, bcpace.ByProof
	if c.Lower > c.Upper {
		c.Refuted = fmt.Sprintf("the lower bound %.6g that is assumed, as no policy is worth more than %.6g (%s)", c.Lower, c.Upper, c.UpperBy)
		c.Lower, c.LowerBy, c.Assumes = g.lo, bcpace.ByRange, ""
	}
	return c
}
