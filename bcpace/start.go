package bcpace

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Start is a start state with its probability, and the prior conditioned on it.
type Start struct {
	State  []float64
	Belief Belief
	Weight float64
}

// startDraws is how many start states are drawn from P0(s) if the model does not list
// them.
const startDraws = 256

// StartsOf returns the start states of m: all of them for an Enumerator, and otherwise the distinct
// ones among 256 draws with a fixed seed. The error is that of Validate, or the model's.
func StartsOf(m Model) ([]Start, error) {
	if err := Validate(m); err != nil {
		return nil, err
	}
	if e, ok := m.(Enumerator); ok {
		return enumeratedStarts(e)
	}
	sim, rng := NewSimulator(m), rand.New(rand.NewPCG(0, 0))
	var list []Start
	for range startDraws {
		if err := sim.Reset(rng); err != nil {
			return nil, err
		}
		i := slices.IndexFunc(list, func(s Start) bool { return slices.Equal(s.State, sim.State) })
		if i < 0 {
			i = len(list)
			list = append(list, Start{State: slices.Clone(sim.State), Belief: slices.Clone(sim.Belief)})
		}
		list[i].Weight += 1.0 / startDraws
	}
	return list, nil
}

// enumeratedStarts conditions the prior on each start state of e.
func enumeratedStarts(e Enumerator) ([]Start, error) {
	var z Successors
	if err := z.ListStarts(e); err != nil {
		return nil, err
	}
	prior := make(Belief, len(e.Spec().Latents))
	e.Prior(prior)
	var list []Start
	for i := range z.Len() {
		s, p, _ := z.Row(i)
		b := make(Belief, len(prior))
		if w := prior.Posterior(b, p); w > 0 {
			list = append(list, Start{append([]float64(nil), s...), b, w})
		}
	}
	return list, nil
}

// ListStarts fills z with the start states of m, and P0(s|φ) as probabilities.
func (z *Successors) ListStarts(m Enumerator) (err error) {
	if err := Validate(m); err != nil {
		return err
	}
	spec := m.Spec()
	defer spec.Guard(&err, "Starts", nil, -1, -1)
	z.Reset(len(spec.Axes), len(spec.Latents))
	m.Starts(z)
	return spec.CheckSizes(z, "Starts", nil, -1)
}

// StartPoint is a state and the belief held there, to explore from.
type StartPoint struct {
	State  []float64
	Belief Belief
}

// Check says what keeps p from being a state and a belief of m.
func (p StartPoint) Check(m Model) error {
	spec := m.Spec()
	if err := p.fits(&spec); err != nil {
		return err
	}
	return spec.in().Need(hasState(m, p.State), "the state", p.State, "one of its numbered states")
}

// fits says what keeps p from being a state and a belief of a model with that Spec.
func (p StartPoint) fits(spec *Spec) error {
	if len(p.State) != len(spec.Axes) {
		return spec.in().Bad("the state", p.State, fmt.Sprintf("%d numbers, one for each axis", len(spec.Axes)))
	}
	for i, x := range p.State {
		if a := &spec.Axes[i]; !a.holds(x) {
			kind := "value"
			if a.Whole() {
				kind = "whole number"
			}
			return spec.in().Bad("the state on axis "+strconv.Quote(a.Name), x, fmt.Sprintf("a %s from %v to %v", kind, a.Min, a.Max))
		}
	}
	if len(p.Belief) != len(spec.Latents) {
		return spec.in().Bad("the belief", p.Belief, fmt.Sprintf("%d probabilities, one for each latent", len(spec.Latents)))
	}
	return p.Belief.Validate()
}

// hasState reports whether a state on the axes is one of m: one with a number, where m has
// numbered states.
func hasState(m Model, s []float64) bool {
	f, ok := asNumbered(m)
	return !ok || f.StateIndex(s) >= 0
}

// IsPlace reports whether these are a state and a belief of m, described by s.
func (s *Spec) IsPlace(m Model, state []float64, b Belief) bool {
	return StartPoint{state, b}.fits(s) == nil && hasState(m, state)
}

