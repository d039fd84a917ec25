package envs

import (
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
)

// branch is one of the few things that may follow a state, latent and action.
type branch struct {
	next   [3]float64 // a value for each axis
	prob   float64    // P(s'|s,φ,a)
	reward float64
	done   bool
}

// branches says what may follow: branch k ≥ 0, or false where there are no more. A state is
// in one branch at most, and their probabilities, the first of which is not 0, sum to 1.
type branches func(s []float64, latent, action, k int) (branch, bool)

// model makes a finite model of f, whose axes are discrete, by what its branches say.
func (follow branches) model(f bcpace.Funcs) (bcpace.Finite, error) {
	f.Step = func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
		u := rng.Float64()
		b, _ := follow(s, latent, action, 0)
		for k := 1; u >= b.prob; k++ {
			after, ok := follow(s, latent, action, k)
			if !ok {
				break // u lies within rounding of the end
			}
			if after.prob > 0 {
				u -= b.prob
				b = after
			}
		}
		copy(next, b.next[:])
		return bcpace.Outcome{Reward: b.reward, Done: b.done}
	}
	f.LogLikelihood = func(s []float64, action int, next []float64, latent int) float64 {
		for k := 0; ; k++ {
			b, ok := follow(s, latent, action, k)
			if !ok {
				return math.Inf(-1)
			}
			if b.at(next) {
				return math.Log(b.prob)
			}
		}
	}
	f.Successors = func(z *bcpace.Successors, s []float64, action int) {
		for latent := range f.Spec.Latents {
			for k := 0; ; k++ {
				b, ok := follow(s, latent, action, k)
				if !ok {
					break
				}
				if b.prob > 0 {
					prob, reward := b.row(z)
					prob[latent], reward[latent] = b.prob, b.reward
				}
			}
		}
	}
	m, err := bcpace.FromFuncs(f)
	if err != nil {
		return nil, err
	}
	return m.(bcpace.Finite), nil
}

// at reports whether b leads to s.
func (b *branch) at(s []float64) bool {
	for i, x := range s {
		if b.next[i] != x {
			return false
		}
	}
	return true
}

// row returns the row of z for the state that b leads to, and adds it if there is none.
func (b *branch) row(z *bcpace.Successors) (prob, reward []float64) {
	for i := range z.Len() {
		if next, prob, reward := z.Row(i); b.at(next) {
			return prob, reward
		}
	}
	next, prob, reward := z.Add(b.done)
	copy(next, b.next[:])
	return prob, reward
}
