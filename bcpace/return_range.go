package bcpace

// ReturnRange is a Model that knows a range of its returns tighter than
// Spec.VMin and Spec.VMax, which have the extreme rewards come at every step.
// Confidence bounds of a mean return grow with the range.
type ReturnRange interface {
	// ReturnRange returns lo ≤ 0 ≤ hi such that the discounted return from every
	// state, of every policy and cut after any number of steps, lies in [lo, hi].
	ReturnRange() (lo, hi float64)
}
