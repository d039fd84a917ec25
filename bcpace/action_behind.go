package bcpace

// ActionBehind returns the description and the id that action id of m has in the model from
// which Discretised has made m, where it is a control of a Box. For another model they are
// its Spec and id.
func ActionBehind(m Model, id int) (spec Spec, behind int) {
	c := controlsOf(m)
	if c == nil {
		return m.Spec(), id
	}
	if id < 0 || id >= len(c.ids) {
		return c.spec, -1
	}
	return c.spec, c.ids[id]
}
