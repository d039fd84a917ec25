package bcpace

import (
	"fmt"
	"math"
)

// StartPoint is a state and the belief held there, to explore from.
type StartPoint struct {
	State  []float64
	Belief Belief
}

// check says what keeps p from being a state and a belief of m.
func (p StartPoint) check(m Model) error {
	spec := m.Spec()
	bad := func(what string, got any, want string) error {
		return &InputError{Where: "model " + quote(spec.Name), What: what, Got: fmt.Sprint(got), Want: want}
	}
	if len(p.State) != len(spec.Axes) {
		return bad("the state", p.State, fmt.Sprintf("%d numbers, one for each axis", len(spec.Axes)))
	}
	for i, x := range p.State {
		switch a := spec.Axes[i]; {
		case !(x >= a.Min && x <= a.Max):
			return bad("the state on axis "+quote(a.Name), x, fmt.Sprintf("a value from %v to %v", a.Min, a.Max))
		case a.Discrete && x != math.Trunc(x):
			return bad("the state on axis "+quote(a.Name), x, "a whole number")
		}
	}
	if f, ok := AsFinite(m); ok && f.StateIndex(p.State) < 0 {
		return bad("the state", p.State, "one of its numbered states")
	}
	if len(p.Belief) != len(spec.Latents) {
		return bad("the belief", p.Belief, fmt.Sprintf("%d probabilities, one for each latent", len(spec.Latents)))
	}
	return p.Belief.Validate()
}

func equal(x, y []float64) bool {
	for i, v := range x {
		if v != y[i] {
			return false
		}
	}
	return true
}
