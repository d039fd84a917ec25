package bcpace

// ReturnRange is a Model that knows a range of its returns tighter than
// Spec.VMin and Spec.VMax, which have the extreme rewards come at every step.
// Confidence bounds of a mean return grow with the range.
type ReturnRange interface {
	// ReturnRange returns lo ≤ 0 ≤ hi such that the discounted return from every
	// state, of every policy and cut after any number of steps, lies in [lo, hi].
	ReturnRange() (lo, hi float64)
}

// RangeOfReturns returns the range of the discounted returns of m, in reward units:
// that of its ReturnRange, or of its rewards where that is tighter.
func RangeOfReturns(m Model) (lo, hi float64) { return returnRange(m, m.Spec()) }

// returnRange is RangeOfReturns for a model under another description.
func returnRange(m Model, spec Spec) (lo, hi float64) {
	lo, hi = spec.VMin(), spec.VMax()
	if r, ok := m.(ReturnRange); ok {
		l, h := r.ReturnRange()
		lo, hi = max(lo, l), min(hi, h)
	}
	return lo, hi
}
