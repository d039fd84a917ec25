package certified

import (
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/knn"
)

// outset is what the upper bound of an envelope has before the first sample:
// U0, and the cone by which a sample's value carries to other beliefs.
type outset struct {
	initial []float64 // rows × latents: what U0 is made from
	largest bool      // U0 is the largest entry of initial where b > 0, not the mean over b

	up, lo []float64 // rows × latents: FIB vectors, and the least that any policy gets
	lip    float64   // of the cone lip·‖b − b_j‖₁; 0 for the box cone
}

// newOutset returns what Solver.Bound and Solver.LipQ ask for. The error is an
// *InputError for an LipQ below the constant that is proved.
func newOutset(bounds *bcpace.FiniteBounds, spec bcpace.Spec, s Solver) (outset, error) {
	o := outset{initial: bounds.FIB.Table, up: bounds.FIB.Table, lo: bounds.Worst.Table, lip: s.LipQ}
	n, actions := len(spec.Latents), len(spec.Actions)
	switch s.Bound {
	case bcpace.BoundConstant:
		o.initial, o.largest = make([]float64, len(o.up)), true
		for i := range o.initial {
			o.initial[i] = spec.VMax()
		}
	case bcpace.BoundBestCase, bcpace.BoundQMDP:
		o.initial, o.largest = make([]float64, len(o.up)), s.Bound == bcpace.BoundBestCase
		for i, q := range bounds.Latent.Table { // (state, latent, action)
			state, φ, a := i/(n*actions), i/actions%n, i%actions
			o.initial[(state*actions+a)*n+φ] = q + bounds.Latent.Error
		}
	}
	if o.lip > 0 {
		proved := 0.0
		for r := 0; r < len(o.up); r += n {
			top, bottom := o.up[r], o.lo[r]
			for φ := range n {
				top, bottom = max(top, o.up[r+φ]), min(bottom, o.lo[r+φ])
			}
			proved = max(proved, (top-bottom)/2)
		}
		if o.lip < proved {
			return outset{}, &bcpace.InputError{Where: "options", What: "LipQ", Got: fmt.Sprint(o.lip),
				Want: fmt.Sprintf("at least %v, the Lipschitz constant in the belief that is proved for this model, as a certificate rests on it; or 0 for the box cone", proved)}
		}
	}
	return o, nil
}

// initialQ returns U0(s,b,a), with the row r of (s,a).
func (o *outset) initialQ(r int, b bcpace.Belief) float64 {
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

// cone returns the most by which Q* of row r can exceed at b what it is at b2.
func (o *outset) cone(r int, b, b2 bcpace.Belief) float64 {
	if o.lip > 0 {
		return o.lip * knn.Distance(b, b2)
	}
	return max(0, bcpace.BoxCone(o.up[r*len(b):(r+1)*len(b)], o.lo[r*len(b):(r+1)*len(b)], b, b2))
}
