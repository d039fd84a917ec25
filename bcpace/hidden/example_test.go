package hidden_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/envs"
)

// room is a room whose temperature is hidden. A thermometer shows it with an error of 2 °C. Heating adds 3 °C, the night takes a
// tenth of what is above 15 °C, and each step costs how far the temperature is from 21 °C.
func room() *hidden.Model {
	g := &hidden.Gaussian{
		Mean: []float64{18}, Deviation: []float64{3}, Of: []int{0},
		Move: func(mean, _, x []float64, action int) {
			mean[0] = 15 + 0.9*(x[0]-15) + 3*float64(action)
		},
		MoveNoise:    func(deviation, _, _ []float64, _ int) { deviation[0] = 0.5 },
		Observe:      func(mean, _ []float64, _ int, x []float64) { mean[0] = x[0] },
		ObserveNoise: func(deviation, _ []float64, _ int, _ []float64) { deviation[0] = 2 },
	}
	clip := func(x float64) float64 { return min(max(x, -20), 60) }
	return &hidden.Model{
		Spec: hidden.Spec{
			Spec:   bcpace.Spec{Name: "room", Axes: []bcpace.Axis{{Name: "thermometer", Unit: "°C", Min: -20, Max: 60, Scale: math.Inf(1)}}, Actions: bcpace.Actions("wait", "heat"), Discount: 0.9, RewardMin: -50, Horizon: 10},
			Hidden: []bcpace.Axis{{Name: "temperature", Unit: "°C", Min: -20, Max: 60}},
		},
		Prior: func(x []float64, rng *rand.Rand) { x[0] = clip(18 + 3*rng.NormFloat64()) },
		Start: func(s, _ []float64, _ *rand.Rand) { s[0] = 18 },
		Step: func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
			g.Move(nextX, s, x, action)
			nextX[0] = clip(nextX[0] + 0.5*rng.NormFloat64())
			next[0] = clip(nextX[0] + 2*rng.NormFloat64())
			return bcpace.Outcome{Reward: -math.Abs(nextX[0] - 21)}
		},
		LogDensity: func(s, _ []float64, action int, next, x []float64) float64 {
			return g.LogDensity(s, action, next, x, make([]float64, 2))
		},
		Gaussian: g,
	}
}

// told prints what a belief is after the thermometer has shown 24 °C.
func told(f hidden.Filter) {
	b, err := f.Begin(room(), []float64{18}, rand.New(rand.NewPCG(1, 1)))
	if err == nil {
		err = b.Update([]float64{18}, 1, []float64{24}, rand.New(rand.NewPCG(1, 2)))
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	mean, variance := []float64{0}, []float64{0}
	b.Moments(mean, variance)
	fmt.Printf("%.1f ± %.1f °C\n", mean[0], math.Sqrt(variance[0]))
}

// The Kalman filter is exact in a linear model.
func ExampleUnscented() {
	told(hidden.Unscented{})
	// Output: 22.9 ± 1.6 °C
}

func ExampleParticles() {
	told(hidden.Particles{Number: 4000})
	// Output: 22.8 ± 1.6 °C
}

func ExampleGrid() {
	told(hidden.Grid{})
	// Output: 22.9 ± 1.6 °C
}

// A policy that heats while it believes that the room is too cold, and one that never heats.
func ExampleModel() {
	m := room()
	cautious := hidden.PolicyFunc(func(_ []float64, b hidden.Belief, _ *rand.Rand) int {
		mean, variance := []float64{0}, []float64{0}
		if b.Moments(mean, variance); mean[0] < 20 {
			return 1
		}
		return 0
	})
	never := hidden.PolicyFunc(func([]float64, hidden.Belief, *rand.Rand) int { return 0 })
	for _, p := range []hidden.Policy{cautious, never} {
		r, err := hidden.Simulate(context.Background(), m, p, hidden.Options{Episodes: 2000})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.1f ± %.1f\n", r.Mean, r.StdErr)
	}
	// Output:
	// -8.7 ± 0.1
	// -26.9 ± 0.3
}

func ExampleStep() {
	m := room()
	heat := hidden.PolicyFunc(func([]float64, hidden.Belief, *rand.Rand) int { return 1 })
	steps, err := hidden.Episode(context.Background(), m, heat, hidden.Options{Horizon: 3}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range steps {
		q, err := hidden.Quantiles(s.Belief, 0, 0.05, 0.95)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s at %.1f °C, which is believed to be from %.1f to %.1f °C\n", m.Spec.ActionName(s.Action), s.Hidden[0], q[0], q[1])
	}
	// Output:
	// heat at 19.7 °C, which is believed to be from 13.1 to 22.9 °C
	// heat at 21.9 °C, which is believed to be from 19.6 to 24.9 °C
	// heat at 24.0 °C, which is believed to be from 23.2 to 27.2 °C
}

// A finite problem as one with a hidden number: its beliefs are then exact.
func ExampleLatentBelief() {
	m, err := hidden.FromModel(envs.Tiger{})
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := hidden.DefaultFilter(m).Begin(m, []float64{0}, nil)
	if err == nil {
		err = b.Update([]float64{0}, 0, []float64{1}, nil)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", b.(*hidden.LatentBelief).Belief())
	// Output: [0.85 0.15]
}

// A particle has explained nothing of what followed: the belief says so, and goes on with what could have followed.
func ExampleImpossibleError() {
	m := room()
	m.LogDensity = func(_, _ []float64, _ int, _, _ []float64) float64 { return math.Inf(-1) }
	b, err := hidden.Particles{Number: 10}.Begin(m, []float64{18}, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.Update([]float64{18}, 0, []float64{30}, rand.New(rand.NewPCG(1, 1))))
	// Output: model "room": what follows state [18] by action "wait" is [30], want a state that one of 110 hidden vectors explains; check LogDensity against Step, or take more particles
}
