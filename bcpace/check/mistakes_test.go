package check_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
)

// cart is a mass that a wind pushes to either side between two walls. It has no lists of
// successors, so that what is wrong with its likelihood shows in what Step draws alone.
func cart() bcpace.Funcs {
	const sigma = 0.1
	mean := func(s []float64, latent, action int) float64 {
		return s[0] + 0.1*float64(action-1) + 0.06*float64(2*latent-1)
	}
	return bcpace.Funcs{
		Spec: bcpace.Spec{Name: "cart", Axes: []bcpace.Axis{{Name: "x", Min: -1, Max: 1}}, Actions: bcpace.Actions("left", "wait", "right"),
			Latents: []string{"wind from the right", "wind from the left"}, Discount: 0.95, RewardMin: -1, RewardMax: 1},
		Start: func(s []float64, _ int, _ *rand.Rand) { s[0] = 0 },
		Step: func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
			next[0] = min(max(mean(s, latent, action)+sigma*rng.NormFloat64(), -1), 1)
			return bcpace.Outcome{Reward: -math.Abs(next[0])}
		},
		LogLikelihood: func(s []float64, action int, next []float64, latent int) float64 {
			z := (next[0] - mean(s, latent, action)) / sigma
			switch next[0] {
			case -1:
				return math.Log(math.Erfc(-z/math.Sqrt2) / 2)
			case 1:
				return math.Log(math.Erfc(z/math.Sqrt2) / 2)
			}
			return -z * z / 2
		},
	}
}

// TestMistakes makes the mistakes that users make, and expects check to name them.
func TestMistakes(t *testing.T) {
	for name, x := range map[string]struct {
		spoil func(f *bcpace.Funcs)
		words string // "" for no fault
		test  string // that finds it
	}{
		"none": {spoil: func(*bcpace.Funcs) {}},
		"the density in place of its logarithm": {func(f *bcpace.Funcs) {
			right := f.LogLikelihood
			f.LogLikelihood = func(s []float64, action int, next []float64, latent int) float64 {
				return math.Exp(right(s, action, next, latent))
			}
		}, "it returns the density itself, want its logarithm", check.Calibration},
		"σ doubled": {func(f *bcpace.Funcs) {
			right := f.LogLikelihood
			f.LogLikelihood = func(s []float64, action int, next []float64, latent int) float64 {
				return right(s, action, next, latent) / 4
			}
		}, "it tells too little", check.Calibration},
		"σ halved": {func(f *bcpace.Funcs) {
			right := f.LogLikelihood
			f.LogLikelihood = func(s []float64, action int, next []float64, latent int) float64 {
				return right(s, action, next, latent) * 4
			}
		}, "it tells too much", check.Calibration},
		"a density that ignores walls": {func(f *bcpace.Funcs) {
			right := f.LogLikelihood
			f.LogLikelihood = func(s []float64, action int, next []float64, latent int) float64 {
				if math.Abs(next[0]) == 1 {
					z := (next[0] - s[0] - 0.1*float64(action-1) - 0.06*float64(2*latent-1)) / 0.1
					return -z * z / 2
				}
				return right(s, action, next, latent)
			}
		}, "these steps end at a limit of an axis", check.Calibration},
		"scratch that goroutines share": {func(f *bcpace.Funcs) {
			right := f.Step
			var scratch atomic.Uint64 // which the race detector does not mind
			f.Step = func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
				scratch.Store(math.Float64bits(s[0]))
				out := right(next, s, latent, action, rng)
				out.Reward += math.Float64frombits(scratch.Load()) - s[0]
				return out
			}
		}, "when several goroutines call the model at once", check.Goroutines},
	} {
		t.Run(name, func(t *testing.T) {
			f := cart()
			x.spoil(&f)
			m, err := bcpace.FromFuncs(f)
			if err != nil {
				t.Fatal(err)
			}
			report, err := check.Examine(m, check.Options{})
			if x.words == "" {
				if err != nil {
					t.Fatal(err)
				}
				t.Log(report)
				return
			}
			var fault *bcpace.ConformanceError
			if !errors.As(err, &fault) || !strings.Contains(err.Error(), x.words) {
				t.Fatalf("%v\nwant a *ConformanceError that says %q", err, x.words)
			}
			t.Log(err)
			if _, err := check.Examine(m, check.Options{Skip: []string{x.test, check.Draws}}); err != nil {
				t.Errorf("without the test: %v", err)
			}
		})
	}
}
