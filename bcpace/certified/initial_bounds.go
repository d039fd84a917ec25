package certified

import (
	"fmt"
	"slices"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/knn"
)

// initialBounds is the upper bound of a finiteBounds before the first sample: U0, and
// the cone that carries a sample's value to other beliefs.
type initialBounds struct {
	initial []float64    // rows × latents: U0(s,b,a) is the mean of row (s,a) over b,
	largest bool         // or else its largest entry where b > 0,
	tib     *dp.TIBBound // or this one, where it is not nil

	up, lo []float64 // rows × latents: upper bounds where the latent is known, and the values of the worst policy
	lip    float64   // slope of the cone lip·‖b − b_j‖₁; 0 for the box cone
}

// newInitialBounds returns the bounds that Solver.Bound and Solver.LipQ choose. The
// error is an *InputError if LipQ is below the constant that is proved.
func newInitialBounds(bounds *dp.FiniteBounds, spec bcpace.Spec, s Solver) (initialBounds, error) {
	o := initialBounds{initial: bounds.TIB.Table, up: bounds.TIB.Table, lo: bounds.Worst.Table, lip: s.LipQ}
	n, actions := len(spec.Latents), len(spec.Actions)
	switch s.Bound {
	case "", cpace.BoundTIB:
		o.tib = bounds.TIB.Curved()
	case cpace.BoundFIB:
		o.initial, o.up = bounds.FIB.Table, bounds.FIB.Table
	case cpace.BoundConstant:
		o.initial, o.largest = slices.Repeat([]float64{spec.VMax()}, len(o.up)), true
	case cpace.BoundBestCase, cpace.BoundQMDP:
		o.initial, o.largest = make([]float64, len(o.up)), s.Bound == cpace.BoundBestCase
		for i, q := range bounds.Latent.Table { // (state, latent, action)
			state, φ, a := i/(n*actions), i/actions%n, i%actions
			o.initial[(state*actions+a)*n+φ] = q + bounds.Latent.Error
		}
	}
	if o.lip > 0 {
		proved := 0.0
		for r := 0; r < len(o.up); r += n {
			proved = max(proved, (slices.Max(o.up[r:r+n])-slices.Min(o.lo[r:r+n]))/2)
		}
		if o.lip < proved {
			return initialBounds{}, bcpace.In("options").Bad("LipQ", o.lip,
				fmt.Sprintf("at least %v, the Lipschitz constant in the belief that is proved for this model, as a certificate rests on it; or 0 for the box cone", proved))
		}
	}
	return o, nil
}

// initialQ returns U0(s,b,a), where r is the row of (s,a).
func (o *initialBounds) initialQ(r int, b bcpace.Belief) float64 {
	if o.tib != nil {
		return o.tib.OfRow(r, b)
	}
	v := o.initial[r*len(b) : (r+1)*len(b)]
	if !o.largest {
		return b.Dot(v)
	}
	top, any := 0.0, false
	for φ, p := range b {
		if p > 0 && (!any || v[φ] > top) {
			top, any = v[φ], true
		}
	}
	return top
}

// cone returns a bound of Q*(s,b,a) − Q*(s,b2,a), where r is the row of (s,a).
func (o *initialBounds) cone(r int, b, b2 bcpace.Belief) float64 {
	if o.lip > 0 {
		return o.lip * knn.Distance(b, b2)
	}
	return max(0, dp.BoxCone(o.up[r*len(b):(r+1)*len(b)], o.lo[r*len(b):(r+1)*len(b)], b, b2))
}
