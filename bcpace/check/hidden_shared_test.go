//go:build !race

package check_test

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
)

// TestSharedSlice: goroutines that share a slice are found. The race detector, which finds them by itself, would end the test.
func TestSharedSlice(t *testing.T) {
	mistake{randomHidden, func(m *hidden.Model) {
		room, right := make([]float64, 9), m.Gaussian
		g := *m.Gaussian
		m.LogDensity = func(s, _ []float64, a int, next, nextX []float64) float64 {
			clear(room)
			return right.LogDensity(s, a, next, nextX, room)
		}
		step := m.Step
		m.Step = func(next, nextX, s, x []float64, a int, rng *rand.Rand) bcpace.Outcome {
			fill(room, float64(a))
			out := step(next, nextX, s, x, a, rng)
			next[0] = min(max(next[0]+1e-3*(room[0]-float64(a)), -1000), 1000)
			return out
		}
		m.Gaussian = &g
	}, "several goroutines"}.find(t, false)
}
