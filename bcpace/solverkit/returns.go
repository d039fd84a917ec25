package solverkit

import "bayescpace/bcpace"

// RangeOfReturns returns the range of the discounted returns of m, in reward units:
// that which it states (bcpace.Abilities.ReturnRange), or of its rewards where that is tighter.
func RangeOfReturns(m bcpace.Model) (lo, hi float64) {
	can := bcpace.AbilitiesOf(m)
	lo, hi = can.Spec.VMin(), can.Spec.VMax()
	if can.ReturnRange != nil {
		l, h := can.ReturnRange()
		lo, hi = max(lo, l), min(hi, h)
	}
	return lo, hi
}

// RangeCertificate returns the trivial certificate, whose bounds follow from the range of
// rewards. It says so where likelihoods are estimated.
func RangeCertificate(spec bcpace.Spec) bcpace.Certificate {
	return bcpace.Certificate{Lower: spec.VMin(), Upper: spec.VMax(), Kind: bcpace.NoCertificate,
		LowerBy: bcpace.ByRange, UpperBy: bcpace.ByRange, PolicyEarns: bcpace.ByRange, Assumes: spec.Estimated}
}
