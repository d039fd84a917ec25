package solverkit

import (
	"math"

	"bayescpace/bcpace"
)

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

// Crossed reports whether no value is between two bounds: the lower one is above the upper one by more than both are rounded, or one of them
// is no number, or infinite on the side of the other one.
func Crossed(s bcpace.Spec, lower, upper float64) bool {
	rounding := 1e-9 * max(math.Abs(lower), math.Abs(upper), s.RewardMax-s.RewardMin)
	return !(lower <= upper+rounding) || math.IsInf(lower, 1) || math.IsInf(upper, -1)
}
