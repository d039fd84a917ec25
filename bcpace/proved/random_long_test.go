//go:build long

package proved_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"
)

var (
	models = flag.Int("models", 200, "the number of random models of TestRandomModels")
	fine   = flag.Int("fine", 0, "the number of random models of TestRandomModelsFine")
)

// attackAll attacks so many models in parallel, of which every other one is one of drawMore.
func attackAll(t *testing.T, many int, work float64, cells []float64) {
	var bounded, below atomic.Int64
	t.Run("models", func(t *testing.T) {
		const parts = 16
		for part := range uint64(parts) {
			t.Run(fmt.Sprint(part), func(t *testing.T) {
				t.Parallel()
				for seed := part; seed < uint64(many); seed += parts {
					rng := rand.New(rand.NewPCG(seed, 38))
					d := draw
					if seed/parts%2 > 0 {
						d = drawMore
					}
					found, lowers := attack(t, d(rng), seed, work, cells)
					below.Add(int64(lowers))
					if len(found) > 0 {
						bounded.Add(1)
					}
				}
			})
		}
	})
	t.Logf("%d of %d models have an upper bound; %d lower bounds", bounded.Load(), many, below.Load())
}

// TestRandomModels attacks models of one and two axes by a dynamic program that is as fine as so many models allow;
// a finer one decides where a bound is beyond it.
func TestRandomModels(t *testing.T) {
	attackAll(t, *models, 3e4, []float64{0.8, 0.5})
}

// TestRandomModelsFine attacks with finer dynamic programs, from cells of two standard deviations on.
func TestRandomModelsFine(t *testing.T) {
	patience = 5 * time.Second
	attackAll(t, *fine, 2e6, []float64{2, 1.6, 1.2, 0.8, 0.4, 0.2})
}
