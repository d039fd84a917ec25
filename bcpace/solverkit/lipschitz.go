package solverkit

import (
	"math"

	"bayescpace/bcpace"
)

// LipschitzOf returns the constants that m states. It returns false where there are none, as for
// bcpace.FiniteHorizon. The error is an *bcpace.InputError for a constant that is negative or no number.
func LipschitzOf(m bcpace.Model) (stated bcpace.Lipschitz, ok bool, err error) {
	can := bcpace.AbilitiesOf(m)
	if can.Lipschitz == nil {
		return stated, false, nil
	}
	stated = can.Lipschitz()
	if err := stated.Check(can.Spec); err != nil {
		return bcpace.Lipschitz{}, false, err
	}
	return stated, !math.IsInf(stated.R, 1) || !math.IsInf(stated.P, 1), nil
}
