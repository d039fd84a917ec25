package bcpace

import (
	"cmp"
	"math"
	"math/rand/v2"
	"strconv"

	"bayescpace/bcpace/internal/sparse"
)

// Funcs are a model written as functions, as in a notebook cell. FromFuncs
// makes a Model of them; each function has the meaning of the method of its
// name and must be safe for concurrent use.
type Funcs struct {
	Spec               Spec
	Prior              Belief                                        // P0(φ); nil is uniform
	Start              func(s []float64, latent int, rng *rand.Rand) // nil is the lowest value of every axis
	StartLogLikelihood func(s []float64, latent int) float64         // nil where the start tells nothing of the latent
	// Step and LogLikelihood are required.
	Step          func(next, s []float64, latent, action int, rng *rand.Rand) Outcome
	LogLikelihood func(s []float64, action int, next []float64, latent int) float64
	// StepAt, LogLikelihoodAt and SuccessorsAt stand in their place, and in that of
	// Successors, where an action has a Box: action is its index in Spec.Actions, and u
	// its control, nil for an action without one.
	StepAt          func(next, s []float64, latent, action int, u []float64, rng *rand.Rand) Outcome
	LogLikelihoodAt func(s []float64, action int, u, next []float64, latent int) float64
	SuccessorsAt    func(z *Successors, s []float64, action int, u []float64)

	// Successors, if set, makes the model an Enumerator, and a Finite where every
	// axis is discrete: it must then answer at every combination of their values,
	// with all that can follow. Starts must be set as well, unless Start is nil.
	Starts     func(z *Successors)
	Successors func(z *Successors, s []float64, action int)

	// One of three functions moves the latent; without any, it is static. LatentTransition moves it in the
	// way that LatentKind says. NextLatent (DeterministicLatent) and LatentMoves (SparseLatent, Redrawn
	// unless LatentKind is Deterministic) are faster among many latents.
	LatentKind       LatentKind
	LatentTransition func(p []float64, s []float64, action, latent int) bool
	NextLatent       func(s []float64, action, latent int) int
	LatentMoves      func(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64)

	Lipschitz *Lipschitz // constants of the model; nil if they are not known
}

// locate has a panic in what steps and lists say where it was.
func (f *Funcs) locate() {
	spec, step, likelihood, successors := &f.Spec, f.Step, f.LogLikelihood, f.Successors
	f.Step = func(next, s []float64, latent, action int, rng *rand.Rand) Outcome {
		call := "Step"
		defer spec.locate(&call, s, action, latent)
		return step(next, s, latent, action, rng)
	}
	f.LogLikelihood = func(s []float64, action int, next []float64, latent int) float64 {
		call := "LogLikelihood"
		defer spec.locate(&call, s, action, latent)
		return likelihood(s, action, next, latent)
	}
	if successors != nil {
		f.Successors = func(z *Successors, s []float64, action int) {
			call := "Successors"
			defer spec.locate(&call, s, action, -1)
			successors(z, s, action)
		}
	}
}

// FromFuncs makes a Model of f: an Enumerator exactly where f.Successors is set, and a Finite where
// all axes are discrete besides and have at most a million combinations of values. The error is an
// *InputError for a function that is missing or a Spec or prior that cannot be used; package check
// tries whether the functions agree.
func FromFuncs(f Funcs) (Model, error) {
	in := In("functions of model " + strconv.Quote(f.Spec.Name))
	if err := f.Spec.Validate(); err != nil {
		return nil, err
	}
	if f.Spec.HasBox() {
		if err := f.decode(in); err != nil {
			return nil, err
		}
	} else if f.StepAt != nil || f.LogLikelihoodAt != nil || f.SuccessorsAt != nil {
		return nil, in.Bad("StepAt, LogLikelihoodAt or SuccessorsAt", "set", "nil, as no action has a Box")
	}
	if err := cmp.Or(
		in.Need(f.Step != nil, "Step", "nil", "a function"),
		in.Need(f.LogLikelihood != nil, "LogLikelihood", "nil", "log P(s'|s, φ, a), from which beliefs are computed, or a function that returns 0 where steps tell nothing of the latent"),
		in.Need(f.Starts == nil || f.Successors != nil, "Successors", "nil", "a function beside Starts, or neither"),
		in.Need(f.Successors == nil || f.Starts != nil || f.Start == nil, "Starts", "nil", "a function that lists what Start draws, as Successors is set")); err != nil {
		return nil, err
	}
	if f.Lipschitz != nil {
		if err := f.Lipschitz.Check(f.Spec); err != nil {
			return nil, err
		}
	}
	if err := f.move(in); err != nil {
		return nil, err
	}
	if f.Prior == nil {
		f.Prior = Uniform(len(f.Spec.Latents))
	}
	f.locate()
	f.Prior = append(Belief(nil), f.Prior...)
	if len(f.Prior) != len(f.Spec.Latents) || f.Prior.Validate() != nil {
		return nil, in.Bad("Prior", []float64(f.Prior), "a probability for each latent, with sum 1")
	}
	return newDerived(f.abilities()), nil
}

