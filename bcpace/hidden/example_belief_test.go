package hidden_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/hidden"
	"bayescpace/bcpace/online/pomcpow"
	"bayescpace/envs"
)

// begin returns a belief of the room after the thermometer has shown 24 °C.
func begin(f hidden.Filter) (hidden.Belief, *rand.Rand) {
	rng := rand.New(rand.NewPCG(1, 1))
	b, err := f.Begin(room(), []float64{18}, rng)
	if err == nil {
		err = b.Update([]float64{18}, 0, []float64{24}, rng)
	}
	if err != nil {
		panic(err)
	}
	return b, rng
}

// A copy of a belief is updated apart.
func ExampleBelief() {
	b, rng := begin(hidden.Unscented{})
	c := b.Clone()
	if err := c.Update([]float64{24}, 1, []float64{24}, rng); err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range []hidden.Belief{b, c} {
		mean, variance := []float64{0}, []float64{0}
		x.Moments(mean, variance)
		fmt.Printf("%.1f\n", mean[0])
	}
	// Output:
	// 21.8
	// 24.1
}

// The filter that a model has unless another one is named.
func ExampleFilter() {
	dark := room()
	dark.Gaussian = nil
	tiger, err := hidden.FromModel(envs.Tiger{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range []*hidden.Model{room(), dark, tiger} {
		fmt.Printf("%T\n", hidden.DefaultFilter(m))
	}
	// Output:
	// hidden.Unscented
	// hidden.Particles
	// hidden.Exact
}

// The probability that the room is colder than 18 °C.
func ExampleWeighted() {
	b, _ := begin(hidden.Particles{})
	points, cold := b.(hidden.Weighted), 0.0
	for i := range points.Len() {
		if x, w := points.At(i); x[0] < 18 {
			cold += w
		}
	}
	fmt.Printf("%.2f of %d points\n", cold, points.Len())
	// Output: 0.01 of 1000 points
}

// After a surprising reading few particles count.
func ExampleParticleBelief() {
	b, rng := begin(hidden.Particles{Threshold: 1e-6}) // which never draws anew
	for _, reading := range []float64{24, 30} {
		if err := b.Update([]float64{24}, 0, []float64{reading}, rng); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("after %v °C %.0f of 1000\n", reading, b.(*hidden.ParticleBelief).EffectiveSize())
	}
	// Output:
	// after 24 °C 83 of 1000
	// after 30 °C 11 of 1000
}

func ExampleNormalBelief() {
	b, _ := begin(hidden.Unscented{})
	mean, variance := make([]float64, 1), make([]float64, 1)
	b.Moments(mean, variance)
	fmt.Printf("variance %.2f\n", variance[0])
	// Output: variance 2.61
}

// The likeliest of the cells.
func ExampleGridBelief() {
	b, _ := begin(hidden.Grid{Cells: 80})
	var best, most = 0.0, 0.0
	g := b.(*hidden.GridBelief)
	for i := range g.Len() {
		if x, w := g.At(i); w > most {
			best, most = x[0], w
		}
	}
	fmt.Printf("%.1f °C with probability %.2f\n", best, most)
	// Output:
	// 21.5 °C with probability 0.24
}

// A target is seen from a distance: the mean is not linear in its place.
func ExampleGaussian() {
	g := hidden.Gaussian{
		Mean: []float64{3}, Deviation: []float64{1}, Of: []int{0},
		Observe:      func(mean, _ []float64, _ int, x []float64) { mean[0] = x[0] * x[0] },
		ObserveNoise: func(deviation, _ []float64, _ int, _ []float64) { deviation[0] = 1 },
	}
	for _, x := range []float64{3, 4} {
		fmt.Printf("%.2f\n", g.LogDensity(nil, 0, []float64{9}, []float64{x}, make([]float64, 2)))
	}
	// Output:
	// -0.92
	// -25.42
}

// A planner searches at every decision.
func ExamplePlanner() {
	m := room()
	p, err := pomcpow.Solver{Budget: bcpace.Budget{Simulations: 500}}.Planner(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, rng := begin(hidden.Unscented{})
	d, err := p.Plan(context.Background(), []float64{24}, b, rng)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Spec.ActionName(d.Action), d.Visits)
	// Output:
	// wait [326 174]
}

// turns heats at every second step. It remembers what it did.
type turns struct{ steps int }

func (p *turns) Begin()                          { p.steps = 0 }
func (p *turns) Observe(int, float64, []float64) { p.steps++ }
func (p *turns) Fork() hidden.Policy             { return &turns{} }
func (p *turns) Act(context.Context, []float64, hidden.Belief, *rand.Rand) (int, error) {
	return p.steps % 2, nil
}

func ExampleEpisodic() {
	r, err := hidden.Simulate(context.Background(), room(), &turns{}, hidden.Options{Episodes: 1000, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f ± %.1f\n", r.Mean, r.StdErr)
	// Output:
	// -18.3 ± 0.2
}

// Twenty particles explain what happens in a model, but not what happens where the sensor is far better than they are dense.
func ExampleSimulate_surprises() {
	for _, σ := range []float64{2, 0.001} {
		m := room()
		m.Gaussian.ObserveNoise = func(deviation, _ []float64, _ int, _ []float64) { deviation[0] = σ }
		step := m.Step
		m.Step = func(next, nextX, s, x []float64, action int, rng *rand.Rand) bcpace.Outcome {
			out := step(next, nextX, s, x, action, rng)
			next[0] = nextX[0] + σ*(next[0]-nextX[0])/2
			return out
		}
		m.LogDensity = func(s, x []float64, action int, next, nextX []float64) float64 {
			if off := (next[0] - nextX[0]) / σ; off*off < 400 {
				return -off * off / 2
			}
			return math.Inf(-1) // too far away to be told from 0
		}
		r, err := hidden.Simulate(context.Background(), m, hidden.RandomPolicy(m), hidden.Options{Episodes: 100, Filter: hidden.Particles{Number: 20}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("an error of %v °C: %d surprises in %d steps\n", σ, r.Surprises, r.Steps)
	}
	// Output:
	// an error of 2 °C: 0 surprises in 1000 steps
	// an error of 0.001 °C: 142 surprises in 1000 steps
}
