package hidden

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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

// text writes a vector with few digits.
func text(x []float64) string { return fmt.Sprintf("%.5g", x) }

// Exact is the Bayes estimator of package bcpace, for a model that FromModel has made of one with a list of latents.
type Exact struct{}

// Begin implements Filter.
func (Exact) Begin(m *Model, s []float64, _ *rand.Rand) (Belief, error) {
	if m.Listed == nil {
		return nil, &bcpace.UnsupportedError{Model: m.Spec.Name, Algorithm: "an exact belief", Need: "Model.Listed, which FromModel sets; Grid has probabilities of one or two hidden axes"}
	}
	spec := m.Listed.Spec()
	n := len(spec.Latents)
	b := &LatentBelief{model: m, bayes: bcpace.NewBayes(m.Listed), prob: make(bcpace.Belief, n), numbers: make([]float64, n)}
	for i := range b.numbers {
		b.numbers[i] = float64(i)
	}
	if err := b.bayes.Start(b.prob, s); errors.As(err, new(*bcpace.ImpossibleObservationError)) {
		return b, &ImpossibleError{Model: m.Spec.Name, Next: slices.Clone(s), Action: "none, the start", Tried: n}
	} else if err != nil {
		return nil, err
	}
	return b, nil
}

// LatentBelief is a probability for each latent of a list, which the hidden vector numbers.
type LatentBelief struct {
	model   *Model
	bayes   *bcpace.Bayes
	prob    bcpace.Belief
	numbers []float64 // 0, 1, …
}

var _ Weighted = (*LatentBelief)(nil)

// Belief returns the probabilities of the latents, a view that holds until Update.
func (b *LatentBelief) Belief() bcpace.Belief { return b.prob }

// Len implements Weighted.
func (b *LatentBelief) Len() int { return len(b.prob) }

// At implements Weighted.
func (b *LatentBelief) At(i int) (x []float64, weight float64) {
	return b.numbers[i : i+1 : i+1], b.prob[i]
}

// Draw implements Belief.
func (b *LatentBelief) Draw(x []float64, rng *rand.Rand) { x[0] = float64(b.prob.Sample(rng)) }

// Moments implements Belief.
func (b *LatentBelief) Moments(mean, variance []float64) { moments(b, mean, variance) }

// Clone implements Belief.
func (b *LatentBelief) Clone() Belief {
	c := *b
	c.bayes, c.prob = bcpace.NewBayes(b.model.Listed), slices.Clone(b.prob)
	return &c
}

// Update implements Belief.
func (b *LatentBelief) Update(s []float64, action int, next []float64, _ *rand.Rand) error {
	err := b.bayes.Update(b.prob, b.prob, s, action, next)
	if !errors.As(err, new(*bcpace.ImpossibleObservationError)) {
		return err
	}
	if mover := bcpace.AbilitiesOf(b.model.Listed).Mover(); mover != nil {
		before := slices.Clone(b.prob)
		clear(b.prob)
		for φ, p := range before {
			to, share := mover.Append(nil, nil, s, action, φ)
			for i, k := range to {
				b.prob[k] += p * share[i]
			}
		}
	}
	return &ImpossibleError{Model: b.model.Spec.Name, State: slices.Clone(s), Next: slices.Clone(next), Action: b.model.Spec.ActionName(action), Tried: len(b.prob)}
}

// Quantiles returns for each p in [0, 1] the value of entry i of the hidden vector that is exceeded with probability 1 − p at
// most. The error is a *bcpace.InputError for an entry or a probability that there is not, and for a belief that neither has
// points nor is normal.
func Quantiles(b Belief, i int, p ...float64) ([]float64, error) {
	bad := bcpace.In("quantiles of a belief").Bad
	for _, q := range p {
		if !(q >= 0 && q <= 1) {
			return nil, bad("the probability", q, "a number from 0 to 1")
		}
	}
	switch b := b.(type) {
	case *NormalBelief:
		if n := b.mean.Len(); i < 0 || i >= n {
			return nil, bad("the entry", i, fmt.Sprintf("a number from 0 to %d", n-1))
		}
		list, σ := make([]float64, len(p)), math.Sqrt(max(b.cov.At(i, i), 0))
		for k, q := range p {
			if list[k] = b.mean.AtVec(i); σ > 0 {
				list[k] += σ * math.Sqrt2 * math.Erfinv(2*q-1)
			}
		}
		return list, nil
	case Weighted:
		return quantilesOf(b, i, p)
	}
	return nil, bad("the belief", fmt.Sprintf("a %T", b), "one with points (Weighted) or a normal one")
}

// quantilesOf is Quantiles of points.
func quantilesOf(b Weighted, i int, p []float64) ([]float64, error) {
	type point struct{ value, weight float64 }
	points := make([]point, 0, b.Len())
	for k := range b.Len() {
		x, w := b.At(k)
		if i < 0 || i >= len(x) {
			return nil, bcpace.In("quantiles of a belief").Bad("the entry", i, fmt.Sprintf("a number from 0 to %d", len(x)-1))
		}
		if w > 0 {
			points = append(points, point{x[i], w})
		}
	}
	slices.SortFunc(points, func(x, y point) int { return cmp.Compare(x.value, y.value) })
	list := make([]float64, len(p))
	for k, q := range p {
		sum := 0.0
		for _, x := range points {
			list[k] = x.value
			if sum += x.weight; sum >= q-1e-12 {
				break
			}
		}
	}
	return list, nil
}
