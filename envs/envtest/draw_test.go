package envtest_test

import (
	"testing"

	"bayescpace/envs/envtest"
)

// TestEvenly: each tenth of a range is drawn about as often as any other, and either end about once in sixteen draws.
func TestEvenly(t *testing.T) {
	const draws, low, high = 20000, -2.0, 3.0
	var tenth [10]int
	ends := map[float64]int{}
	g := envtest.Evenly(low, high)
	for seed := range draws {
		x := g.Example(seed)
		if x < low || x > high {
			t.Fatalf("%v is drawn, want %v to %v", x, low, high)
		}
		if x == low || x == high {
			ends[x]++
			continue
		}
		tenth[int(10*(x-low)/(high-low))]++
	}
	// Means are 1250 and 1750, with deviations of 34 and 40.
	for x, n := range ends {
		if n < 1050 || n > 1450 {
			t.Errorf("%v is drawn %d times of %d", x, n, draws)
		}
	}
	for i, n := range tenth {
		if n < 1510 || n > 1990 || len(ends) != 2 {
			t.Errorf("tenth %d is drawn %d times of %d, ends %v", i, n, draws, ends)
		}
	}
}