// WithPrior returns m with another prior P0(φ). All else stays. A saved run of the model is read with
// runs.FixedModel, as its parameters do not tell the prior. The error is an *InputError for a prior
// that is no distribution over the latents of m, or that of Validate; an *UnsupportedError for a
// ToldModel, ValueBounds, LatentValues or UnknownTransitions: only the model itself can change its
// prior and stay one.
func WithPrior(m Model, prior Belief) (Model, error) {
	if err := Validate(m); err != nil {
		return nil, err
	}
	spec := m.Spec()
	if err := cmp.Or(
		spec.in().Need(len(prior) == len(spec.Latents), "the prior", fmt.Sprintf("%d long", len(prior)), fmt.Sprintf("%d, one probability for each latent", len(spec.Latents))),
		prior.Validate()); err != nil {
		return nil, err
	}
	now := make(Belief, len(prior))
	if m.Prior(now); slices.Equal(now, prior) {
		return m, nil
	}
	if lost := needsOwnPrior(m); lost != "" {
		return nil, &UnsupportedError{Model: spec.Name, Algorithm: "WithPrior", Need: "a model that is no " + lost + ": build it with this prior"}
	}
	return withPrior(m, slices.Clone(prior)), nil
}

// withPrior is WithPrior for a prior that is sound and kept by nobody else.
func withPrior(m Model, prior Belief) Model {
	_, gaussian := m.(*gaussianModel)
	_, listed := m.(*listedModel)
	return derive(m, func(_ Model, a *Abilities) {
		if !gaussian && !listed && asDerived(m) == nil {
			a.asSaved()
		}
		a.Prior = func(b Belief) { copy(b, prior) }
		if a.Behind != nil {
			a.Behind = withPrior(a.Behind, prior)
		}
	})
}

// needsOwnPrior names what m says of itself that depends on the prior; "" where there is nothing.
func needsOwnPrior(m Model) string {
	switch m.(type) {
	case ToldModel:
		return "ToldModel"
	case ValueBounds:
		return "ValueBounds"
	case LatentValues:
		return "LatentValues"
	case UnknownTransitions:
		return "UnknownTransitions"
	}
	if d := asDerived(m); d != nil && d.can.Behind != nil {
		return needsOwnPrior(d.can.Behind)
	}
	return ""
}

// UnknownTransitions is a Finite model for agents that do not know P(s'|s,a) for each state and
// action, beside the latent, and learn it within an episode. All methods but TransitionPrior are about
// the truth. Package family makes such models.
type UnknownTransitions interface {
	Finite
	TransitionPrior() TransitionPrior
}

// knowsTransitions returns an *UnsupportedError for an UnknownTransitions, which a model that an
// algorithm makes of it would not be.
func knowsTransitions(m Model, algorithm string) error {
	if _, ok := m.(UnknownTransitions); !ok {
		return nil
	}
	return &UnsupportedError{Model: m.Spec().Name, Algorithm: algorithm, Need: "a model whose transitions are known; family.Unknown makes them unknown of what this returns"}
}

// TransitionPrior says what an agent knows that does not know P(s'|s,a). Each row P(·|s,a) has a
// Dirichlet prior of its own. The zero value is the flat prior of Dearden, Friedman and Andre (1999).
type TransitionPrior struct {
	// Alpha is the parameter α of the Dirichlet prior for each state that may follow. 0 means
	// 1/n where n states may follow, and 0.2 if Sparse.
	Alpha float64
	// Sparse says that few of the states that may follow do, by the prior of Friedman and Singer (1999,
	// "Efficient Bayesian parameter estimation in large discrete domains"): k states follow with a
	// probability in proportion to 2^−k, each set of k states is equally likely, and the row has a
	// Dirichlet distribution over the set.
	Sparse bool
	// Follow returns the numbers of the states that may follow a state after an action, each
	// once; nil means that every state may. An agent learns nothing from what that rules out.
	Follow func(state, action int) []int32
	// Reward returns the reward of a step between numbered states. nil means that it is the one that the
	// model lists, which must then not depend on the next state.
	Reward func(state, action, next int) float64
}
