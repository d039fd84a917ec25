package solverkit

import "bayescpace/bcpace"

// RealAxes returns how many axes of a state have real numbers, neither whole ones nor labels.
func RealAxes(spec bcpace.Spec) (n int) {
	for _, a := range spec.Axes {
		if !a.Whole() {
			n++
		}
	}
	return n
}
