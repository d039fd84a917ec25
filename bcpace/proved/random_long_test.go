//go:build long

package proved_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
)

var models = flag.Int("models", 60, "the number of random models of TestUpperHoldsLong")

// TestUpperHoldsLong is TestUpperHolds for more models, from cells of two standard deviations on.
func TestUpperHoldsLong(t *testing.T) {
	const parts = 4
	for part := range uint64(parts) {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			for seed := part; seed < uint64(*models); seed += parts {
				attack(t, draw(rand.New(rand.NewPCG(seed, 38))), seed, 2e6, []float64{2, 1.6, 1.2, 0.8, 0.4, 0.2})
			}
		})
	}
}