// abilities are those of a model of f, which is complete.
func (f *Funcs) abilities() Abilities {
	lowest := make([]float64, len(f.Spec.Axes))
	for i, a := range f.Spec.Axes {
		lowest[i] = a.Min
	}
	a := Abilities{Spec: f.Spec, Prior: func(b Belief) { copy(b, f.Prior) }, Start: f.Start, Step: f.Step, LogLikelihood: f.LogLikelihood,
		StartLogLikelihood: f.StartLogLikelihood, LatentKind: f.LatentKind, LatentTransition: f.LatentTransition, NextLatent: f.NextLatent,
		LatentMoves: f.LatentMoves, Starts: f.Starts, Successors: f.Successors}
	if a.Start == nil {
		a.Start = func(s []float64, _ int, _ *rand.Rand) { copy(s, lowest) }
	}
	if a.StartLogLikelihood == nil {
		a.StartLogLikelihood = tellsNothing
	}
	if l := f.Lipschitz; l != nil {
		a.Lipschitz = func() Lipschitz { return *l }
	}
	if f.Successors == nil {
		return a
	}
	if a.Starts == nil {
		a.Starts = func(z *Successors) {
			s, prob, _ := z.Add(false)
			copy(s, lowest)
			for i := range prob {
				prob[i] = 1
			}
		}
	}
	if places, n := numbered(f.Spec.Axes); n > 0 {
		a.NumStates, a.StateAt, a.StateIndex = func() int { return n }, places.At, places.Number
	}
	return a
}

// move sets LatentKind where a function moves the latent that says no more of it.
func (f *Funcs) move(in In) error {
	next, moves := f.NextLatent, f.LatentMoves
	switch {
	case next != nil && (f.LatentTransition != nil || moves != nil), f.LatentTransition != nil && moves != nil:
		return in.Bad("LatentTransition, NextLatent or LatentMoves", "more than one", "one function that moves the latent")
	case next != nil && f.LatentKind != Static && f.LatentKind != Deterministic:
		return in.Bad("LatentKind", f.LatentKind.String(), "deterministic, as NextLatent is set")
	case next != nil:
		f.LatentKind = Deterministic
	case moves != nil && f.LatentKind == Static:
		f.LatentKind = Redrawn
	case moves != nil:
	case f.LatentTransition == nil && f.LatentKind != Static:
		return in.Bad("LatentTransition", "nil", "a function, as LatentKind is "+f.LatentKind.String())
	}
	return nil
}

// decode sets Step, LogLikelihood and Successors to functions that take ids, and call those
// that take controls.
func (f *Funcs) decode(in In) error {
	if err := cmp.Or(
		in.Need(f.Step == nil && f.LogLikelihood == nil && f.Successors == nil, "Step, LogLikelihood or Successors", "set", "nil, and StepAt, LogLikelihoodAt and SuccessorsAt in their place: an action has a Box"),
		in.Need(f.StepAt != nil, "StepAt", "nil", "a function, as an action has a Box"),
		in.Need(f.LogLikelihoodAt != nil, "LogLikelihoodAt", "nil", "a function, as an action has a Box")); err != nil {
		return err
	}
	d := newDecoder(f.Spec)
	step, likelihood, successors := f.StepAt, f.LogLikelihoodAt, f.SuccessorsAt
	f.Step = func(next, s []float64, latent, action int, rng *rand.Rand) (out Outcome) {
		d.with(action, func(index int, u []float64) { out = step(next, s, latent, index, u, rng) })
		return out
	}
	f.LogLikelihood = func(s []float64, action int, next []float64, latent int) (log float64) {
		d.with(action, func(index int, u []float64) { log = likelihood(s, index, u, next, latent) })
		return log
	}
	if successors != nil {
		f.Successors = func(z *Successors, s []float64, action int) {
			d.with(action, func(index int, u []float64) { successors(z, s, index, u) })
		}
	}
	return nil
}

// numbered numbers the combinations of values of the axes, and returns how many there are; 0 where an axis is not discrete and where
// there are too many.
func numbered(axes []Axis) (places sparse.Places, n int) {
	const most = 1_000_000
	n = 1
	for _, a := range axes {
		width := math.Floor(a.Max) - math.Ceil(a.Min)
		if !a.Whole() || !(width >= 0 && width < most) {
			return sparse.Places{}, 0
		}
		places.First, places.Sizes = append(places.First, math.Ceil(a.Min)), append(places.Sizes, int(width)+1)
		if n *= int(width) + 1; n > most {
			return sparse.Places{}, 0
		}
	}
	return places, n
}
