package proved_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/proved"
	"bayescpace/envs"
)

// The bound of a random model is not below its optimal value, as dynamic programming finds it, by
// more than what that errs, which is taken to be three times what a finer grid changes. Its
// own error falls with the square of the side of a cell.
func TestUpperHolds(t *testing.T) {
	var ratios []float64
	for seed := range uint64(10) {
		d := draw(rand.New(rand.NewPCG(seed, 35)))
		m, err := bcpace.FromGaussian(d.g)
		if err != nil {
			t.Fatal(err)
		}
		coarse, fine := d.optimum(31, 13, 6), d.optimum(61, 25, 9)
		slack := 3*math.Abs(fine-coarse) + 1e-4
		var found []float64
		for _, cell := range []float64{0.8, 0.4, 0.2} {
			b, err := proved.Upper(t.Context(), m, proved.Options{Cell: cell, Tolerance: 10})
			if err != nil {
				t.Fatal(err)
			}
			if !(b.Start >= fine-slack) {
				t.Errorf("model %d, cells of %.2f σ: at most %v, and the optimum is %v ± %v", seed, b.Cell, b.Start, fine, slack)
			}
			found = append(found, b.Start)
		}
		if last := found[1] - found[2]; last > 1e-3 {
			ratios = append(ratios, (found[0]-found[1])/last)
		}
		if seed < 3 {
			if err := check.Model(m, check.Options{Episodes: 5, Draws: 200}); err != nil {
				t.Errorf("model %d: %v", seed, err)
			}
		}
	}
	slices.Sort(ratios)
	if n := len(ratios); n < 5 || ratios[n/2] < 3 {
		t.Errorf("where cells have half the side, the bound falls by 1/%v of what it fell before, want about a quarter", ratios)
	}
}

// Dual control has the optimum 9.372, by dynamic programming on a fine grid.
func TestDualControl(t *testing.T) {
	m, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	b, err := proved.Upper(t.Context(), m, proved.Options{Tolerance: 0.02})
	if err != nil || !(b.Start >= 9.371 && b.Start <= 9.395) {
		t.Fatalf("%+v, %v, want a bound from 9.372 up to 9.395", b, err)
	}
	told := 9.772 // for an agent that is told the gain
	if sure := b.At([]float64{2}, bcpace.Belief{1, 0}); !(sure >= told-1e-3 && sure <= told+0.02) {
		t.Errorf("where the gain is known it is worth %v at most, want about %v", sure, told)
	}
	for _, p := range []float64{0.1, 0.3, 0.45} { // the two gains mirror one another
		one, two := b.At([]float64{-1.3}, bcpace.Belief{p, 1 - p}), b.At([]float64{1.3}, bcpace.Belief{p, 1 - p})
		if math.Abs(one-two) > 0.02 {
			t.Errorf("belief %v: %v on the left and %v on the right", p, one, two)
		}
	}
}

// What Upper cannot do it says, and an ended context leaves what there is.
func TestUpperRefuses(t *testing.T) {
	dual, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := envs.DualControl{Sigma: 1e-5}.Model()
	if err != nil {
		t.Fatal(err)
	}
	unsupported, input := new(bcpace.UnsupportedError), new(bcpace.InputError)
	for need, m := range map[string]bcpace.Model{"how its means": envs.Tiger{}, "noise that is wider": narrow} {
		if _, err := proved.Upper(t.Context(), m, proved.Options{}); !errors.As(err, &unsupported) || !strings.Contains(err.Error(), need) {
			t.Errorf("%v, want an error that says %q", err, need)
		}
	}
	for _, o := range []proved.Options{{Tolerance: -1}, {Cell: 3}, {Cell: math.NaN()}} {
		if _, err := proved.Upper(t.Context(), dual, o); !errors.As(err, &input) {
			t.Errorf("options %+v: %v", o, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if b, err := proved.Upper(ctx, dual, proved.Options{}); b != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v, %v", b, err)
	}
}

// A context that ends at any moment leaves a bound that holds, or none.
func TestUpperIsInterrupted(t *testing.T) {
	m, err := envs.DualControl{Gains: []float64{1, 0.3, -1}}.Model()
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 200; i += 9 {
		ctx, stop := context.WithTimeout(t.Context(), time.Duration(i)*time.Millisecond)
		b, err := proved.Upper(ctx, m, proved.Options{})
		stop()
		if err == nil {
			break
		}
		if !errors.Is(err, context.DeadlineExceeded) || b != nil && !(b.Start > 9.2 && b.Start < 10) {
			t.Fatalf("after %d ms: %+v, %v", i, b, err)
		}
	}
}

// Means far beyond an end of the axis, and means that bend between all places where they are
// looked at, have bounds that hold: what is paid does not depend on the mean here.
func TestMeansFarAway(t *testing.T) {
	for name, mean := range map[string]func(s float64, latent int) float64{
		"all beyond":    func(s float64, _ int) float64 { return s + 2000 },
		"one beyond":    func(s float64, latent int) float64 { return s + 2000*float64(latent) - 1 },
		"waves":         func(s float64, _ int) float64 { return 5 + 3*math.Sin(math.Pi*6.4*s) },
		"far and apart": func(s float64, latent int) float64 { return 900 * (float64(latent) - 0.5) },
	} {
		m, err := bcpace.FromGaussian(bcpace.Gaussian{
			Spec:  bcpace.Spec{Name: name, Axes: []bcpace.Axis{{Name: "x", Max: 10}}, Actions: bcpace.Actions("only"), Latents: []string{"a", "b"}, Discount: 0.9, RewardMax: 1},
			Sigma: []float64{1}, Mean: func(to, s []float64, latent, _ int) { to[0] = mean(s[0], latent) },
			Reward: func([]float64, int, int, []float64) float64 { return 0.5 },
			Curve:  &bcpace.GaussianCurve{Mean: []float64{3 * square(6.4*math.Pi)}, Expected: func([]float64, int, int, []float64) float64 { return 0.5 }},
		})
		if err != nil {
			t.Fatal(err)
		}
		b, err := proved.Upper(t.Context(), m, proved.Options{Tolerance: 10})
		unsupported := new(bcpace.UnsupportedError)
		if name == "waves" && errors.As(err, &unsupported) { // cells that are fine enough are too many
			continue
		}
		if err != nil || !(b.Start >= 5 && b.Start <= 10) {
			t.Errorf("%s: %+v, %v, want a bound of 5 from above", name, b, err)
		}
	}
}
