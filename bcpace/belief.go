package bcpace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/internal/sparse"
)

// Belief is a distribution over the latents: b[φ] ≥ 0, Σ b = 1.
type Belief []float64

// simplexTolerance is how far the sum of a belief may be from 1.
const simplexTolerance = 1e-9

// Uniform returns the belief that gives each of n latents the same weight.
func Uniform(n int) Belief { return slices.Repeat(Belief{1 / float64(n)}, n) }

// OneHot returns e_φ: certainty of one latent among n.
func OneHot(n, latent int) Belief {
	b := make(Belief, n)
	b[latent] = 1
	return b
}

// L1 returns ‖b − c‖₁, in [0, 2].
func (b Belief) L1(c Belief) float64 {
	d := 0.0
	for i, x := range b {
		d += math.Abs(x - c[i])
	}
	return d
}

// NearestOneHot returns the latent φ whose one-hot vector is closest to b, the first of equals, and ‖b
// − e_φ‖₁ = 2(1 − b(φ)).
func (b Belief) NearestOneHot() (latent int, distance float64) {
	for i, x := range b {
		if x > b[latent] {
			latent = i
		}
	}
	// Summing the other weights is exact near a vertex, where 1 − b(φ) is not.
	for i, x := range b {
		if i != latent {
			distance += 2 * x
		}
	}
	return latent, distance
}

// Dot returns Σ_φ b(φ)·v(φ). Where b(φ) is 0, it does not read v(φ).
func (b Belief) Dot(v []float64) float64 {
	sum := 0.0
	for i, p := range b {
		if p > 0 {
			sum += p * v[i]
		}
	}
	return sum
}

// Sample draws a latent from b.
func (b Belief) Sample(rng *rand.Rand) int { return sparse.Sample(b, rng) }

// SampleSimplex fills b with a point drawn uniformly from the simplex.
func (b Belief) SampleSimplex(rng *rand.Rand) {
	sum := 0.0
	for i := range b {
		b[i] = rng.ExpFloat64()
		sum += b[i]
	}
	for i := range b {
		b[i] /= sum
	}
}

// Validate returns an *InputError unless b is a distribution.
func (b Belief) Validate() error {
	sum := 0.0
	for i, x := range b {
		if !num.Finite(x) || x < 0 {
			return In("belief").Bad(fmt.Sprintf("entry %d", i), x, "a probability in [0, 1]")
		}
		sum += x
	}
	if math.Abs(sum-1) > simplexTolerance {
		return In("belief").Bad(fmt.Sprintf("the sum of %.4g", []float64(b)), sum, "1")
	}
	return nil
}

// Bayes is the Bayes estimator τ of Section 2.1, in log space, so that long products of small
// likelihoods neither underflow nor lose a latent. The latent moves after the observation:
//
//	b'(φ') = Σ_φ P(φ'|φ,s,a) · b(φ)P(s'|s,φ,a) / Σ_φ b(φ)P(s'|s,φ,a)
//
// A Bayes is for one goroutine; it does not allocate in Update.
type Bayes struct {
	model Model
	start func(s []float64, latent int) float64 // StartLogLikelihood, nil where a start tells nothing
	mover *sparse.Mover                         // nil for a static latent
	log   []float64                             // log weights, then posterior
	moves sparse.MoveRows                       // of the last state and action
}

// NewBayes returns an estimator for m.
func NewBayes(m Model) *Bayes {
	return &Bayes{model: m, start: AbilitiesOf(m).StartLogLikelihood, mover: AbilitiesOf(m).Mover(), log: make([]float64, len(m.Spec().Latents))}
}

// Start fills b with the belief on arrival in start state s, by Condition.
func (e *Bayes) Start(b Belief, s []float64) error {
	e.model.Prior(b)
	return e.Condition(b, s)
}

// Condition replaces b by its posterior given start state s.
func (e *Bayes) Condition(b Belief, s []float64) error {
	if e.start == nil {
		return nil
	}
	for i := range b {
		e.log[i] = e.start(s, i)
	}
	if !posterior(e.log, b) {
		return fmt.Errorf("start state %v has probability zero under every latent of belief %.4g", s, []float64(b))
	}
	copy(b, e.log)
	return nil
}

// Update sets next = τ(s, b, a, s'). next and b may be the same slice. The error is an *ImpossibleObservationError, or a
// *ConformanceError for a likelihood that is not a number; next is then left as it was.
func (e *Bayes) Update(next, b Belief, s []float64, action int, sNext []float64) error {
	for i, p := range b {
		if p > 0 {
			e.log[i] = e.model.LogLikelihood(s, action, sNext, i)
		}
	}
	if !posterior(e.log, b) {
		spec := e.model.Spec()
		for i, p := range b {
			if p > 0 && math.IsNaN(e.log[i]) {
				return spec.Fault(s, action, i, "LogLikelihood of %v is NaN, want a number, or -Inf", sNext)
			}
		}
		return &ImpossibleObservationError{
			State: append([]float64(nil), s...), Next: append([]float64(nil), sNext...),
			Action: spec.ActionName(action), Belief: append(Belief(nil), b...),
		}
	}
	if e.mover == nil {
		copy(next, e.log)
		return nil
	}
	e.mover.Fill(&e.moves, s, action, e.log)
	e.moves.Move(next, e.log, 0)
	return nil
}

// posterior turns log likelihoods into the posterior of prior b, in place. It
// reports false where every latent of b has likelihood zero (or not a number).
func posterior(log []float64, b Belief) bool {
	top := math.Inf(-1)
	for i, p := range b {
		if p > 0 {
			log[i] += math.Log(p)
			if log[i] > top {
				top = log[i]
			}
		}
	}
	if !num.Finite(top) {
		return false
	}
	sum := 0.0
	for i, p := range b {
		if p > 0 {
			log[i] = math.Exp(log[i] - top)
			sum += log[i]
		} else {
			log[i] = 0
		}
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return false // a likelihood that is not a number
	}
	for i := range log {
		log[i] /= sum
	}
	return true
}

// Posterior sets next(φ) = b(φ)·p(φ) / Σ b·p and returns Σ b·p, the probability of an observation that has probability p(φ)
// under latent φ. Where that is 0, it leaves next as it is.
func (b Belief) Posterior(next Belief, p []float64) float64 {
	sum := 0.0
	for i, w := range b {
		sum += w * p[i]
	}
	if sum == 0 {
		return 0
	}
	for i, w := range b {
		next[i] = w * p[i] / sum
	}
	return sum
}

// SparseLatent is LatentDynamics that lists where the latent may go, for one that has few places to go
// among many latents. Beliefs then move in time that grows with the lists.
type SparseLatent interface {
	LatentDynamics
	// LatentMoves appends to to the latents φ' that LatentTransition gives a probability
	// above 0, each once and in ascending order, and to share those probabilities; where
	// LatentTransition returns false, latent alone with 1. It returns both lists.
	LatentMoves(to []int32, share []float64, s []float64, action, latent int) ([]int32, []float64)
}

// Mover returns what moves the latent, nil where it is static.
func (a Abilities) Mover() *sparse.Mover {
	if a.LatentKind == Static {
		return nil
	}
	return &sparse.Mover{Latents: len(a.Spec.Latents), Next: a.NextLatent, List: a.LatentMoves, Transition: a.LatentTransition}
}
