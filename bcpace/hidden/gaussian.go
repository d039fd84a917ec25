package hidden

import (
	"fmt"
	"math"
)

// Gaussian says how the hidden vector moves and what is seen of it, as means with normal noise that is independent
// between axes:
//
//	x'_i = Move_i(s, x, a) + MoveNoise_i·ξ_i
//	z_k  = Observe_k(s, a, x') + ObserveNoise_k·ζ_k
//
// where z are the entries of the next state on the axes Of, and the other entries tell nothing of x. It is for models
// whose values stay inside of their axes, but for a negligible part, and in which it tells nothing of x that an episode goes on.
type Gaussian struct {
	// Mean and Deviation are those of the hidden vector as an episode begins.
	Mean, Deviation []float64
	// Move fills mean with the mean of x'. nil means that x stays where it is.
	Move func(mean, s, x []float64, action int)
	// MoveNoise fills deviation with that of each entry of x'. nil means none.
	MoveNoise func(deviation, s, x []float64, action int)
	// Observe fills mean with the mean of z. Required.
	Observe func(mean, s []float64, action int, nextX []float64)
	// ObserveNoise fills deviation with that of each entry of z, above 0. Required.
	ObserveNoise func(deviation, s []float64, action int, nextX []float64)
	// Of are the axes of the state that have z.
	Of []int
}

// check returns a *bcpace.InputError for a Gaussian that does not fit m.
func (g *Gaussian) check(m *Model) error {
	n := len(m.Spec.Hidden)
	bad := m.in().Bad
	switch {
	case len(g.Mean) != n || len(g.Deviation) != n:
		return bad("Gaussian.Mean, Deviation", fmt.Sprintf("%d and %d numbers", len(g.Mean), len(g.Deviation)), fmt.Sprintf("%d, one for each hidden axis", n))
	case g.Observe == nil || g.ObserveNoise == nil:
		return bad("Gaussian.Observe, ObserveNoise", "nil", "two functions")
	case len(g.Of) == 0:
		return bad("Gaussian.Of", "none", "the axes of the state that tell of the hidden vector")
	}
	for _, k := range g.Of {
		if k < 0 || k >= len(m.Spec.Axes) {
			return bad("Gaussian.Of", g.Of, fmt.Sprintf("axes of the state, from 0 to %d", len(m.Spec.Axes)-1))
		}
	}
	for i, d := range g.Deviation {
		if !(d >= 0) || math.IsInf(d, 1) || math.IsNaN(g.Mean[i]) {
			return bad(fmt.Sprintf("Gaussian.Mean[%d], Deviation[%d]", i, i), fmt.Sprintf("%v, %v", g.Mean[i], d), "a number, and one that is not negative")
		}
	}
	return nil
}

// logNormal returns the log density of a normal distribution.
func logNormal(x, mean, deviation float64) float64 {
	z := (x - mean) / deviation
	return -0.5*z*z - math.Log(deviation*math.Sqrt(2*math.Pi))
}

// LogDensity returns the log density of what is seen of nextX, for the LogDensity of a model; room holds twice as many numbers as Of.
func (g *Gaussian) LogDensity(s []float64, action int, next, nextX, room []float64) (sum float64) {
	k := len(g.Of)
	mean, deviation := room[:k], room[k:2*k]
	g.Observe(mean, s, action, nextX)
	g.ObserveNoise(deviation, s, action, nextX)
	for i, axis := range g.Of {
		sum += logNormal(next[axis], mean[i], deviation[i])
	}
	return sum
}
