package bcpace

import (
	"math"
	"math/rand/v2"
)

// behaviour sums up what a model does where a run has been. It is saved with the
// run, so that the run is not taken for one of another model of the same
// description, such as one whose code has been changed since. They are sums with
// random weights rather than a digest, as another processor may round otherwise.
type behaviour struct {
	Sums [2]float64 // of w·x over all numbers x, with w in [−1, 1)
	Size float64    // of |x|
}

// What is asked of a model at most, spread evenly: it takes some 50 ms.
const (
	behaviourSteps = 50_000
	behaviourLists = 5_000
)

// behaviour asks the run's model for what the run stands on: the lists of
// successors of a certified run, and of another steps with fixed random numbers.
// It is nil where the sums overflow. The error is a *ConformanceError where the
// model panics.
func (r *Run) behaviour() (_ *behaviour, err error) {
	defer r.Spec.guard(&err, "the model", nil, -1, -1)
	var x behaviour
	weights := rand.New(rand.NewPCG(1, 2))
	add := func(values ...float64) {
		for _, v := range values {
			if math.IsNaN(v) {
				continue
			}
			for i := range x.Sums {
				x.Sums[i] += (2*weights.Float64() - 1) * v
			}
			x.Size += math.Abs(v)
		}
	}
	if r.Options.Algorithm == Certified {
		r.lists(add)
	} else {
		r.steps(add)
	}
	if !finite(x.Size) {
		return nil, nil
	}
	return &x, nil
}

// steps passes what Step does at samples, under every latent that their next
// belief allows, and how likely what followed is.
func (r *Run) steps(add func(...float64)) {
	latents := len(r.Spec.Latents)
	rng := rand.NewPCG(0, 0)
	draw := rand.New(rng)
	next, row := make([]float64, len(r.Spec.Axes)), make(Belief, latents)
	dynamics, _ := r.model.(LatentDynamics)
	for i := 0; i < r.Samples.Len(); i += 1 + r.Samples.Len()*latents/behaviourSteps {
		s := r.Samples.At(i)
		for φ, p := range s.NextBelief {
			add(max(r.model.LogLikelihood(s.State, s.Action, s.Next, φ), -1e3)) // −Inf for what cannot follow
			if p == 0 {
				continue
			}
			rng.Seed(uint64(i), uint64(φ))
			out := r.model.Step(next, s.State, φ, s.Action, draw)
			add(next...)
			add(out.Reward, boolToFloat(out.Done))
			if dynamics != nil && dynamics.LatentTransition(row, s.State, s.Action, φ) {
				add(row...)
			}
		}
	}
}

// lists passes the successors of states and actions: of numbered ones, and else of
// places drawn on the axes, as the first bounds are of all states, and of samples.
func (r *Run) lists(add func(...float64)) {
	m, ok := r.model.(Enumerator)
	if !ok {
		return
	}
	state, actions := make([]float64, len(r.Spec.Axes)), len(r.Spec.Actions)
	rng := rand.New(rand.NewPCG(3, 4))
	n, at := behaviourLists/2+r.Samples.Len(), func(i int) ([]float64, int) {
		if i >= behaviourLists/2 {
			s := r.Samples.At(i - behaviourLists/2)
			return s.State, s.Action
		}
		for j, a := range r.Spec.Axes {
			if state[j] = a.Min + rng.Float64()*(a.Max-a.Min); a.Discrete || a.Labels != nil {
				state[j] = a.Min + float64(rng.IntN(int(a.Max-a.Min)+1))
			}
		}
		return state, i % actions
	}
	if f, ok := AsFinite(r.model); ok {
		n, at = f.NumStates()*actions, func(i int) ([]float64, int) {
			f.StateAt(state, i/actions)
			return state, i % actions
		}
	}
	var z Successors
	row := make(Belief, len(r.Spec.Latents))
	dynamics, _ := r.model.(LatentDynamics)
	pick := rand.New(rand.NewPCG(5, 6))
	for i := range min(n, behaviourLists) {
		if n > behaviourLists {
			i = pick.IntN(n) // as every so many would meet some actions only
		}
		s, a := at(i)
		z.Reset(len(r.Spec.Axes), len(r.Spec.Latents))
		m.Successors(&z, s, a)
		for k := range z.Len() {
			to, p, reward := z.Row(k)
			add(to...)
			add(boolToFloat(z.Done[k]))
			for φ := range p {
				add(p[φ], p[φ]*reward[φ])
			}
		}
		for φ := range row {
			if dynamics != nil && dynamics.LatentTransition(row, s, a, φ) {
				add(row...)
			}
		}
	}
}

// agrees compares behaviours but for rounding.
func (x *behaviour) agrees(y *behaviour) bool {
	if x == nil {
		return y == nil
	}
	const rounding = 1e-10 // of the sum of some millions of numbers
	for i := range x.Sums {
		if !(math.Abs(x.Sums[i]-y.Sums[i]) <= rounding*x.Size) {
			return false
		}
	}
	return math.Abs(x.Size-y.Size) <= rounding*x.Size
}
