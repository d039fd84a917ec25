package envs

import (
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/internal/numtext"
)

// system is what the environments have in common that are motions with normal noise: their
// numbers, in the order of Spec.Params, and how they are checked.
type system struct {
	name   string
	params []bcpace.Param
	err    error
}

// number takes a parameter: x, or def where x is 0. It must be from low to high.
func (s *system) number(key string, x, def, low, high float64) float64 {
	x = or(x, def)
	s.within(key, x, low, high)
	return x
}

// within takes a parameter that must be from low to high.
func (s *system) within(key string, x, low, high float64) {
	if !(x >= low && x <= high) && s.err == nil {
		s.err = inputError(s.name, key, numtext.Exact(x), fmt.Sprintf("a number from %v to %v", low, high))
	}
	s.params = append(s.params, bcpace.Param{Key: key, Value: numtext.Exact(x)})
}

// list takes a parameter with one number for each latent: xs, or def where that is nil. Each
// must be from low to high.
func (s *system) list(key string, xs, def []float64, low, high float64) []float64 {
	if xs == nil {
		xs = def
	}
	for _, x := range xs {
		if !(x >= low && x <= high) && s.err == nil {
			s.err = inputError(s.name, key, numtext.ExactList(xs), fmt.Sprintf("numbers from %v to %v", low, high))
		}
	}
	if len(xs) == 0 && s.err == nil {
		s.err = inputError(s.name, key, "empty", "at least one number")
	}
	s.params = append(s.params, bcpace.Param{Key: key, Value: numtext.ExactList(xs)})
	return xs
}

// discount takes the discount factor γ.
func (s *system) discount(γ, def float64) float64 {
	γ = or(γ, def)
	if err := checkDiscount(s.name, γ); err != nil && s.err == nil {
		s.err = err
	}
	s.params = append(s.params, bcpace.Param{Key: "discount", Value: numtext.Exact(γ)})
	return γ
}

// latents names latents by the value of a parameter with its unit.
func latents(what, unit string, xs []float64) []string {
	names := make([]string, len(xs))
	for i, x := range xs {
		names[i] = what + " " + numtext.Exact(x) + unit
	}
	return names
}

// model makes the model, unless a parameter cannot be used.
func (s *system) model(g bcpace.Gaussian) (bcpace.Enumerator, error) {
	if s.err != nil {
		return nil, s.err
	}
	g.Spec.Name, g.Spec.Params = s.name, s.params
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
