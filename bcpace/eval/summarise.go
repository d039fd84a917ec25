package eval

import "bayescpace/bcpace"

// Summarise returns the statistics of episodes that were played elsewhere: what
// each of them returned, its length and whether it was cut at the horizon rather
// than ended by the model. Of spec, the discount, the rewards' range and the
// horizon are read.
func Summarise(spec bcpace.Spec, horizon int, returns []float64, lengths []int, cut []bool) Result {
	r := Result{Returns: returns, Lengths: lengths, Horizon: horizon, Discount: spec.Discount}
	r.summarise(spec, cut)
	return r
}
