package num

import (
	"math/rand/v2"
	"testing"
)

// TestSum: a sum does not depend on where its terms lie.
func TestSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 40 {
		x := make([]float64, n+1)
		for i := range n {
			x[i] = rng.NormFloat64()
		}
		want := Sum(x[:n])
		copy(x[1:], x[:n])
		if got := Sum(x[1:]); got != want {
			t.Errorf("%d terms: %v, and %v at another place", n, want, got)
		}
	}
}
