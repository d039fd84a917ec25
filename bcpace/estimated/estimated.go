// Package estimated gives likelihoods to a model that has none: a simulator that can draw what
// follows, and does not know how likely that is. They are estimated from its own draws.
package estimated

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/num"
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
		x := &estimator{model: m, spec: a.Spec, draws: o.Draws, seed: o.Seed, kept: num.NewRecent[*density](1 << 7)}
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
	kept  *num.Recent[*density]
}

// logLikelihood is that of bcpace.Model.
func (e *estimator) logLikelihood(s []float64, action int, next []float64, latent int) float64 {
	return e.kept.At(s, action, nil, func() *density { return e.draw(s, action) }).log(next, latent)
}

// together is how many draws are asked for at a time: simulators in other processes answer many at
// once.
const together = 64

// narrowest is the least bandwidth, as a share of the length of an axis: what does not differ by more
// is the same but for rounding.
const narrowest = 1e-6

// density is the estimate at one state and action, for all latents.
type density struct {
	axes   []bcpace.Axis
	draws  int
	next   []float64 // latents × draws × axes
	width  []float64 // bandwidth by axis; 0 on an axis of whole numbers
	factor float64   // log of the constant of the kernel
	floor  float64   // log of the uniform density
}

// draw draws from the model.
func (e *estimator) draw(s []float64, action int) *density {
	axes, latents := len(s), len(e.spec.Latents)
	d := &density{axes: e.spec.Axes, draws: e.draws, next: make([]float64, latents*e.draws*axes)}
	hi, lo := mix(e.seed, s, action)
	var drawing sync.WaitGroup
	var failed sync.Once
	var fault any
	for part := range min(together, e.draws) {
		drawing.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					failed.Do(func() { fault = p })
				}
			}()
			random := rand.NewPCG(0, 0)
			rng := rand.New(random)
			for i := part; i < e.draws; i += together {
				for φ := range latents {
					random.Seed(hi, lo+uint64(i))
					at := (φ*e.draws + i) * axes
					next := d.next[at : at+axes : at+axes]
					e.model.Step(next, s, φ, action, rng)
					if off, want := e.spec.OffAxes(next); off != "" {
						panic(e.spec.Fault(s, action, φ, "Step made state %v, %s, want %s", next, off, want))
					}
				}
			}
		})
	}
	drawing.Wait()
	if fault != nil {
		panic(fault) // of the model, as if it had been asked here
	}
	d.fit()
	return d
}

// mix returns two numbers that stand for a seed, a state and an action.
func mix(seed uint64, s []float64, action int) (hi, lo uint64) {
	h := rand.NewPCG(seed, uint64(action))
	hi, lo = h.Uint64(), h.Uint64()
	for _, v := range s {
		h.Seed(hi^math.Float64bits(v+0), lo) // −0 is 0
		hi, lo = h.Uint64(), h.Uint64()
	}
	return hi, lo
}

// fit sets the bandwidths: of each axis the same for all latents, by the standard deviations within latents.
func (d *density) fit() {
	axes := len(d.axes)
	d.width = make([]float64, axes)
	latents := len(d.next) / (d.draws * axes)
	noisy := 0
	for i, a := range d.axes {
		if a.Whole() {
			d.floor -= math.Log(a.Max - a.Min + 1)
			continue
		}
		length := a.Max - a.Min
		sum := 0.0
		for φ := range latents {
			sum += d.variance(φ, i)
		}
		d.width[i] = math.Sqrt(sum / float64(latents))
		if least := narrowest * length; d.width[i] > least {
			noisy++
		}
		if length > 0 {
			d.floor -= math.Log(length)
		}
	}
	scott := math.Pow(float64(d.draws), -1/float64(4+noisy))
	for i, a := range d.axes {
		if a.Whole() || a.Max == a.Min {
			d.width[i] = 0
			continue
		}
		d.width[i] = max(scott*d.width[i], narrowest*(a.Max-a.Min))
		d.factor -= math.Log(d.width[i] * math.Sqrt(2*math.Pi))
	}
}

// variance returns that of the draws of a latent on an axis, around their first.
func (d *density) variance(latent, axis int) float64 {
	axes := len(d.axes)
	of := d.next[latent*d.draws*axes:][: d.draws*axes : d.draws*axes]
	sum, squares := 0.0, 0.0
	for i := range d.draws {
		x := d.apart(axis, of[i*axes+axis], of[axis])
		sum += x
		squares += x * x
	}
	n := float64(d.draws)
	return max(0, (squares-sum*sum/n)/(n-1))
}

// apart returns x − y, the short way round where the axis is a circle.
func (d *density) apart(axis int, x, y float64) float64 {
	z := x - y
	if p := d.axes[axis].Period; p > 0 {
		z -= p * math.Round(z/p)
	}
	return z
}

// log returns the logarithm of the density of next under a latent.
func (d *density) log(next []float64, latent int) float64 {
	axes := len(d.axes)
	of := d.next[latent*d.draws*axes:][: d.draws*axes : d.draws*axes]
	top, sum := d.floor, 1.0 // Σ exp(·) is exp(top)·sum
draws:
	for i := range d.draws {
		e := d.factor
		for j, w := range d.width {
			y := of[i*axes+j]
			if w == 0 {
				if y != next[j] {
					continue draws
				}
				continue
			}
			z := d.apart(j, next[j], y) / w
			e -= z * z / 2
		}
		if e > top {
			top, sum = e, sum*math.Exp(top-e)+1
		} else {
			sum += math.Exp(e - top)
		}
	}
	return top + math.Log(sum) - math.Log(float64(d.draws+1))
}
