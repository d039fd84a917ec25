package envs

import (
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// system is what the environments have in common that are motions with normal noise: how their
// numbers are checked.
type system struct {
	name string
	err  error
}

// within checks a parameter that must be from low to high.
func (s *system) within(key string, x, low, high float64) {
	if !(x >= low && x <= high) && s.err == nil {
		s.err = inputError(s.name, key, numtext.Exact(x), fmt.Sprintf("a number from %v to %v", low, high))
	}
}

// list checks a parameter with one number for each latent. Each must be from low to high.
func (s *system) list(key string, xs []float64, low, high float64) {
	for _, x := range xs {
		if !(x >= low && x <= high) && s.err == nil {
			s.err = inputError(s.name, key, numtext.ExactList(xs), fmt.Sprintf("numbers from %v to %v", low, high))
		}
	}
	if len(xs) == 0 && s.err == nil {
		s.err = inputError(s.name, key, "empty", "at least one number")
	}
}

// discount checks the discount factor γ.
func (s *system) discount(γ float64) {
	if err := checkDiscount(s.name, γ); err != nil && s.err == nil {
		s.err = err
	}
}

// latents names latents by the value of a parameter with its unit.
func latents(what, unit string, xs []float64) []string {
	names := make([]string, len(xs))
	for i, x := range xs {
		names[i] = what + " " + numtext.Exact(x) + unit
	}
	return names
}

// model makes the model with its Spec.Params, unless a parameter cannot be used.
func (s *system) model(params []bcpace.Param, g bcpace.Gaussian) (bcpace.Enumerator, error) {
	if s.err != nil {
		return nil, s.err
	}
	g.Spec.Name, g.Spec.Params = s.name, params
	return bcpace.FromGaussian(g)
}

// control is an action with a Box of axes from −1 to 1 times a limit.
func control(action string, limit float64, unit string, names ...string) []bcpace.Action {
	a := bcpace.Action{Name: action}
	for _, n := range names {
		a.Box = append(a.Box, bcpace.Axis{Name: n, Unit: unit, Min: -limit, Max: limit, Scale: limit})
	}
	return []bcpace.Action{a}
}

const gravity = 9.81 // m/s²

// square returns x².
func square(x float64) float64 { return x * x }
