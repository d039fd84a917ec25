package solverkit

import (
	"fmt"
	"math"

	"bayescpace/bcpace"
)

// endless is what an algorithm needs that cannot do without a discount and a horizon.
const endless = "a discount below 1, or a horizon; of the solvers, sarsop does without, for finite models whose episodes end"

// NeedDiscount returns an *bcpace.UnsupportedError for a model with a Spec.Goal.
func NeedDiscount(spec bcpace.Spec, algorithm string) error {
	if !spec.Goal {
		return nil
	}
	return &bcpace.UnsupportedError{Model: spec.Name, Algorithm: algorithm, Need: endless}
}

// CheckStationary returns an *UnsupportedError that names the algorithm if m has a
// horizon and states without the steps left, so that its values and best actions are not
// functions of state and belief, or a Spec.Goal.
func CheckStationary(m bcpace.Model, algorithm string) error {
	if m == nil {
		return bcpace.Validate(m)
	}
	if !bcpace.AbilitiesOf(m).CutsEpisodes() {
		return NeedDiscount(m.Spec(), algorithm)
	}
	return &bcpace.UnsupportedError{Model: m.Spec().Name, Algorithm: algorithm,
		Need: fmt.Sprintf("the steps left in the states, as values in a model with a horizon depend on them: use bcpace.FiniteHorizon(model, %d)", m.Spec().Horizon)}
}

// SearchDepth returns the first T with γ^T ≤ 1 %, at most the model's own horizon: what is
// earned after T steps changes a value by at most 1 % of VMax − VMin. Simulations of a
// planner go no deeper.
func SearchDepth(spec bcpace.Spec) int {
	const negligible = 1e-2
	if spec.Discount == 1 {
		return spec.Horizon
	}
	depth := int(math.Ceil(math.Log(negligible) / math.Log(spec.Discount)))
	if spec.Horizon > 0 {
		depth = min(depth, spec.Horizon)
	}
	return max(depth, 1)
}

// ListControls is bcpace.Discretised for a solver that needs a list and whose certificate is to hold
// for m. The error is an *UnsupportedError for a model some of whose actions have a Box and
// whose states are numbered, as what is proved of the list would not be proved of m, and for one with a Spec.Goal.
func ListControls(m bcpace.Model, points int, algorithm string) (bcpace.Model, error) {
	if err := bcpace.Validate(m); err != nil {
		return nil, err
	}
	if err := NeedDiscount(m.Spec(), algorithm); err != nil {
		return nil, err
	}
	if spec := m.Spec(); spec.HasBox() {
		if bcpace.AbilitiesOf(m).NumStates != nil {
			return nil, &bcpace.UnsupportedError{Model: spec.Name, Algorithm: algorithm,
				Need: "states without numbers beside actions with a Box, or a list of actions: bcpace.Discretised makes one, and what is proved then holds for policies that keep to the list"}
		}
	}
	return bcpace.Discretised(m, points)
}

// FinerControls returns m, which bcpace.Discretised has made, with half the distance between the
// points on each axis of a Box, and with the steps left if m has them; nil where m comes from
// elsewhere or numbers its states, and where there would be too many.
func FinerControls(m bcpace.Enumerator) bcpace.Enumerator {
	can := bcpace.AbilitiesOf(m)
	if can.Behind == nil || can.NumStates != nil {
		return nil
	}
	finer, err := bcpace.Discretised(can.Behind, 2*can.Points-1)
	if err != nil {
		return nil
	}
	if can.StepsLeft > 0 {
		finer = bcpace.KeepHorizon(finer)
	}
	return finer.(bcpace.Enumerator)
}
