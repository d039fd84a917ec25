package bcpace

import (
	"fmt"
	"math"
)

// fault returns the error of a model that breaks its contract at (s, action,
// latent). A nil s, and an action or latent out of range, are left out.
func (s *Spec) fault(state []float64, action, latent int, format string, args ...any) error {
	e := &ConformanceError{Model: s.Name, What: fmt.Sprintf(format, args...)}
	if state != nil {
		e.State = append([]float64{}, state...)
	}
	if action >= 0 && action < len(s.Actions) {
		e.Action = s.Actions[action].Name
	}
	if latent >= 0 && latent < len(s.Latents) {
		e.Latent = s.Latents[latent]
	}
	return e
}

// guard, deferred around a call of the model, turns a panic in it into a fault.
func (s *Spec) guard(err *error, call string, state []float64, action, latent int) {
	if p := recover(); p != nil {
		*err = s.fault(state, action, latent, "%s panicked: %v", call, p)
	}
}

// successors fills z with the successors of (state, action), and checks what an
// expected backup stands on: they are states on the axes, with rewards in the
// range where they can follow.
func (s *Spec) successors(m Enumerator, z *Successors, state []float64, action int) (err error) {
	defer s.guard(&err, "Successors", state, action, -1)
	z.Reset(len(s.Axes), len(s.Latents))
	m.Successors(z, state, action)
	for i := range z.Len() {
		to, p, r := z.Row(i)
		if off := s.offAxes(to); off != "" {
			return s.fault(state, action, -1, "Successors lists %v, %s", to, off)
		}
		for φ := range p {
			if p[φ] > 0 && !s.allows(r[φ]) {
				return s.fault(state, action, φ, "Successors lists reward %v, want a number within [RewardMin, RewardMax] = [%v, %v]", r[φ], s.RewardMin, s.RewardMax)
			}
		}
	}
	return nil
}

// offAxes says how x is no state on the axes, and what would be; "" where it is one.
func (s *Spec) offAxes(x []float64) string {
	for i := range s.Axes {
		switch a, v := &s.Axes[i], x[i]; {
		case math.IsNaN(v):
			return fmt.Sprintf("whose entry %s is not set or not a number, want a number in [%v, %v]", quote(a.Name), a.Min, a.Max)
		case v < a.Min || v > a.Max:
			return fmt.Sprintf("whose entry %s is %v, want it within [%v, %v]", quote(a.Name), v, a.Min, a.Max)
		case (a.Discrete || a.Labels != nil) && v != math.Trunc(v):
			return fmt.Sprintf("whose entry %s is %v, want a whole number", quote(a.Name), v)
		}
	}
	return ""
}

// allows tells whether r is a reward in the range; rounding errors at its ends
// are none.
func (s *Spec) allows(r float64) bool {
	slack := 1e-9 * max(math.Abs(s.RewardMin), math.Abs(s.RewardMax), 1)
	return r >= s.RewardMin-slack && r <= s.RewardMax+slack
}

// outcome checks what Step returned at (s, action, latent).
func (s *Spec) outcome(out Outcome, next, state []float64, action, latent int) error {
	if off := s.offAxes(next); off != "" {
		return s.fault(state, action, latent, "Step made state %v, %s", next, off)
	}
	if !s.allows(out.Reward) {
		return s.fault(state, action, latent, "Step returned reward %v, want a number within [RewardMin, RewardMax] = [%v, %v]", out.Reward, s.RewardMin, s.RewardMax)
	}
	return nil
}
