package solverkit

import "bayescpace/bcpace"

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
