package eval

import "bayescpace/bcpace"

// ActionBehind returns the description and the id that action id of m has in the model from
// which bcpace.Discretised has made m, where it is a control of a Box; −1 for an id that m has
// not. For another model they are its Spec and id.
func ActionBehind(m bcpace.Model, id int) (spec bcpace.Spec, behind int) {
	can := bcpace.AbilitiesOf(m)
	switch {
	case can.Behind == nil:
		return can.Spec, id
	case id < 0 || id >= len(can.IDs):
		return can.Behind.Spec(), -1
	}
	return can.Behind.Spec(), can.IDs[id]
}
