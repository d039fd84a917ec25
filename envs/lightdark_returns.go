package envs

// ReturnRange is bcpace.Abilities.ReturnRange: an episode earns something once, on
// entering a goal, which ends it.
func (t LightDarkTiger) ReturnRange() (lo, hi float64) { return darkPenalty, darkTreasure }
