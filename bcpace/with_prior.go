package bcpace

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// WithPrior returns m with another prior P0(φ). All else stays: the latents and their
// dynamics, states, rewards, name and parameters, and what m lists, numbers and states of
// itself. A saved run of the model is read with runs.FixedModel, as its parameters do not tell the
// prior.
//
// The error is an *InputError for a prior that is no distribution over the latents of m, or
// that of Validate. It is an *UnsupportedError for a model from outside of this package that
// is a ToldModel, ValueBounds, LatentValues or UnknownTransitions: only the model itself can
// change its prior and stay one. A DeterministicLatent becomes a SparseLatent, which lists the latent that follows.
func WithPrior(m Model, prior Belief) (Model, error) {
	if err := Validate(m); err != nil {
		return nil, err
	}
	spec := m.Spec()
	if len(prior) != len(spec.Latents) {
		return nil, &InputError{Where: "model " + strconv.Quote(spec.Name), What: "the prior", Got: fmt.Sprintf("%d long", len(prior)),
			Want: fmt.Sprintf("%d, one probability for each latent", len(spec.Latents))}
	}
	if err := prior.Validate(); err != nil {
		return nil, err
	}
	now := make(Belief, len(prior))
	if m.Prior(now); slices.Equal(now, prior) {
		return m, nil
	}
	return withPrior(m, slices.Clone(prior))
}

// withPrior is WithPrior for a prior that is sound and kept by nobody else.
func withPrior(m Model, prior Belief) (Model, error) {
	switch m := m.(type) {
	case funcModel:
		return m.withPrior(prior), nil
	case funcEnumerator:
		m.funcModel = m.withPrior(prior)
		return m, nil
	case funcFinite:
		m.funcModel = m.withPrior(prior)
		return m, nil
	case namedModel:
		m.funcModel = m.withPrior(prior)
		return m, nil
	case namedEnumerator:
		m.funcModel = m.withPrior(prior)
		return m, nil
	case namedFinite:
		m.funcModel = m.withPrior(prior)
		return m, nil
	case *listedModel:
		other := *m
		other.prior = prior
		return &other, nil
	case *gaussianModel:
		return m.withPrior(prior), nil
	case *discretised, *listedDiscretised, *numberedDiscretised:
		d := discretisedOf(m)
		inner, err := withPrior(d.inner, prior)
		if err != nil {
			return nil, err
		}
		return Discretised(inner, d.points)
	}
	if h := finiteHorizonOf(m); h != nil {
		inner, err := withPrior(h.inner, prior)
		if err != nil {
			return nil, err
		}
		return h.with(inner), nil
	}
	if lost := needsOwnPrior(m); lost != "" {
		return nil, &UnsupportedError{Model: m.Spec().Name, Algorithm: "WithPrior", Need: "a model that is no " + lost + ": build it with this prior"}
	}
	x := newOtherPrior(m, prior)
	if f, ok := asNumbered(m); ok {
		return &numberedOtherPrior{listedOtherPrior{x, f}, f}, nil
	}
	if e, ok := m.(Enumerator); ok {
		return &listedOtherPrior{x, e}, nil
	}
	return &x, nil
}

// needsOwnPrior names what m is that an otherPrior is not; "" where there is nothing.
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
	return ""
}

func (m funcModel) withPrior(prior Belief) funcModel {
	f := *m.f
	f.Prior = prior
	return funcModel{&f}
}

func (m *gaussianModel) withPrior(prior Belief) *gaussianModel {
	other := &gaussianModel{g: m.g, given: m.given, noise: m.noise}
	other.g.Prior, other.given.Prior = prior, prior
	other.pool.New = m.pool.New
	return other
}

// otherPrior is a model with another prior. Where the inner one lacks an upgrade that it has,
// it says what a model without that stands for.
type otherPrior struct {
	Model
	prior Belief
	moves SparseLatent // of the inner model, nil if it has none
}

func newOtherPrior(m Model, prior Belief) otherPrior {
	x := otherPrior{Model: m, prior: prior}
	x.moves, _ = AsSparseLatent(m)
	return x
}

// listedOtherPrior is an otherPrior that lists the successors of a state.
type listedOtherPrior struct {
	otherPrior
	list Enumerator
}

// numberedOtherPrior is an otherPrior whose states are numbered.
type numberedOtherPrior struct {
	listedOtherPrior
	states Finite
}

var (
	_ SparseLatent    = (*otherPrior)(nil)
	_ StartLikelihood = (*otherPrior)(nil)
	_ ReturnRange     = (*otherPrior)(nil)
	_ HorizonKeeper   = (*otherPrior)(nil)
	_ LipschitzModel  = (*otherPrior)(nil)
	_ FinerLister     = (*listedOtherPrior)(nil)
	_ Finite          = (*numberedOtherPrior)(nil)
)

// Prior implements Model.
func (m *otherPrior) Prior(b Belief) { copy(b, m.prior) }

// StartLogLikelihood implements StartLikelihood.
func (m *otherPrior) StartLogLikelihood(s []float64, latent int) float64 {
	if l, ok := m.Model.(StartLikelihood); ok {
		return l.StartLogLikelihood(s, latent)
	}
	return 0
}

// LatentKind implements LatentDynamics.
func (m *otherPrior) LatentKind() LatentKind { return KindOf(m.Model) }

// LatentTransition implements LatentDynamics.
func (m *otherPrior) LatentTransition(p []float64, s []float64, action, latent int) bool {
	d, ok := m.Model.(LatentDynamics)
	return ok && d.LatentTransition(p, s, action, latent)
}

// IsSparse reports whether the inner model is a SparseLatent.
func (m *otherPrior) IsSparse() bool { return m.moves != nil }

// LatentMoves implements SparseLatent.
func (m *otherPrior) LatentMoves(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64) {
	return m.moves.LatentMoves(to, share, s, action, latent)
}

// ReturnRange implements ReturnRange.
func (m *otherPrior) ReturnRange() (lo, hi float64) { return RangeOfReturns(m.Model) }

// KeepsHorizon implements HorizonKeeper.
func (m *otherPrior) KeepsHorizon() bool {
	k, ok := m.Model.(HorizonKeeper)
	return ok && k.KeepsHorizon()
}

// Lipschitz implements LipschitzModel.
func (m *otherPrior) Lipschitz() Lipschitz {
	if l, ok := m.Model.(LipschitzModel); ok {
		return l.Lipschitz()
	}
	return Lipschitz{math.Inf(1), math.Inf(1)}
}

// Starts implements Enumerator.
func (m *listedOtherPrior) Starts(z *Successors) { m.list.Starts(z) }

// Successors implements Enumerator.
func (m *listedOtherPrior) Successors(z *Successors, s []float64, action int) {
	m.list.Successors(z, s, action)
}

// FinerList implements FinerLister.
func (m *listedOtherPrior) FinerList() Enumerator {
	finer := finerList(m.list)
	if finer == nil {
		return nil
	}
	return &listedOtherPrior{newOtherPrior(finer, m.prior), finer}
}

// NumStates implements Finite.
func (m *numberedOtherPrior) NumStates() int { return m.states.NumStates() }

// StateAt implements Finite.
func (m *numberedOtherPrior) StateAt(s []float64, number int) { m.states.StateAt(s, number) }

// StateIndex implements Finite.
func (m *numberedOtherPrior) StateIndex(s []float64) int { return m.states.StateIndex(s) }
