package viz_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/lipschitz"
	"bayescpace/envs"
	"bayescpace/viz"
)

// A figure as a file: PNG at twice its size, and SVG.
func ExampleFigure() {
	f, err := viz.Lines{Title: "Two points", Series: []viz.Series{{X: []float64{0, 1}, Y: []float64{2, 3}}}}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	image, err := f.Image(2)
	if err != nil {
		fmt.Println(err)
		return
	}
	svg, err := f.SVG()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("PNG of", image.Bounds().Size())
	fmt.Printf("SVG begins with %.4s\n", svg)
	// Output:
	// PNG of (1280,746)
	// SVG begins with <svg
}

func ExampleConvergence() {
	show(viz.Convergence{Title: "Two searches", XLabel: "trials", Curves: []viz.ConvergenceCurve{
		{Label: "A", X: []float64{0, 1, 2}, Lower: []float64{0, 3, 4.9}, Upper: []float64{10, 6, 5}, Epsilon: 0.1},
		{Label: "B", X: []float64{0, 1, 2}, Lower: []float64{0, 1, 2}, Upper: []float64{10, 9, 8}},
	}})
	// Output:
	// 640 × 513
	// Two searches. Lower and upper bound of the value at the start, and the gap between them on a log scale, against trials. A: 0 to 10 after 0 trials, 4.9 to 5 after 2 trials. Gap 10, at the end 0.1. B: 0 to 10 after 0 trials, 2 to 8 after 2 trials. Gap 10, at the end 6.
}

// Chain's beliefs, before and after an update.
func ExampleContraction() {
	chain := envs.Chain{}
	updates, err := lipschitz.Expansions(context.Background(), chain, lipschitz.ExpansionOptions{Pairs: 500})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(viz.Contraction{Title: "Chain", Data: updates})
	// Output:
	// 640 × 452
	// Chain. Scatter plot of the L1 distance of two beliefs after an update against that before it, with logarithmic axes; the half above the diagonal, where the update drives beliefs apart, is shaded. 499 pairs, 200 of them there. The witness: 0.0359 becomes 0.101.
}

// A cover of the beliefs that Tiger can reach.
func ExampleCoverCurve() {
	reached, err := cover.Reach(context.Background(), envs.Tiger{}, cover.ReachOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	curve, err := cover.NewCurve(context.Background(), reached.Points, cover.Decades(4, 0.01, 15), cover.CurveOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(viz.CoverCurve{Title: "Covers of what Tiger can reach", Curves: []viz.CoverSeries{{Label: "Tiger", Curve: curve}}})
	// Output:
	// 640 × 373
	// Covers of what Tiger can reach. Line plot of points of a cover against 1/ε (per unit of distance). Tiger: slope 0.26 (0.18 to 0.39): from 1 at 0.25 to 9 at 100 (from a lower bound of γ to an upper bound of α 7 to 9). Tiger: covering dimension, the slope 0.26 (0.18 to 0.39).
}

// Settings as eval.SearchReported finds them.
func ExampleDeviations() {
	show(viz.Deviations{Title: "Chain", Settings: []eval.ReportedSetting{
		{Discount: 0.95, Horizon: 9, Deviation: 3.6}, {Discount: 0.95, Horizon: 10, Deviation: 1.4}, {Discount: 0.95, Horizon: 11, Deviation: 2.5},
	}})
	// Output:
	// 640 × 373
	// Chain. Line plot of deviation (half widths) against horizon T (steps). γ = 0.95: from 3.6 at 9 to 2.5 at 11. Reference line reported error at 1.
}

// Half of the pairs break the constant 2.
func ExampleDifferences() {
	show(viz.Differences{Title: "A function of two slopes", Data: &lipschitz.Observed{
		Function: "Q*", Model: "made", Queries: 4, Pairs: 4, LQ: lipschitz.Constant{Value: 3, Worst: lipschitz.Witness{Distance: 1, Difference: 3, Ratio: 3}}, Bounds: []lipschitz.NamedConstant{{Name: "guess", Value: 2}}, Broken: []int{2},
		Kept: []lipschitz.Gap{{Distance: 1, Difference: 1}, {Distance: 2, Difference: 2}, {Distance: 1, Difference: 3, Breaks: 1}, {Distance: 2, Difference: 6, Breaks: 1}},
	}})
	// Output:
	// 640 × 452
	// A function of two slopes. Scatter plot of the difference of Q* between 4 queries of made against their distance, with logarithmic axes; 4 of 4 pairs are drawn. guess: L = 2, broken by 50% of the pairs; 2 pairs break it. observed: L = 3, at distance 1.
}

// What the theorem promises is far from what happens.
func ExamplePromisedSteps() {
	show(viz.PromisedSteps{Title: "Tiger", Rows: []viz.PromisedRow{
		{Epsilon: 1, Promised: 3e6, Measured: 10, PromisedSamples: 300, Samples: 40, PromisedEscapes: 2.8e6, Escapes: 400},
		{Epsilon: 4, Promised: 2e5, Measured: 1, PromisedSamples: 75, Samples: 10, PromisedEscapes: 1.8e5, Escapes: 100},
	}})
	// Output:
	// 640 × 411
	// Tiger. Line plot of steps, samples against ε (reward units). steps below the guarantee: m: from 3,000,000 at 1 to 200,000 at 4. steps below the guarantee: measured: from 10 at 1 to 1 at 4. steps that may escape: promised: from 2,800,000 at 1 to 180,000 at 4. steps that may escape: measured: from 400 at 1 to 100 at 4. samples: promised: from 300 at 1 to 75 at 4. samples: measured: from 40 at 1 to 10 at 4.
}

// A smallest cover of the beliefs that Chain reaches in ten steps.
func ExampleBeliefCover() {
	ctx, chain := context.Background(), envs.Chain{}
	r, err := cover.Reach(ctx, chain, cover.ReachOptions{Depth: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	r = r.Keep(func(i int) bool { return r.State(i)[0] == 1 })
	x, err := cover.Number(ctx, r.Points, 0.5, cover.Options{Exact: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	v := viz.BeliefCover{Title: "Chain, 10 steps", Latents: chain.Spec().Latents, Centre: x.Smallest, Epsilon: 0.5}
	for i := range r.Len() {
		v.Beliefs = append(v.Beliefs, r.Belief(i))
	}
	show(v)
	// Output:
	// 520 × 545
	// Chain, 10 steps. Triangle of the beliefs over three latents, slip 0.2 in the left corner, slip 0.5 on top and slip 0.8 in the right corner: 66 beliefs, and balls of radius 0.5 around 5 centres.
}
