package vectors_test

import "math"

// guessValue returns what a look is worth at the start of plannertest.Guess(wrong), with so many looks at most: by exact dynamic programming over how many
// more looks said high than low.
func guessValue(wrong float64, looks int) float64 {
	var look func(lead, left int) float64
	value := func(lead, left int) float64 {
		odds := math.Pow((1-wrong)/wrong, math.Abs(float64(lead)))
		best := (odds - 1) / (odds + 1)
		if left > 0 {
			best = max(best, look(lead, left))
		}
		return best
	}
	look = func(lead, left int) float64 {
		odds := math.Pow((1-wrong)/wrong, float64(lead))
		high := odds / (odds + 1)
		up := high*(1-wrong) + (1-high)*wrong
		return -0.05 + 0.9*(up*value(lead+1, left-1)+(1-up)*value(lead-1, left-1))
	}
	return look(0, looks)
}
