package family_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/family"
	"bayescpace/envs"

	"gonum.org/v1/gonum/stat/distuv"
)

// A pendulum whose mass is between half a kilogram and two, with nothing else known.
func ExampleParametric() {
	pendulums := family.Parametric{
		Name:    "pendulums",
		Entries: []family.Param{{Name: "mass", Unit: "kg", Min: 0.1, Max: 10, Prior: distuv.Uniform{Min: 0.5, Max: 2}}},
		Build: func(thetas [][]float64) (bcpace.Model, error) {
			return envs.Pendulum{Masses: family.Column(thetas, 0)}.Model()
		},
	}
	m, err := pendulums.Model([][]float64{{0.5}, {1.25}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Spec().Latents)
	_, err = pendulums.Model([][]float64{{12}})
	fmt.Println(err)
	// Output:
	// [mass 0.5 kg mass 1.25 kg]
	// family "pendulums": parameter "mass" of θ number 0 is 12, want a finite number in [0.1, 10]
}

// Five draws from a prior, and a list that is the prior itself.
func ExampleSampled() {
	m, err := family.Sampled(slips(distuv.Uniform{Min: 0.1, Max: 0.9}), 5, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, finite := bcpace.AsFinite(m)
	fmt.Println(len(m.Spec().Latents), finite)

	m, err = family.Sampled(slips(family.PointMasses{Values: []float64{0.2, 0.8}, Weights: []float64{0.9, 0.1}}), 5, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := make(bcpace.Belief, 2)
	m.Prior(b)
	fmt.Println(m.Spec().Latents, b)
	// Output:
	// 5 true
	// [slip 0.2 slip 0.8] [0.9 0.1]
}

// Draws of a Latin hypercube: one in each quarter.
func ExampleSampling() {
	f := slips(distuv.Uniform{Min: 0, Max: 1})
	thetas, err := family.Sampling{Draws: 4, Design: family.Stratified, Seed: 1}.Thetas(f)
	if err != nil {
		fmt.Println(err)
		return
	}
	for quarter := range 4 {
		for _, θ := range thetas {
			if int(4*θ[0]) == quarter {
				fmt.Print(quarter, " ")
			}
		}
	}
	// Output: 0 1 2 3
}

// Slips of a chain are uniform in [0.1, 0.9]: a density, of which no solver knows. Its value is
// 19.508, by dynamic programming over counts of slips.
func ExampleBracket() {
	f := slips(distuv.Uniform{Min: 0.1, Max: 0.9})
	b, err := family.Bracket(context.Background(), f, certified.Solver{Epsilon: 0.1}, family.BracketOptions{Draws: 10, Episodes: 500, Sets: 10, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.Lower < 19.508, 19.508 < b.Upper, b.LowerBy, b.UpperBy, b.Confidence)
	// Output: true true simulated simulated 0.95
}

// More draws stand for the prior more closely.
func ExampleBrackets() {
	f := slips(distuv.Uniform{Min: 0.1, Max: 0.9})
	list, err := family.Brackets(context.Background(), f, certified.Solver{Epsilon: 0.1}, family.BracketOptions{Episodes: 500, Sets: 10}, 2, 8)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(list[0].Gap() > list[1].Gap())
	// Output: true
}

// What is known of a slip after 300 steps, 60 of which have slipped: it is near 0.2.
func ExampleParticles() {
	f := slips(distuv.Uniform{Min: 0, Max: 1})
	p, err := family.NewParticles(f, family.ParticleOptions{Draws: 2000, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 300 {
		next := []float64{5}
		if i%5 == 0 {
			next[0] = 1
		}
		if err := p.Observe([]float64{5}, 0, next); err != nil {
			fmt.Println(err)
			return
		}
	}
	mean := []float64{0}
	p.Mean(mean)
	fmt.Printf("%.2f, 90%% within [%.2f, %.2f]\n", mean[0], p.Quantile(0, 0.05), p.Quantile(0, 0.95))
	err = p.Observe([]float64{5}, 0, []float64{3})
	fmt.Println(err)
	// Output:
	// 0.20, 90% within [0.17, 0.24]
	// observation 300, action "A" from state [5] to [3], is impossible under all 1997 values of θ; take more draws, or a wider prior
}

// A prior that is a list needs no moves, and its posterior is exact.
func ExampleParticles_list() {
	p, err := family.NewParticles(slips(family.PointMasses{Values: []float64{0.25, 0.5}}), family.ParticleOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := p.Observe([]float64{1}, 0, []float64{1}); err != nil { // a slip
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", p.Expect(func(θ []float64) float64 { return θ[0] })) // (0.25² + 0.5²)/(0.25 + 0.5)
	fmt.Println(p.Report().Resamplings)
	// Output:
	// 0.4167
	// 0
}
