package solvertest

import (
	"math"

	"bayescpace/bcpace"
)

// strategy names the action at (s, b) with the given number of steps left.
type strategy func(left int, s []float64, b bcpace.Belief) int

// bruteForce is the value of a model with a horizon by recursion over everything
// that can happen, from the lists of the model alone. It shares no code with the
// solvers, the bounds or package eval.
type bruteForce struct {
	m       bcpace.Finite
	spec    bcpace.Spec
	follows strategy // nil: the best action
}

// atStart returns the expected discounted return of an episode.
func (f bruteForce) atStart() float64 {
	prior := make(bcpace.Belief, len(f.spec.Latents))
	f.m.Prior(prior)
	z := new(bcpace.Successors)
	z.Reset(len(f.spec.Axes), len(f.spec.Latents))
	f.m.Starts(z)
	sum := 0.0
	for i := range z.Len() {
		s, prob, _ := z.Row(i)
		sum += f.value(f.spec.Horizon, s, product(prior, prob))
	}
	return sum
}

// value returns P·V with P the sum of the weights over the latents, and V the value
// at s of the belief that is proportional to them.
func (f bruteForce) value(left int, s []float64, weights []float64) float64 {
	total := sum(weights)
	if left == 0 || total == 0 {
		return 0
	}
	if f.follows != nil {
		b := make(bcpace.Belief, len(weights))
		for φ, w := range weights {
			b[φ] = w / total
		}
		return f.take(f.follows(left, s, b), left, s, weights)
	}
	best := math.Inf(-1)
	for a := range f.spec.Actions {
		best = max(best, f.take(a, left, s, weights))
	}
	return best
}

// take is value where the next action is a.
func (f bruteForce) take(a, left int, s []float64, weights []float64) float64 {
	z := new(bcpace.Successors)
	z.Reset(len(f.spec.Axes), len(f.spec.Latents))
	f.m.Successors(z, s, a)
	q := 0.0
	for i := range z.Len() {
		next, prob, reward := z.Row(i)
		after := product(weights, prob)
		for φ, w := range after {
			if w > 0 {
				q += w * reward[φ]
			}
		}
		if !z.Done[i] {
			q += f.spec.Discount * f.value(left-1, next, f.moved(s, a, after))
		}
	}
	return q
}

// moved returns the weights after the latent's own step.
func (f bruteForce) moved(s []float64, a int, weights []float64) []float64 {
	d, ok := f.m.(bcpace.LatentDynamics)
	if !ok || d.LatentKind() == bcpace.Static {
		return weights
	}
	after, row := make([]float64, len(weights)), make([]float64, len(weights))
	for φ, w := range weights {
		if w == 0 {
			continue
		}
		if !d.LatentTransition(row, s, a, φ) {
			after[φ] += w
			continue
		}
		for to, p := range row {
			after[to] += w * p
		}
	}
	return after
}

func product(x, y []float64) []float64 {
	xy := make([]float64, len(x))
	for i := range x {
		xy[i] = x[i] * y[i]
	}
	return xy
}

func sum(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}
