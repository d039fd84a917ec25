package proved

import "math"

// shrink returns a factor t in (0, 1] with
//
//	t·((1−λ)·f_a + λ·f_b) ≤ f_a^(1−λ)·f_b^λ·e^(λ(1−λ)η²/2)   for all λ in [0, 1],
//
// where r = log(f_b/f_a). The right side is a normal density between two points that are η
// standard deviations apart, as a function of the point or of the mean: its log is quadratic with
// the second derivative −1. So t times the chord of such a density lies below the density.
//
// t = e^−D with D = max over λ of φ(λ) − q(λ), φ(λ) = log(1−λ+λe^r) − λr and q(λ) = λ(1−λ)η²/2. On
// each of some intervals of λ, the concave φ lies below a tangent and the concave q above its
// chord, so that D is at most what these two lines differ by at one end. D grows with |r|, as
// ∂φ/∂r = λe^r/(1−λ+λe^r) − λ has the sign of r, and falls with η; so a bound of |r| from above
// and of η from below gives a factor that will do.
func shrink(r, eta float64) float64 {
	const parts = 16
	r = math.Abs(r) // λ and 1−λ change places
	if !(r < 700) { // e^r is no number, and the factor none that matters
		return 0
	}
	worst, e := 0.0, math.Expm1(r)
	for k := range parts {
		a, b := float64(k)/parts, float64(k+1)/parts
		m := (a + b) / 2
		value, half := math.Log1p(m*e)-m*r, (e/(1+m*e)-r)*(b-a)/2
		worst = max(worst, value-half-a*(1-a)*eta*eta/2, value+half-b*(1-b)*eta*eta/2)
	}
	return math.Exp(-worst)
}

// shrinks has the factors of one η by |r|: those of steps of 1/stepsOfR, of which the next one
// above |r| is taken.
type shrinks struct {
	eta  float64
	list []float64
}

const (
	stepsOfR = 2048
	mostR    = 20 // beyond it a factor is computed each time
)

func newShrinks(eta float64) *shrinks {
	s := &shrinks{eta: eta, list: make([]float64, int(min(mostR, (2*far+2)*eta)*stepsOfR)+2)}
	for i := range s.list {
		s.list[i] = shrink(float64(i)/stepsOfR, eta)
	}
	return s
}

// at returns a factor for r.
func (s *shrinks) at(r float64) float64 {
	if i := int(math.Ceil(math.Abs(r) * stepsOfR)); i < len(s.list) {
		return s.list[i]
	}
	return shrink(r, s.eta)
}

// far is how many standard deviations from its mean a normal density is kept; what lies beyond
// is told.
const far = 6.5
