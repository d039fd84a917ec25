package dp_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/envs"
)

// tigerBounds are those of Tiger.
func tigerBounds() *dp.FiniteBounds {
	b, err := dp.SolveBounds(context.Background(), envs.Tiger{}, 0)
	if err != nil {
		fmt.Println(err)
	}
	return b
}

// Upper bounds of opening a door of Tiger at even odds, from the loosest to the tightest.
func ExampleUpperBound() {
	tables := tigerBounds()
	for _, bound := range []dp.UpperBound{
		dp.ConstantBound(envs.Tiger{}.Spec().VMax()), dp.BestCaseBound{Values: tables.Latent}, dp.QMDPBound{Values: tables.Latent}, tables.FIB, tables.TIB,
	} {
		fmt.Printf("%.1f\n", bound.Upper([]float64{0}, bcpace.Uniform(2), 1))
	}
	// Output:
	// 200.0
	// 200.0
	// 145.0
	// 37.8
	// 2.1
}

func ExampleConstantBound() {
	bound := dp.ConstantBound(envs.Chain{}.Spec().VMax())
	fmt.Printf("%.0f\n", bound.Upper([]float64{1}, bcpace.Uniform(3), 0))
	// Output: 200
}

// An agent that may choose the latent opens the door without the tiger.
func ExampleBestCaseBound() {
	best := dp.BestCaseBound{Values: tigerBounds().Latent}
	fmt.Printf("%.0f\n", best.Upper([]float64{0}, bcpace.Uniform(2), 1))
	// Output: 200
}

// An agent that is told the latent after the first door is opened.
func ExampleQMDPBound() {
	qmdp := dp.QMDPBound{Values: tigerBounds().Latent}
	fmt.Printf("%.0f\n", qmdp.Upper([]float64{0}, bcpace.Uniform(2), 1))
	// Output: 145
}

// The fast informed bound sees that the tiger is placed anew, and QMDP does not.
func ExampleFIBBound() {
	b := tigerBounds()
	s, belief := []float64{0}, bcpace.Uniform(2)
	fmt.Printf("%.1f, QMDP %.1f\n", b.FIB.Upper(s, belief, 1), dp.QMDPBound{Values: b.Latent}.Upper(s, belief, 1))
	// Output: 37.8, QMDP 145.0
}

// The tighter informed bound does not see the door before it has opened one.
func ExampleTIBBound() {
	b := tigerBounds()
	s, belief := []float64{0}, bcpace.Uniform(2)
	fmt.Printf("%.1f, FIB %.1f\n", b.TIB.Upper(s, belief, 0), b.FIB.Upper(s, belief, 0))
	// Output: 49.6, FIB 87.2
}

// Listening without end costs 1 a step, and is the best of the policies that never look.
func ExampleBlindBound() {
	action, value := tigerBounds().Blind.Best([]float64{0}, bcpace.Uniform(2))
	fmt.Printf("action %d: %.1f\n", action, value)
	// Output: action 0: -20.0
}

// No policy that listens first, however bad, is worth less.
func ExampleWorstBound() {
	fmt.Printf("%.0f\n", tigerBounds().Worst.Lower([]float64{0}, bcpace.Uniform(2), 0))
	// Output: -985
}

// The optimal value lies between the bounds.
func ExampleFiniteBounds() {
	b := tigerBounds()
	s, belief := []float64{0}, bcpace.Uniform(2)
	_, lower := b.Blind.Best(s, belief)
	upper := max(b.FIB.Upper(s, belief, 0), b.FIB.Upper(s, belief, 1), b.FIB.Upper(s, belief, 2))
	fmt.Printf("%.1f to %.1f\n", lower, upper)
	// Output: -20.0 to 87.2
}

// A bound is linear in the belief: its vector has an entry for each latent.
func ExampleVectorTable() {
	table := tigerBounds().Blind.VectorTable
	fmt.Printf("opening the left door without end: %.0f\n", table.Vector(0, 1))
	// Output: opening the left door without end: [-955 -845]
}
