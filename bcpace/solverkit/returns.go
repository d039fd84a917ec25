package solverkit

import (
	"fmt"
	"math"
	"slices"

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

// StartFor returns s, a state where an episode may begin, as a state of m, which
// bcpace.ForPolicy has returned: with all steps left behind it, if the states of m have them and
// s has not.
func StartFor(m bcpace.Model, s []float64) []float64 {
	can := bcpace.AbilitiesOf(m)
	if can.StepsLeft == 0 || len(s) != len(can.Spec.Axes)-1 {
		return s
	}
	return append(slices.Clone(s), float64(can.StepsLeft))
}

// StartsFor returns starts as points of m: where m counts down the steps left of a
// model, with all of them behind the states of that one. The error is an *bcpace.InputError
// for what is not a state and belief of m.
func StartsFor(m bcpace.Model, starts []bcpace.StartPoint) ([]bcpace.StartPoint, error) {
	list := slices.Clone(starts)
	for i := range list {
		list[i].State = StartFor(m, list[i].State)
		if err := list[i].Check(m); err != nil {
			return nil, fmt.Errorf("options: Starts[%d]: %w", i, err)
		}
	}
	return list, nil
}

// MeanAtStart returns the mean of f over the start states of m, each with the prior
// conditioned on that state. If f returns an algorithm's values, this is its value at
// the start. If m does not list its start states, MeanAtStart draws some, always the
// same ones. The error is that of bcpace.StartsOf.
func MeanAtStart(m bcpace.Model, f func(s []float64, b bcpace.Belief) float64) (float64, error) {
	starts, err := bcpace.StartsOf(m)
	v := 0.0
	for _, s := range starts {
		v += s.Weight * f(s.State, s.Belief)
	}
	return v, err
}

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
	if spread > 0 && (spread < 1 || spread > 1e4) {
		return math.Pow10(int(math.Floor(math.Log10(spread))) - 1)
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
