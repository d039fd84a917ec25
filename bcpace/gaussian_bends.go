package bcpace

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
)

// GaussianCurve states the Smoothness of a Gaussian.
type GaussianCurve struct {
	Mean, Sigma    []float64 // MeanCurve and SigmaCurve; nil means that all are affine in state and control
	Reward, Convex float64   // RewardCurve and RewardConvex
	Control        *ControlCurve
	// Expected is the expected reward E[r|s,φ,a], exact but for rounding: the mean of Reward or RewardAt,
	// less what Arrive pays, over the next state, which stops at the ends of the axes. It is nil where
	// Arrive pays everything.
	Expected func(s []float64, latent, action int, u []float64) float64
	// Jumps and Arrive agree with Gaussian.Ends. Arrive tells no latent.
	Jumps  [][]float64
	Arrive func(next []float64, latent int) Arrival
}

// check returns an *InputError for a curve that cannot be used beside g.
func (c *GaussianCurve) check(g *Gaussian, in In) error {
	if err := cmp.Or(
		in.Need(c.Expected != nil || c.Arrive != nil, "Curve.Expected", "nil", "a function, or Arrive to pay everything"),
		in.Need(g.Ends == nil || c.Arrive != nil, "Curve.Arrive", "nil", "a function that says where episodes end, as Ends does"),
		in.Need(c.Convex >= 0 && !math.IsInf(c.Convex, 1), "Curve.Convex", c.Convex, "a number above 0, or 0 where it is not known"),
		in.Need(c.Jumps == nil || len(c.Jumps) == len(g.Spec.Axes), "Curve.Jumps", fmt.Sprintf("%d long", len(c.Jumps)), fmt.Sprintf("%d, the places on each axis, or nil where nothing jumps", len(g.Spec.Axes)))); err != nil {
		return err
	}
	u := cmp.Or(c.Control, &ControlCurve{})
	err := cmp.Or(checkBends(in, "Curve.", c.Mean, c.Sigma, c.Reward, len(g.Spec.Axes)), checkBends(in, "Curve.Control.", u.Mean, u.Sigma, u.Reward, len(g.Spec.Axes)))
	if err != nil {
		return err
	}
	for i, jumps := range c.Jumps {
		a, last := g.Spec.Axes[i], math.Inf(-1)
		for k, x := range jumps {
			what := fmt.Sprintf("Curve.Jumps[%d][%d]", i, k)
			if err := cmp.Or(
				in.Need(!(a.Period > 0), what, x, "none, as axis "+strconv.Quote(a.Name)+" has a Period"),
				in.Need(x > a.Min && x < a.Max && x > last, what, x, fmt.Sprintf("a place between %v and %v, in ascending order", a.Min, a.Max))); err != nil {
				return err
			}
			last = x
		}
	}
	return nil
}

// checkBends returns an *InputError for bounds that cannot be used, of which two are by axis.
func checkBends(in In, of string, mean, sigma []float64, reward float64, axes int) error {
	for _, x := range []struct {
		name  string
		curve []float64
	}{{"Mean", mean}, {"Sigma", sigma}} {
		if x.curve != nil && len(x.curve) != axes {
			return in.Bad(of+x.name, fmt.Sprintf("%d long", len(x.curve)), fmt.Sprintf("%d, one bound for each axis, or nil where nothing bends", axes))
		}
		for i, bound := range x.curve {
			if !(bound >= 0) || math.IsInf(bound, 1) {
				return in.Bad(fmt.Sprintf("%s%s[%d]", of, x.name, i), bound, "a number from 0 up")
			}
		}
	}
	return in.Need(reward >= 0 && !math.IsInf(reward, 1), of+"Reward", reward, "a number from 0 up")
}

// Smoothness states what g.Curve does.
func (m *gaussianModel) Smoothness() (Smoothness, bool) {
	c := m.given.Curve
	if c == nil {
		return Smoothness{}, false
	}
	s := Smoothness{Sigma: m.g.Sigma, Mean: m.g.Mean, MeanCurve: c.Mean, SigmaCurve: c.Sigma, RewardCurve: c.Reward, RewardConvex: c.Convex, Control: c.Control, Jumps: c.Jumps, Arrive: c.Arrive}
	if s.MeanCurve == nil {
		s.MeanCurve = make([]float64, len(m.g.Spec.Axes))
	}
	if m.g.SigmaAt != nil {
		s.SigmaAt = func(sigma, s []float64, latent, action int) {
			copy(sigma, m.g.Sigma)
			m.g.SigmaAt(sigma, s, latent, action, nil)
		}
	}
	if c.Expected == nil {
		return s, true
	}
	d := newDecoder(m.g.Spec)
	s.Reward = func(s []float64, latent, action int) (r float64) {
		d.with(action, func(index int, u []float64) { r = c.Expected(s, latent, index, u) })
		return r
	}
	return s, true
}

// GaussianLipschitz states how much the functions of a Gaussian change with state and control, for
// each latent and action: constants per unit of the distance of Lipschitz.
type GaussianLipschitz struct {
	Mean   []float64 // of the mean of each axis, in its unit; where it has a Period, up to whole turns
	Reward float64   // of the reward in state and control, for one next state
	Next   float64   // of the reward in the next state; +Inf where it jumps, as at a goal
}

// constants returns the constants of the model.
//
// Two normal distributions of the same standard deviations, whose means are δ apart in
// units of these, overlap but for 2Φ(δ/2) − 1, so that their densities differ by at most
// √(2/π)·δ in L1 norm; here δ ≤ ‖Mean_i/Sigma_i‖₂·d. What stops at a limit, wraps or ends is
// a function of the draw, and tells no more than it.
//
// The reward differs by Reward·d for one next state. What the next states add is at most
// Next·Σ_i Mean_i/Scale_i·d, if both draw the same noise, and at most half of the range of
// rewards times the L1 norm.
func (g *Gaussian) constants() Lipschitz {
	if g.Lipschitz == nil {
		return Lipschitz{math.Inf(1), math.Inf(1)}
	}
	apart, moved := 0.0, 0.0
	for i, a := range g.Spec.Axes {
		if k := g.Lipschitz.Mean[i]; k > 0 {
			apart = math.Hypot(apart, k/g.Sigma[i])
			moved += k / a.MetricUnit()
		}
	}
	l := Lipschitz{P: math.Sqrt(2/math.Pi) * apart}
	byNoise, byNext := (g.Spec.RewardMax-g.Spec.RewardMin)/2, g.Lipschitz.Next
	if byNoise > 0 {
		byNoise *= l.P
	}
	if moved == 0 {
		byNext = 0
	} else if byNext > 0 {
		byNext *= moved
	}
	l.R = g.Lipschitz.Reward + min(byNoise, byNext)
	return l
}

// check checks the constants of a model with so many axes.
func (l *GaussianLipschitz) check(axes int, in In) error {
	if len(l.Mean) != axes {
		return in.Bad("Lipschitz.Mean", fmt.Sprintf("%d long", len(l.Mean)), fmt.Sprintf("%d, one constant for each axis", axes))
	}
	for i, k := range l.Mean {
		if !(k >= 0) {
			return in.Bad(fmt.Sprintf("Lipschitz.Mean[%d]", i), k, "a number from 0 up")
		}
	}
	return in.Need(l.Reward >= 0 && l.Next >= 0, "Lipschitz.Reward, Lipschitz.Next", fmt.Sprintf("%v, %v", l.Reward, l.Next), "two numbers from 0 up; +Inf for Next where the reward jumps")
}

// Lipschitz states the constants of g.
func (m *gaussianModel) Lipschitz() Lipschitz { return m.g.constants() }
