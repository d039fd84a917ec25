package lipschitz_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/lipschitz"
	"bayescpace/envs"
)

// No pair of the optimal values of Light-Dark Tiger breaks its tight constant, and one
// attains that in the belief. The constant that was tuned for it is broken by half.
func ExampleQueryValues_Observe() {
	ctx, room := context.Background(), envs.LightDarkTiger{Width: 9, Height: 9}
	v, err := lipschitz.OptimalValues(ctx, room, cover.ReachOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := lipschitz.FromModel(ctx, room, lipschitz.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	tuned := lipschitz.NamedConstant{Name: "tuned", Value: envs.Tuned(room).LipQ}
	x, err := v.Observe(ctx, lipschitz.ObserveOptions{Bounds: append(c.Named(1), tuned)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, b := range x.Bounds {
		fmt.Printf("%s: %.4g, broken by %d of %d pairs\n", b.Name, b.Value, x.Broken[i], x.Pairs)
	}
	fmt.Printf("in the belief: %.4g, tight %.4g\n", x.LB.Value, c.Tight.LB)
	// Output:
	// paper: 4.4e+04, broken by 0 of 103512 pairs
	// tight: 204.5, broken by 0 of 103512 pairs
	// tuned: 0.25, broken by 51984 of 103512 pairs
	// in the belief: 55, tight 55
}
