package bcpace

import (
	"fmt"
	"math"
	"strconv"
)

// Smoothness says of a model whose next state has independent normal noise on each axis, and stops
// at the ends of the axes, how its means and expected rewards bend. From that, an upper bound of
// its values is proved (package proved). No episode ends before its horizon.
type Smoothness struct {
	Sigma []float64 // the standard deviation of the noise, by axis
	// Mean sets mean to that of the next state, before it stops at the ends of the axes, and
	// Reward is the expected reward E[r|s,φ,a]. Both take the id of an action.
	Mean   func(mean, s []float64, latent, action int)
	Reward func(s []float64, latent, action int) float64
	// MeanCurve has for each axis a bound of how much its mean bends: of its second derivative,
	// without regard to the sign, along each coordinate of the state and of the control, in the
	// unit of the axis per squared Scale of the coordinate. It is 0 where the mean is affine.
	MeanCurve []float64
	// RewardCurve bounds how concave Reward is: minus its second derivative along each of these
	// coordinates, in reward units per squared Scale. It is 0 where Reward is convex.
	RewardCurve float64
}

// SmoothModel is a Model that may state its Smoothness, as its author has proved it.
type SmoothModel interface {
	Model
	// Smoothness returns false where nothing is stated.
	Smoothness() (Smoothness, bool)
}

// GaussianCurve states how the means and rewards of a Gaussian bend; see Smoothness, which has
// the units. Gaussian.Ends must be nil beside it, and no axis may have a Period.
type GaussianCurve struct {
	// Mean is Smoothness.MeanCurve; nil means that all means are affine in state and control.
	Mean []float64
	// Reward is Smoothness.RewardCurve.
	Reward float64
	// Expected is the expected reward E[r|s,φ,a], exact but for rounding: the mean of Reward or
	// RewardAt over the next state, which stops at the ends of the axes. u is nil for an action
	// without a Box.
	Expected func(s []float64, latent, action int, u []float64) float64
}

// check returns an *InputError for a curve that cannot be used beside g.
func (c *GaussianCurve) check(g *Gaussian, in In) error {
	switch {
	case c.Expected == nil:
		return in.Bad("Curve.Expected", "nil", "a function")
	case g.Ends != nil:
		return in.Bad("Curve", "set", "nil beside Ends: only a model whose episodes go on has one")
	case c.Mean != nil && len(c.Mean) != len(g.Spec.Axes):
		return in.Bad("Curve.Mean", fmt.Sprintf("%d long", len(c.Mean)), fmt.Sprintf("%d, one bound for each axis, or nil where all means are affine", len(g.Spec.Axes)))
	case !(c.Reward >= 0) || math.IsInf(c.Reward, 1):
		return in.Bad("Curve.Reward", c.Reward, "a number from 0 up")
	}
	for i, x := range c.Mean {
		if !(x >= 0) || math.IsInf(x, 1) {
			return in.Bad(fmt.Sprintf("Curve.Mean[%d]", i), x, "a number from 0 up")
		}
	}
	for _, a := range g.Spec.Axes {
		if a.Period > 0 {
			return in.Bad("Curve", "set", "nil, as axis "+strconv.Quote(a.Name)+" has a Period")
		}
	}
	return nil
}

// Smoothness implements SmoothModel.
func (m *gaussianModel) Smoothness() (Smoothness, bool) {
	c := m.given.Curve
	if c == nil {
		return Smoothness{}, false
	}
	s := Smoothness{Sigma: m.g.Sigma, Mean: m.g.Mean, MeanCurve: c.Mean, RewardCurve: c.Reward}
	if s.MeanCurve == nil {
		s.MeanCurve = make([]float64, len(m.g.Spec.Axes))
	}
	if !m.g.Spec.HasBox() {
		s.Reward = func(s []float64, latent, action int) float64 { return c.Expected(s, latent, action, nil) }
		return s, true
	}
	d := newDecoder(m.g.Spec)
	s.Reward = func(s []float64, latent, action int) (r float64) {
		d.with(action, func(index int, u []float64) { r = c.Expected(s, latent, index, u) })
		return r
	}
	return s, true
}
