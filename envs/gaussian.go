package envs

import (
	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// latents names latents by the value of a parameter with its unit.
func latents(what, unit string, xs []float64) []string {
	names := make([]string, len(xs))
	for i, x := range xs {
		names[i] = what + " " + numtext.Exact(x) + unit
	}
	return names
}

// control is an action with a Box of axes from −1 to 1 times a limit.
func control(action string, limit float64, unit string, names ...string) []bcpace.Action {
	a := bcpace.Action{Name: action}
	for _, n := range names {
		a.Box = append(a.Box, bcpace.Axis{Name: n, Unit: unit, Min: -limit, Max: limit, Scale: limit})
	}
	return []bcpace.Action{a}
}

const gravity = 9.81 // m/s²

// square returns x².
func square(x float64) float64 { return x * x }
