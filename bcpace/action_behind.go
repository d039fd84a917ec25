package bcpace

// ActionBehind returns the description and the id that action id of m has in the model from
// which Discretised has made m, where it is a control of a Box. For another model they are
// its Spec and id.
func ActionBehind(m Model, id int) (spec Spec, behind int) {
	d := discretisedOf(m)
	if d == nil {
		return m.Spec(), id
	}
	if id < 0 || id >= len(d.ids) {
		return d.innerSpec, -1
	}
	return d.innerSpec, d.ids[id]
}
