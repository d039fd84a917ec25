package bcpace_test

import (
	"errors"
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/solverkit"
)

// pendulum hangs down and is to be swung up, with too weak a motor to lift it at once.
func pendulum() bcpace.Gaussian {
	masses, torques := []float64{0.6, 1, 1.5}, []float64{-3, 0, 3} // kg, N m; its length is 1 m
	return bcpace.Gaussian{
		Spec: bcpace.Spec{
			Name: "pendulum",
			Axes: []bcpace.Axis{
				{Name: "angle", Unit: "rad", Min: -math.Pi, Max: math.Pi, Period: 2 * math.Pi}, // 0 is up
				{Name: "speed", Unit: "rad/s", Min: -8, Max: 8, Scale: 4},
			},
			Actions: bcpace.Actions("left", "none", "right"), Latents: []string{"0.6 kg", "1 kg", "1.5 kg"},
			Discount: 0.95, RewardMin: -1, RewardMax: 0,
		},
		Starts: [][]float64{{math.Pi, 0}},
		Mean: func(mean, s []float64, latent, action int) {
			mean[1] = s[1] + 0.1*(9.81*math.Sin(s[0])+torques[action]/masses[latent])
			mean[0] = s[0] + 0.1*s[1]
		},
		Sigma:  []float64{0.02, 0.1},
		Reward: func(_ []float64, _, _ int, next []float64) float64 { return (math.Cos(next[0]) - 1) / 2 },
	}
}

// A pendulum of unknown mass is to be swung up.
func ExampleGaussian() {
	m, err := bcpace.FromGaussian(pendulum())
	fmt.Println(err, check.Model(m, check.Options{}))

	var z bcpace.Successors
	z.Reset(2, 3)
	m.Successors(&z, []float64{math.Pi, 0}, 2)
	fmt.Println(z.Len(), "nodes, of which the first is")
	next, prob, _ := z.Row(0)
	fmt.Printf("%.3f with probabilities %.3f\n", next, prob)
	// Output:
	// <nil> <nil>
	// 55 nodes, of which the first is
	// [3.112 0.060] with probabilities [0.000 0.006 0.040]
}

// A gust moves the speed of a cart and, within the step, its place: both share one noise. It is
// stronger in a storm and at speed. The ride ends where the cart crosses the line at 5.
func ExampleGaussian_sharedNoise() {
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{
			Name: "gusts", Axes: []bcpace.Axis{{Name: "place", Unit: "m", Max: 10}, {Name: "speed", Unit: "m/s", Min: -3, Max: 3}},
			Actions: bcpace.Actions("brake", "roll", "push"), Latents: []string{"breeze", "storm"}, Discount: 0.95, RewardMin: -1,
		},
		Sigma: []float64{0, 0.1},
		Mean:  func(mean, s []float64, _, action int) { mean[1] = s[1] + 0.2*float64(action-1) },
		SigmaAt: func(sigma, s []float64, latent, _ int, _ []float64) {
			sigma[1] *= float64(1+latent) * (1 + math.Abs(s[1]))
		},
		After:  func(next, s []float64, _ int, _ []float64) { next[0] = s[0] + next[1] },
		EndsAt: func(s []float64, _ int, _, next []float64) bool { return s[0] < 5 && next[0] >= 5 },
		Reward: func([]float64, int, int, []float64) float64 { return -1 },
	})
	fmt.Println(err, check.Model(m, check.Options{}))

	s, b := []float64{2, 1}, bcpace.Uniform(2)
	for _, speed := range []float64{1.2, 2} {
		after := make(bcpace.Belief, 2)
		err := bcpace.NewBayes(m).Update(after, b, s, 2, []float64{2 + speed, speed})
		fmt.Printf("%.2f %v\n", after, err)
	}
	// Output:
	// <nil> <nil>
	// [0.67 0.33] <nil>
	// [0.00 1.00] <nil>
}

// A mean that cannot be computed panics with an error, which comes back with the place.
func ExampleGaussian_failing() {
	errDiverges := errors.New("the integration diverges")
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "reactor", Axes: []bcpace.Axis{{Name: "heat", Max: 2}}, Actions: bcpace.Actions("wait"), Latents: []string{"cold", "hot"},
			Discount: 0.9, RewardMax: 2},
		Starts: [][]float64{{1}}, Sigma: []float64{0.1},
		Mean: func(mean, s []float64, latent, _ int) {
			if mean[0] = s[0] * (1 + 0.2*float64(latent)); mean[0] > 1.5 {
				panic(errDiverges)
			}
		},
		Reward: func(_ []float64, _, _ int, next []float64) float64 { return next[0] },
	})
	fmt.Println(err)
	list := bcpace.NewLister(m)
	err = list.List([]float64{1.3}, 0)
	fmt.Println(err, errors.Is(err, errDiverges))
	// Output:
	// <nil>
	// model "reactor" at state [1.3], action "wait", latent "hot": Mean failed: the integration diverges true
}

// A list of a few nodes stands for the normal distribution; a finer one tells by how much
// it may be off.
func ExampleAbilities_finerList() {
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{Name: "drift", Axes: []bcpace.Axis{{Name: "x", Max: 1}}, Actions: bcpace.Actions("go"), Latents: []string{"only"},
			Discount: 0.9, RewardMax: 1},
		Mean:   func(mean, s []float64, _, _ int) { mean[0] = s[0] },
		Sigma:  []float64{0.01},
		Reward: func(_ []float64, _, _ int, next []float64) float64 { return next[0] },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range []bcpace.Enumerator{m, bcpace.AbilitiesOf(m).FinerList()} {
		var list bcpace.Successors
		list.Reset(1, 1)
		m.Successors(&list, []float64{0.5}, 0)
		fmt.Println(list.Len(), "nodes")
	}
	// Output:
	// 5 nodes
	// 10 nodes
}

// The speed of a cart changes with the push on it by no more than 0.1 for a push of 1, and
// what it earns by no more than 1 for a speed of 1.
func ExampleGaussianLipschitz() {
	m, err := bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{
			Name: "cart", Axes: []bcpace.Axis{{Name: "speed", Max: 1}}, Latents: []string{"1 kg", "2 kg"},
			Actions:  []bcpace.Action{{Name: "push", Box: []bcpace.Axis{{Name: "force", Min: -1, Max: 1}}}},
			Discount: 0.9, RewardMax: 1,
		},
		MeanAt: func(mean, s []float64, latent, _ int, u []float64) {
			mean[0] = 0.9*s[0] + 0.1*u[0]/float64(1+latent)
		},
		Sigma:     []float64{0.1},
		RewardAt:  func(_ []float64, _, _ int, _, next []float64) float64 { return next[0] },
		Lipschitz: &bcpace.GaussianLipschitz{Mean: []float64{0.9}, Next: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	l, _, err := solverkit.LipschitzOf(m)
	fmt.Printf("L_R %.3f, L_P %.3f, error %v", l.R, l.P, err)
	// Output: L_R 0.900, L_P 7.181, error <nil>
}

// Constants of a model that is made of functions.
func ExampleLipschitz() {
	f := bcpace.Funcs{Lipschitz: &bcpace.Lipschitz{R: 1, P: 2}}
	fmt.Println(f.Lipschitz.R, f.Lipschitz.P)
	// Output: 1 2
}
