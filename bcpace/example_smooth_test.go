package bcpace_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/proved"
)

// cooler keeps a temperature that drifts to 1, faster or slower. A step earns 1 − x².
func cooler() (bcpace.Enumerator, error) {
	drift := []float64{0.9, 0.6}
	move := func(s []float64, latent, action int) float64 {
		return s[0]*drift[latent] + 1 - drift[latent] - 0.3*float64(action)
	}
	return bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "cooler", Axes: []bcpace.Axis{{Name: "x", Min: -1, Max: 1}}, Actions: bcpace.Actions("off", "on"),
			Latents: []string{"slow", "fast"}, Discount: 0.9, RewardMax: 1},
		Starts: [][]float64{{0}}, Sigma: []float64{0.2},
		Mean:   func(mean, s []float64, latent, action int) { mean[0] = move(s, latent, action) },
		Reward: func(s []float64, _, _ int, _ []float64) float64 { return 1 - s[0]*s[0] },
		Curve: &bcpace.GaussianCurve{ // the mean is affine, and the second derivative of 1 − x² is −2
			Expected: func(s []float64, _, _ int, _ []float64) float64 { return 1 - s[0]*s[0] },
			Reward:   2,
		},
	})
}

// What a model states of its curves proves an upper bound of its values.
func ExampleGaussianCurve() {
	m, err := cooler()
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := proved.Upper(context.Background(), m, proved.Options{})
	fmt.Printf("at most %.3f %v\n", b.Start, err)
	// Output: at most 9.172 <nil>
}

// The mean and the expected reward of an action.
func ExampleSmoothness() {
	m, err := cooler()
	if err != nil {
		fmt.Println(err)
		return
	}
	s := bcpace.AbilitiesOf(m).Smoothness()
	mean := make([]float64, 1)
	s.Mean(mean, []float64{0.5}, 0, 1)
	fmt.Printf("σ = %v, mean %.2f, reward %.2f, curves %v and %v\n", s.Sigma, mean[0], s.Reward([]float64{0.5}, 0, 1), s.MeanCurve, s.RewardCurve)
	// Output: σ = [0.2], mean 0.25, reward 0.75, curves [0] and 2
}

// A Gaussian states its smoothness only where it has a Curve.
func ExampleAbilities_smoothness() {
	m, err := cooler()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bcpace.AbilitiesOf(m).Smoothness != nil)
	// Output: true
}

// Beyond 3 a prize is paid and the episode ends: nothing else is paid.
func ExampleArrival() {
	beyond := func(next []float64, _ int) bcpace.Arrival {
		if next[0] >= 3 {
			return bcpace.Arrival{Reward: 1, Ends: true}
		}
		return bcpace.Arrival{}
	}
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "walk", Axes: []bcpace.Axis{{Name: "x", Max: 4}}, Actions: bcpace.Actions("slow", "fast"),
			Latents: []string{"up", "down"}, Discount: 0.9, RewardMax: 1},
		Starts: [][]float64{{2}}, Sigma: []float64{0.5},
		Mean:   func(mean, s []float64, latent, action int) { mean[0] = s[0] + float64(1-2*latent)*float64(action) },
		Reward: func(_ []float64, latent, _ int, next []float64) float64 { return beyond(next, latent).Reward },
		Ends:   func(next []float64) bool { return next[0] >= 3 },
		Curve:  &bcpace.GaussianCurve{Jumps: [][]float64{{3}}, Arrive: beyond},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := proved.Upper(context.Background(), m, proved.Options{})
	fmt.Printf("at most %.2f %v\n", b.Start, err)
	// Output: at most 0.55 <nil>
}

// A dose d works by 3d/(1+d): along the control alone the mean bends, by 6 at most.
func ExampleControlCurve() {
	work := func(d float64) float64 { return 3 * d / (1 + d) }
	curve := bcpace.ControlCurve{Mean: []float64{6}}
	most := 0.0
	for d := 0.0; d < 0.9; d += 0.1 { // from chords of 0.1
		most = max(most, (2*work(d+0.05)-work(d)-work(d+0.1))/0.05/0.05)
	}
	fmt.Printf("%.1f of %v\n", most, curve.Mean[0])
	// Output: 5.2 of 6
}
