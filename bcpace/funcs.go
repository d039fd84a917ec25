package bcpace

import (
	"fmt"
	"math/rand/v2"
)

// Funcs are a model written as functions, as in a notebook cell. FromFuncs
// makes a Model of them; each function has the meaning of the method of its
// name and must be safe for concurrent use.
type Funcs struct {
	Spec Spec
	// Prior is P0(φ). If it is nil, it is uniform.
	Prior Belief
	// Start draws a start state. If it is nil, episodes start at the lowest
	// value of every axis.
	Start func(s []float64, latent int, rng *rand.Rand)
	// StartLogLikelihood is log P0(s|φ), if the start tells of the latent; nil
	// otherwise.
	StartLogLikelihood func(s []float64, latent int) float64
	// Step and LogLikelihood are required.
	Step          func(next, s []float64, latent, action int, rng *rand.Rand) Outcome
	LogLikelihood func(s []float64, action int, next []float64, latent int) float64

	// Successors, if set, makes the model an Enumerator. Starts must then be
	// set as well, unless Start is nil.
	Starts     func(z *Successors)
	Successors func(z *Successors, s []float64, action int)

	// LatentTransition, if set, moves the latent within an episode, in the way
	// that LatentKind says. If it is nil, the latent is static.
	LatentKind       LatentKind
	LatentTransition func(p []float64, s []float64, action, latent int) bool
}

// FromFuncs makes a Model of f. It is an Enumerator exactly where f.Successors
// is set. The error is an *InputError for a function that is missing or a Spec
// or prior that cannot be used; Check tries whether the functions agree.
func FromFuncs(f Funcs) (Model, error) {
	bad := func(what, got, want string) error {
		return &InputError{Where: "functions of model " + quote(f.Spec.Name), What: what, Got: got, Want: want}
	}
	if err := f.Spec.Validate(); err != nil {
		return nil, err
	}
	switch {
	case f.Step == nil:
		return nil, bad("Step", "nil", "a function")
	case f.LogLikelihood == nil:
		return nil, bad("LogLikelihood", "nil", "a function")
	case f.Starts != nil && f.Successors == nil:
		return nil, bad("Successors", "nil", "a function beside Starts, or neither")
	case f.Successors != nil && f.Starts == nil && f.Start != nil:
		return nil, bad("Starts", "nil", "a function that lists what Start draws, as Successors is set")
	case f.LatentTransition == nil && f.LatentKind != Static:
		return nil, bad("LatentTransition", "nil", "a function, as LatentKind is "+f.LatentKind.String())
	}
	if f.Prior == nil {
		f.Prior = Uniform(len(f.Spec.Latents))
	}
	f.Prior = append(Belief(nil), f.Prior...)
	if len(f.Prior) != len(f.Spec.Latents) || f.Prior.Validate() != nil {
		return nil, bad("Prior", fmt.Sprint([]float64(f.Prior)), "a probability for each latent, with sum 1")
	}
	m := funcModel{&f}
	if f.Successors != nil {
		return funcEnumerator{m}, nil
	}
	return m, nil
}

// funcModel is a model without lists of successors. It has the methods of
// LatentDynamics and StartLikelihood in any case: where f has no such
// functions, the latent is static and the start tells nothing.
type funcModel struct{ f *Funcs }

var (
	_ LatentDynamics  = funcModel{}
	_ StartLikelihood = funcModel{}
	_ Enumerator      = funcEnumerator{}
)

// Spec implements Model.
func (m funcModel) Spec() Spec { return m.f.Spec }

// Prior implements Model.
func (m funcModel) Prior(b Belief) { copy(b, m.f.Prior) }

// Start implements Model.
func (m funcModel) Start(s []float64, latent int, rng *rand.Rand) {
	if m.f.Start != nil {
		m.f.Start(s, latent, rng)
		return
	}
	m.lowest(s)
}

func (m funcModel) lowest(s []float64) {
	for i, a := range m.f.Spec.Axes {
		s[i] = a.Min
	}
}

// Step implements Model.
func (m funcModel) Step(next, s []float64, latent, action int, rng *rand.Rand) Outcome {
	return m.f.Step(next, s, latent, action, rng)
}

// LogLikelihood implements Model.
func (m funcModel) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	return m.f.LogLikelihood(s, action, next, latent)
}

// StartLogLikelihood implements StartLikelihood.
func (m funcModel) StartLogLikelihood(s []float64, latent int) float64 {
	if m.f.StartLogLikelihood == nil {
		return 0
	}
	return m.f.StartLogLikelihood(s, latent)
}

// LatentKind implements LatentDynamics.
func (m funcModel) LatentKind() LatentKind { return m.f.LatentKind }

// LatentTransition implements LatentDynamics.
func (m funcModel) LatentTransition(p []float64, s []float64, action, latent int) bool {
	return m.f.LatentTransition != nil && m.f.LatentTransition(p, s, action, latent)
}

// funcEnumerator is a funcModel with lists of successors.
type funcEnumerator struct{ funcModel }

// Starts implements Enumerator.
func (m funcEnumerator) Starts(z *Successors) {
	if m.f.Starts != nil {
		m.f.Starts(z)
		return
	}
	s, prob, _ := z.Add(false)
	m.lowest(s)
	for i := range prob {
		prob[i] = 1
	}
}

// Successors implements Enumerator.
func (m funcEnumerator) Successors(z *Successors, s []float64, action int) {
	m.f.Successors(z, s, action)
}
