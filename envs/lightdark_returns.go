package envs

import "bayescpace/bcpace"

var _ bcpace.ReturnRange = LightDarkTiger{}

// ReturnRange implements bcpace.ReturnRange: an episode earns something once, on
// entering a goal, which ends it.
func (t LightDarkTiger) ReturnRange() (lo, hi float64) { return darkPenalty, darkTreasure }
