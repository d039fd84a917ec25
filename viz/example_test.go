package viz_test

import (
	"fmt"
	"math"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/eval"
	"bayescpace/viz"
)

// show stands for nb.Show, which draws in a notebook.
func show(c viz.Chart) {
	f, err := c.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	w, h := f.Size()
	fmt.Println(w, "×", h)
	fmt.Println(f.Alt)
}

func ExampleLines() {
	show(viz.Lines{
		Title: "Value of Tiger by listening accuracy", XLabel: "accuracy", YLabel: "value (discounted reward)",
		Series: []viz.Series{
			{Label: "optimum", X: []float64{0.7, 0.8, 0.9}, Y: []float64{2, 13, 27}},
			{Label: "QMDP", X: []float64{0.7, 0.8, 0.9}, Y: []float64{1, 12, 27}},
		},
	})
	// Output:
	// 640 × 373
	// Value of Tiger by listening accuracy. Line plot of value (discounted reward) against accuracy. optimum: from 2 at 0.7 to 27 at 0.9. QMDP: from 1 at 0.7 to 27 at 0.9.
}

func ExampleIntervals() {
	show(viz.Intervals{
		Title: "Tiger", XLabel: "mean return (discounted reward)",
		Rows:       []viz.Interval{{Label: "Bayes-CPACE", Mean: 18, Lo: 16.6, Hi: 19.4}, {Label: "QMDP", Mean: 16.5, Lo: 15.7, Hi: 17.3}},
		References: []viz.Reference{{Label: "optimum", Value: 19.4}},
	})
	// Output:
	// 640 × 189
	// Tiger. mean return (discounted reward), mean and 95% interval: Bayes-CPACE 18 (16.6 to 19.4); QMDP 16.5 (15.7 to 17.3). Reference line optimum at 19.4.
}

func ExampleRoom() {
	show(viz.Room{
		Title: "To the light and to the goal", Latents: []string{"tiger top", "tiger bottom"},
		Plan: viz.RoomPlan{
			Room:  viz.Rect{X0: -0.5, Y0: -0.5, X1: 2.5, Y1: 2.5},
			Goals: []viz.Goal{{Rect: viz.Rect{X0: 1.5, Y0: -0.5, X1: 2.5, Y1: 0.5}, Label: "goal +10"}},
			Light: []viz.Rect{{X0: -0.5, Y0: -0.5, X1: 0.5, Y1: 2.5}},
			Cells: true, Unit: "cells",
		},
		Paths: []viz.Path{{X: []float64{1, 0, 0, 1, 2}, Y: []float64{1, 1, 0, 0, 0}, Belief: []bcpace.Belief{{0.5, 0.5}, {1, 0}, {1, 0}, {1, 0}, {1, 0}}}},
	})
	// Output:
	// 520 × 577
	// To the light and to the goal. Room of 3 by 3 cells from above. Goal around (2, 0): goal +10. Path 1: 4 steps from (1, 1), belief in tiger top 0.5, to (2, 0), belief 1.
}

func ExampleBeliefTrajectories() {
	show(viz.BeliefTrajectories{
		Title: "Listening twice", Latents: []string{"left", "right"},
		Episodes: []viz.BeliefEpisode{{True: 0, Belief: [][]float64{{0.5, 0.5}, {0.85, 0.15}, {0.97, 0.03}}}},
	})
	// Output:
	// 640 × 373
	// Listening twice: 1 episode. Where left is true (1 episode), the belief in it ends at 0.97 on average.
}

func ExampleBeliefPoints() {
	show(viz.BeliefPoints{
		Title: "Where the target is", X: bcpace.Axis{Name: "east", Unit: "m"}, Y: bcpace.Axis{Name: "north", Unit: "m"},
		Beliefs: []viz.WeightedCloud{{Label: "three particles", X: []float64{0, 1, 2}, Y: []float64{0, 2, 1}, Weight: []float64{0.5, 0.25, 0.25}, True: []float64{1, 1}}},
	})
	// Output:
	// 520 × 433
	// Where the target is. Points over east and north. three particles: 3 points with mean (0.75, 0.75) and deviations 0.8292 and 0.8292; what is hidden is at (1, 1).
}

