package runs

import "bayescpace/bcpace"

// AssumesGrid is the assumption of an upper bound from latent values on a grid.
const AssumesGrid = "the model's list of successors is exact, and latent values on a grid err no more than a coarser grid suggests"

// AssumesSlope is the assumption of the upper bound of a certified run on continuous
// states in files that were written before there was a bound from grids.
const AssumesSlope = "the model's list of successors and the grid of latent values are exact, and the Lipschitz constant L_S holds"

// assuming returns the assumption of an upper bound of m: text, and what a bound from a list
// of controls rests on if m has a Box or such a list.
func assuming(m bcpace.Model, text string) string {
	if spec := m.Spec(); spec.HasBox() || bcpace.AbilitiesOf(m).Behind != nil {
		text += ", and a control that is not on the list in the place of its Box adds no more than a finer list suggests, or nothing where none was tried"
	}
	return text
}
