package check

import (
	"math"

	"bayescpace/bcpace"
)

// The statistical tests of the check. Each refuses a true hypothesis with
// probability at most e^−l, for any distribution and any number of draws; l is
// chosen so that the sum over all tests stays below falseAlarm: an eighth of it for the
// list of starts, for each of the four tests of draws, and for each of the two of the
// calibration, and a sixteenth for each of the two of the calibration at limits.

// doubt returns l for one of n tests that share falseAlarm, but for the part of the test of ends.
func doubt(n int) float64 { return math.Log(float64(n) / ((1 - endsPart) * falseAlarm)) }

// indexOf numbers the states of a list.
func indexOf(z *bcpace.Successors) map[string]int {
	index := make(map[string]int, z.Len())
	for i := range z.Len() {
		s, _, _ := z.Row(i)
		index[stateKey(s)] = i
	}
	return index
}