func ExampleBeliefQuantiles() {
	show(viz.BeliefQuantiles{
		Title: "Position", Axis: bcpace.Axis{Name: "position", Unit: "cell"}, Levels: []float64{0.05, 0.5, 0.95},
		Quantiles: [][]float64{{-2, 2, 6}, {1, 3, 4}, {2.5, 3, 3.5}}, True: []float64{1, 2, 3},
	})
	// Output:
	// 640 × 373
	// Position. Belief of position over 3 steps: −2 to 6 at step 0, where it is 1, 2.5 to 3.5 at step 2, where it is 3 (5 to 95 %).
}

func ExampleReturns() {
	show(viz.Returns{Title: "Four episodes", Values: []float64{4, 6, 8, 10}, References: []viz.Reference{{Label: "optimum", Value: 12}}})
	// Output:
	// 640 × 373
	// Four episodes. Mean return of 4 episodes is 7, 95% interval 2.891 to 11.11; it goes from 4 in the first bin to 10 in the last. Reference line optimum at 12.
}

func ExampleHeatMap() {
	show(viz.HeatMap{
		Title: "Mean return over two parameters", XLabel: "k", YLabel: "L_Q", ZLabel: "mean return",
		Columns: []string{"1", "5", "20"}, Rows: []string{"10", "60"},
		Values: []float64{-3.5, 12, 17.25, 2, 19.243, math.NaN()},
	})
	// Output:
	// 640 × 253
	// Mean return over two parameters. Heat map of mean return over k and L_Q: least −3.5 at 1 and 10, most 19.24 at 5 and 60.
}

// Numbers that are known from both sides have no estimate, and their band says that it is proved.
func ExampleIntervalSeries_bracket() {
	s := viz.IntervalSeries("smallest cover", []float64{1, 2, 4}, []cover.Interval{{Lower: 2, Upper: 2}, {Lower: 3, Upper: 5}, {Lower: 6, Upper: 11}})
	fmt.Println(s.Y, s.Lo, s.Hi, s.Band)
	// Output: [] [2 3 6] [2 5 11] proved bracket
}

func ExamplePoints() {
	show(viz.Points{
		Title: "Two solvers", XLabel: "states", YLabel: "time (s)", LogX: true, LogY: true,
		X: []float64{10, 100, 1000, 10, 100, 1000}, Y: []float64{0.01, 0.4, 5, 0.5, 0.6, 1.2},
		Groups: []string{"certified", "certified", "certified", "SARSOP", "SARSOP", "SARSOP"},
	})
	// Output:
	// 640 × 373
	// Two solvers. time (s) against states. certified: 3 points, from 10 to 1,000 across and from 0.01 to 5 up. SARSOP: 3 points, from 10 to 1,000 across and from 0.5 to 1.2 up.
}

func ExampleIntervalSeries() {
	s := viz.IntervalSeries("k", []float64{1, 5}, []eval.Interval{{Mean: 12, Lo: 10, Hi: 14}, {Mean: 17, Lo: math.NaN(), Hi: math.NaN()}})
	fmt.Println(s.Y, s.Lo, s.Hi)
	// Output: [12 17] [10 17] [14 17]
}

// The variants of an algorithm are no numbers: no line joins their values.
func ExampleLines_categories() {
	show(viz.Lines{
		Title: "Samples by bound", YLabel: "samples", Categories: []string{"constant", "best case"},
		Series: []viz.Series{{Label: "Chain", Y: []float64{900, 420}, Lo: []float64{850, 400}, Hi: []float64{950, 440}}},
	})
	// Output:
	// 640 × 373
	// Samples by bound. samples, for each setting. Chain: constant 900 (850 to 950); best case 420 (400 to 440).
}

func ExampleBetween() {
	show(viz.Intervals{Title: "Chain", XLabel: "value", Rows: []viz.Interval{viz.Between("V* at the start", 47.7, 48.1)}})
	// Output:
	// 640 × 161
	// Chain. value, interval: V* at the start 47.7 to 48.1.
}

func ExampleSameAxes() {
	low := viz.Lines{Title: "low", Series: []viz.Series{{X: []float64{0, 1}, Y: []float64{0, 1}}}}
	high := viz.Lines{Title: "high", Series: []viz.Series{{X: []float64{0, 1}, Y: []float64{0, 100}}}}
	for _, f := range viz.SameAxes(low, high) {
		y := f.(*viz.Figure).Panels[0].Y
		fmt.Println(y.Min, y.Max)
	}
	// Output:
	// -5 105
	// -5 105
}
