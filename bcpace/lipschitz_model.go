package bcpace

import (
	"fmt"
	"math"
)

// Lipschitz are the constants of Assumption 3.1 of the paper: for each latent φ and any two pairs z1,
// z2 of a state and a control of one action,
//
//	|R(z1,φ) − R(z2,φ)| ≤ R·d(z1,z2),   Σ_y |P(y|z1,φ) − P(y|z2,φ)| ≤ P·d(z1,z2),
//
// where R(z,φ) is the expected reward, and an outcome y is the next state, whether the episode ends
// there, and the next latent; densities have an integral for a sum. The distance d adds up what z1 and
// z2 differ by on each axis of the state and of the Box, in units of its Scale. An infinite constant
// says nothing.
type Lipschitz struct {
	R float64 // in reward units per unit of distance
	P float64 // per unit of distance
}

// Check returns an *InputError for a constant that is negative or no number.
func (l Lipschitz) Check(spec Spec) error {
	if l.R >= 0 && l.P >= 0 {
		return nil
	}
	return spec.in().Bad("Lipschitz", fmt.Sprintf("%+v", l), "two constants from 0 up, +Inf for one that is not known")
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
	if !(l.Reward >= 0 && l.Next >= 0) {
		return in.Bad("Lipschitz.Reward, Lipschitz.Next", fmt.Sprintf("%v, %v", l.Reward, l.Next), "two numbers from 0 up; +Inf for Next where the reward jumps")
	}
	return nil
}

// Lipschitz states the constants of g.
func (m *gaussianModel) Lipschitz() Lipschitz { return m.g.constants() }
