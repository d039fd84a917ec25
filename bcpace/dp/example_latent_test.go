package dp_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/envs"
)

func ExampleFiniteValues() {
	v, err := dp.SolveFinite(context.Background(), envs.Chain{}, 1e-6)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(v.Table), "values, each within 1e-6:", v.Error <= 1e-6)
	// Output: 30 values, each within 1e-6: true
}

// A room with real positions, on a grid of half cells. The third axis, what is seen,
// matters to no value and has one point.
func ExampleGridValues() {
	dark := envs.LightDarkTiger{Width: 3, Height: 3, Sigma: 0.1}
	v, err := dp.SolveGrid(context.Background(), dark, dp.GridOptions{Step: 0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d × %d × %d points\n", v.Axes[0].Points, v.Axes[1].Points, v.Axes[2].Points)
	fmt.Printf("between two of them: %.2f\n", v.Q([]float64{0.7, 1.2, 0}, 0, dark.Spec().ActionIndex("down")))
	// Output:
	// 5 × 5 × 1 points
	// between two of them: 9.18
}

// Points lie at Min, Min + Step, … A finer step takes longer and errs less.
func ExampleGridAxis() {
	v, err := dp.SolveGrid(context.Background(), envs.LightDarkTiger{Width: 3, Height: 3, Sigma: 0.1}, dp.GridOptions{Step: 0.5, NoError: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%+v\n", v.Axes[0])
	// Output: {Min:0 Step:0.5 Points:5 Discrete:false Wraps:false}
}

func ExampleGridOptions() {
	for _, step := range []float64{1, 0.5} {
		v, err := dp.SolveGrid(context.Background(), envs.LightDarkTiger{Width: 3, Height: 3, Sigma: 0.1}, dp.GridOptions{Step: step})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("step %.1f: mean difference from the next coarser grid %.2f\n", step, v.MeanError)
	}
	// Output:
	// step 1.0: mean difference from the next coarser grid 7.85
	// step 0.5: mean difference from the next coarser grid 1.09
}

// Who sees the latent earns between the worst and the optimal values.
func ExampleGridBounds() {
	b, err := dp.SolveGridBounds(context.Background(), envs.LightDarkTiger{Width: 3, Height: 3, Sigma: 0.1}, dp.GridOptions{Step: 0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	centre := []float64{1, 1, 0}
	fmt.Printf("%.1f to %.1f\n", b.Worst.Q(centre, 0, 0), b.Latent.Q(centre, 0, 0))
	// Output: -94.5 to 8.5
}

// All actions at one place and belief, with one look at the grid.
func ExampleGridPlace() {
	v, err := dp.SolveGrid(context.Background(), envs.LightDarkTiger{Width: 3, Height: 3, Sigma: 0.1}, dp.GridOptions{Step: 0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	var place dp.GridPlace
	if !place.Locate(v.Axes, []float64{0.7, 1.2, 0}) {
		fmt.Println("off the grid")
		return
	}
	qs := make([]float64, 4)
	v.Mean(qs, &place, bcpace.Belief{0.9, 0.1})
	fmt.Printf("between %d points: %.2f\n", place.Len(), qs)
	// Output: between 4 points: [8.49 9.11 8.46 -0.85]
}

// The expected rewards of Tiger's start at even odds. With its last observation left
// out, all states of Tiger are one.
func ExampleTransitions() {
	tiger := envs.Tiger{}
	all, err := dp.ListTransitions(context.Background(), tiger)
	if err != nil {
		fmt.Println(err)
		return
	}
	one := all.Aggregate()
	fmt.Println(all.States, "states, aggregated", one.States)
	for a, action := range tiger.Spec().Actions {
		row := one.StateIndex([]float64{0})*one.Actions + a
		fmt.Printf("%s: %.0f\n", action.Name, one.Expected(row, bcpace.Uniform(2)))
	}
	// Output:
	// 3 states, aggregated 1
	// listen: -1
	// open left: -45
	// open right: -45
}

// RockSample knows the best tour of the rocks that are good.
func ExampleLatentMaxima() {
	m, err := envs.RockSample{Size: 7, Rocks: 8}.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	known := m.(dp.LatentMaxima)
	fmt.Printf("from the start with no good rock %.2f, with all %.2f\n", known.Max([]float64{0, 3, 0}, 0), known.Max([]float64{0, 3, 0}, 255))
	// Output: from the start with no good rock 7.35, with all 43.40
}

// Latent values of one's own, of a model of which the optimum is known.
func ExampleLatentFunc() {
	values := dp.LatentFunc(func(_ []float64, latent, action int) float64 { return float64(5 + latent - action) })
	fmt.Println(dp.QMDPBound{Values: values}.Upper([]float64{0}, bcpace.Uniform(2), 1))
	// Output: 4.5
}
