//go:build long

package proved_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"bayescpace/bcpace/check"
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

// The bound of a random model is not below its optimal value, as dynamic programming finds it, by
// more than what that errs: at the start, and at other places and beliefs. Its own error falls with
// the square of the side of a cell.
func TestUpperHolds(t *testing.T) {
	var ratios []float64
	lowers := 0
	for seed, axes := uint64(0), [3]int{}; seed < 45; seed++ {
		d := draw(rand.New(rand.NewPCG(seed, 36)))
		// Most of the time is for models of two axes; the long test has more of them.
		if axes[d.noisy]++; d.noisy == 2 && (axes[2] > 8 || d.informs[0] && d.informs[1] || len(d.spec.Latents) > 2) {
			continue
		}
		cells := []float64{0.8, 0.4, 0.2}
		if d.noisy == 2 || len(d.spec.Latents) > 2 {
			cells = []float64{1.2, 0.8}
		} else if seed >= 8 && (d.informs[0] || d.informs[1]) { // a third grid of such models takes most of the time
			cells = cells[:2]
		}
		found, below := attack(t, d, seed, 2e5, cells)
		lowers += below
		if len(found) == 3 {
			if last := found[1] - found[2]; last > 1e-3 {
				ratios = append(ratios, (found[0]-found[1])/last)
			}
		}
		if d.regions == nil && d.reward != nil && seed < 20 {
			if err := check.Model(d, check.Options{Episodes: 5, Draws: 200}); err != nil {
				t.Errorf("model %d: %v", seed, err)
			}
		}
	}
	if lowers < 20 {
		t.Errorf("%d lower bounds were compared, want 20 or more", lowers)
	}
	slices.Sort(ratios)
	if n := len(ratios); n < 10 || ratios[n/2] < 3 {
		t.Errorf("where cells have half the side, the bound falls by 1/%v of what it fell before, want about a quarter", ratios)
	}
}

// So are both bounds of models with a horizon, with noise that wavers and with latents that move.
func TestMoreHolds(t *testing.T) {
	// On a busy machine fewer bounds come in time: then they have more of it.
	defer func(before time.Duration) { patience = before }(patience)
	lowers := moreHold(t)
	for ; lowers < 20 && patience < 10*time.Second; lowers = moreHold(t) {
		patience *= 4
	}
	if lowers < 20 {
		t.Errorf("%d lower bounds were compared, want 20 or more", lowers)
	}
}

// moreHold attacks the models of TestMoreHolds, and returns the number of lower bounds that were compared.
func moreHold(t *testing.T) (lowers int) {
	axes := 0
	for seed := uint64(0); seed < 34; seed++ {
		d := drawMore(rand.New(rand.NewPCG(seed, 136)))
		cells := []float64{0.8, 0.4}
		if d.noisy == 2 {
			if axes++; axes > 8 || d.informs[0] && d.informs[1] || len(d.spec.Latents) > 2 {
				continue
			}
			cells = []float64{1.6, 0.8} // the first of these comes in time
		}
		_, below := attack(t, d, seed, 1e5, cells)
		lowers += below
		if d.regions == nil && d.reward != nil && seed < 12 {
			if err := check.Model(d, check.Options{Episodes: 5, Draws: 200}); err != nil {
				t.Errorf("model %d: %v", seed, err)
			}
		}
	}
	return lowers
}
