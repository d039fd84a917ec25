package eval

import "bayescpace/bcpace"

// Summarise returns the statistics of episodes that were played elsewhere: what
// each of them returned, its length and whether it was cut at the horizon rather
// than ended by the model. Of spec, the discount, the rewards' range and the
// horizon are read; returns are sums of such rewards. For differences of returns see
// Difference.
func Summarise(spec bcpace.Spec, horizon int, returns []float64, lengths []int, cut []bool) Result {
	r := Result{Returns: returns, Lengths: lengths, Horizon: horizon, Discount: spec.Discount,
		Range: rangeOfReturns(spec, spec.Discount, horizon)}
	r.summarise(spec, cut)
	return r
}

// setCourse sets Course from the returns so far of each episode.
func (r *Result) setCourse(every int, courses [][]float64) {
	if r.Every = every; every == 0 {
		return
	}
	for k := range r.Horizon / every {
		so := make([]float64, len(courses))
		for i, c := range courses {
			if so[i] = r.Returns[i]; k < len(c) {
				so[i] = c[k]
			}
		}
		r.Course = append(r.Course, IntervalOf(so))
	}
}
