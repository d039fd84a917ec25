//go:build long

package proved_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestUpperHoldsLong is TestUpperHolds for 1,000 models, from cells of two standard deviations on.
func TestUpperHoldsLong(t *testing.T) {
	const models, parts = 1000, 4
	for part := range uint64(parts) {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			for seed := part; seed < models; seed += parts {
				attack(t, draw(rand.New(rand.NewPCG(seed, 38))), seed, 2e6, []float64{2, 1.6, 1.2, 0.8, 0.4, 0.2})
			}
		})
	}
}
