package hidden

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"bayescpace/bcpace"
)

// Belief is what an agent knows of the hidden vector. It is for one goroutine.
type Belief interface {
	// Draw fills x with a draw.
	Draw(x []float64, rng *rand.Rand)
	// Moments fills mean with the mean, and variance with the variance of each entry.
	Moments(mean, variance []float64)
	// Update makes it the belief after an action in state s was followed by next, where the episode goes on. rng is
	// read by beliefs that draw. The error is an *ImpossibleError where what followed was impossible or too unlikely to be met; then the
	// belief is that of what could have followed, whatever was seen.
	Update(s []float64, action int, next []float64, rng *rand.Rand) error
	// Clone returns a copy, which is updated apart.
	Clone() Belief
}

// Filter makes the belief of a model as an episode begins in state s. rng is read by filters that draw. The error is an
// *ImpossibleError, beside a belief that has not seen s, where no hidden vector explains s that was tried; and
// otherwise that of a model with which the filter can do nothing.
type Filter interface {
	Begin(m *Model, s []float64, rng *rand.Rand) (Belief, error)
}

// Weighted is a Belief made of points with weights.
type Weighted interface {
	Belief
	// Len returns how many points there are.
	Len() int
	// At returns a point and its weight; the weights sum to 1. The point is a view that holds until Update.
	At(i int) (x []float64, weight float64)
}

// moments are the Moments of points with weights.
func moments(b Weighted, mean, variance []float64) {
	clear(mean)
	clear(variance)
	for i := range b.Len() {
		x, w := b.At(i)
		for j, v := range x {
			mean[j] += w * v
		}
	}
	for i := range b.Len() {
		x, w := b.At(i)
		for j, v := range x {
			variance[j] += w * (v - mean[j]) * (v - mean[j])
		}
	}
}

// DefaultFilter returns the filter for m: Exact where m was made of a list of latents, Unscented where it states its
// Gaussian and the first state tells nothing, and Particles otherwise.
func DefaultFilter(m *Model) Filter {
	switch {
	case m.Listed != nil:
		return Exact{}
	case m.Gaussian != nil && m.StartLogDensity == nil:
		return Unscented{}
	}
	return Particles{}
}

// ImpossibleError reports a step that no hidden vector explains that the belief holds possible, or a first
// state, for which State is nil.
type ImpossibleError struct {
	Model       string
	State, Next []float64
	Action      string
	Tried       int // hidden vectors that were tried
}

func (e *ImpossibleError) Error() string {
	what := "what follows state " + text(e.State) + " by action " + strconv.Quote(e.Action)
	if e.State == nil {
		what = "the first state"
	}
	return bcpace.In("model "+strconv.Quote(e.Model)).Bad(what, text(e.Next),
		fmt.Sprintf("a state that one of %d hidden vectors explains; check LogDensity against Step, or take more particles", e.Tried)).Error()
}
