package solverkit

import (
	"math"

	"bayescpace/bcpace"
)

// OrdinaryGap is DefaultGap of a model whose Unit is 1.
const OrdinaryGap = 1e-3

// DefaultGap returns the ε of a search on a finite model where none is given, in reward units: a thousandth of Unit. So it is
// a part of 10⁻⁷ to 10⁻³ of what returns can differ by, whatever rewards are counted in.
func DefaultGap(m bcpace.Model) float64 { return OrdinaryGap * Unit(m.Spec()) }

// Unit returns what errors of values are measured in where no one says how large they may be: 1 where returns can differ by
// 1 to 10,000, as they mostly can, and otherwise the power of ten of which 10 to 100 times as much is what they can differ by. With a Spec.Goal, it is rewards in the place of returns.
func Unit(spec bcpace.Spec) float64 {
	spread := spec.VMax() - spec.VMin()
	if math.IsInf(spread, 1) {
		spread = spec.RewardMax - spec.RewardMin
	}
	places := int(math.Floor(math.Log10(spread)))
	switch {
	case spread > 0 && (spread < 1 || spread > 1e4):
		return math.Pow10(places - 1)
	}
	return 1
}

// GapFor returns the ε of a search: that asked for, or where returns differ by no more, so that it says nothing, that of
// DefaultGap.
func GapFor(spec bcpace.Spec, epsilon float64) float64 {
	if spread := spec.VMax() - spec.VMin(); spread > 0 && epsilon >= spread && !math.IsInf(epsilon, 1) {
		return OrdinaryGap * Unit(spec)
	}
	return epsilon
}
