// Package estimated gives likelihoods to a model that has none: a simulator that can draw what
// follows, and does not know how likely that is. They are estimated from its own draws.
package estimated

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"hash/maphash"

	"bayescpace/bcpace"
)

// ErrNone is what the error of Validate wraps where a model has no likelihoods.
var ErrNone = errors.New("the model has no likelihoods")

const (
	defaultDraws = 200
	minDraws     = 10
	maxDraws     = 1_000_000
)

// Options say how likelihoods are estimated.
type Options struct {
	// Draws is how many next states are drawn under each latent, wherever a likelihood is asked for; 0 is 200.
	Draws int
	// Seed makes the draws: the same one gives the same likelihoods.
	Seed uint64
}

// check returns o with its defaults, or an *bcpace.InputError.
func (o Options) check() (Options, error) {
	if o.Draws == 0 {
		o.Draws = defaultDraws
	}
	if o.Draws < minDraws || o.Draws > maxDraws {
		return o, bcpace.In("estimated likelihoods").Bad("Draws", o.Draws, fmt.Sprintf("a number from %d to %d, or 0 for %d", minDraws, maxDraws, defaultDraws))
	}
	return o, nil
}

// Likelihoods returns m with a LogLikelihood that is estimated from draws of its Step. At a state, an
// action and a latent, the density of the next state is
//
//	( Σ_i k(next − s_i) + u ) / (n + 1)
//
// where s_1 … s_n are the draws, k is a product of normal densities on the continuous axes, with the
// bandwidths of Scott (1992), n^(−1/(4+d)) times the standard deviation on each of the d axes where
// draws differ, and of equality on the axes of whole numbers. The uniform density u on the axes keeps
// every state possible. All latents get the same random numbers, which brings out how they differ.
// As n grows, the estimate comes to the density of a model that has one; how many draws are enough
// grows fast with the number of axes that have noise.
//
// The model says in its Spec that its likelihoods are estimated, which certificates repeat. Lists of
// successors and Smoothness, with which an estimate does not agree, are left out. The start must tell
// nothing of the latent, unless m is a bcpace.StartLikelihood. Each likelihood at a new state and
// action takes n steps for every latent, side by side; some hundred estimates are kept.
func Likelihoods(m bcpace.Model, o Options) (bcpace.Model, error) {
	o, err := o.check()
	if err != nil {
		return nil, err
	}
	if err := bcpace.Validate(m); err != nil && !errors.Is(err, ErrNone) {
		return nil, err
	}
	return bcpace.Derive(m, func(m bcpace.Model, a *bcpace.Abilities) {
		x := &estimator{model: m, spec: a.Spec, draws: o.Draws, seed: o.Seed}
		a.LogLikelihood = x.logLikelihood
		a.Spec.Estimated = fmt.Sprintf("likelihoods estimated from %d draws", o.Draws)
		a.Successors, a.Smoothness = nil, nil
		if validate := a.Validate; validate != nil {
			a.Validate = func() error {
				if err := validate(); !errors.Is(err, ErrNone) {
					return err
				}
				return nil
			}
		}
	}), nil
}

// estimator estimates the likelihoods of a model.
type estimator struct {
	model bcpace.Model
	spec  bcpace.Spec
	draws int
	seed  uint64
	kept  [1 << 7]atomic.Pointer[density]
}

// logLikelihood is that of bcpace.Model.
func (e *estimator) logLikelihood(s []float64, action int, next []float64, latent int) float64 {
	return e.at(s, action).log(next, latent)
}

var hashSeed = maphash.MakeSeed() // which slot keeps a density changes nothing but the time

// at returns the density after an action in a state.
func (e *estimator) at(s []float64, action int) *density {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	for _, v := range s {
		maphash.WriteComparable(&h, math.Float64bits(v))
	}
	maphash.WriteComparable(&h, action)
	slot := &e.kept[h.Sum64()%uint64(len(e.kept))]
	if d := slot.Load(); d != nil && d.action == action && slices.Equal(d.state, s) {
		return d
	}
	d := e.draw(s, action)
	slot.Store(d)
	return d
}
