package eval

import (
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/stat"
	"bayescpace/bcpace/solverkit"
)

// CertificateOf returns the statistical certificate of episodes from the model's start: the lower
// bound of the optimal value is that of what the policy earns, which is false with probability delta
// at most; rewards after the last step of an episode count as the least that they can be. The upper
// bound is the largest return. Where the episodes say no more than the range of returns does, and
// where r is not of discounted returns from the model's own start, it is bcpace.NoCertificate.
//
// planned is the number of episodes that were to be played; fewer may have been, as where time was up.
func CertificateOf(m bcpace.Model, r Result, planned int, delta float64) bcpace.Certificate {
	spec := m.Spec()
	none := solverkit.RangeCertificate(spec)
	none.Lower, none.Upper = solverkit.RangeOfReturns(m)
	if len(r.Returns) == 0 || r.Discount != spec.Discount || r.elsewhere {
		return none
	}
	c := bcpace.Certificate{Kind: bcpace.StatisticalCertificate, Upper: none.Upper, LowerBy: bcpace.BySimulation, UpperBy: bcpace.ByRange, PolicyEarns: bcpace.BySimulation,
		Delta: delta, Episodes: len(r.Returns), Horizon: r.Horizon, Assumes: none.Assumes}
	c.Lower = stat.MeanLower(r.Returns, none.Lower, none.Upper, delta, planned)
	if r.Horizon != spec.Horizon {
		c.Lower += math.Pow(spec.Discount, float64(r.Horizon)) * none.Lower
	}
	if !(c.Lower > none.Lower) {
		return none
	}
	return c
}
