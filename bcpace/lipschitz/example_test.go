package lipschitz_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/lipschitz"
	"bayescpace/envs"
)

// The constants of Light-Dark Tiger, and the pair of cells that L_R comes from.
func ExampleFromModel() {
	room := envs.LightDarkTiger{}
	c, err := lipschitz.FromModel(context.Background(), room, lipschitz.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(c)
	fmt.Println(c.R.Worst.Describe(room.Spec()))
	// Output:
	// light-dark-tiger
	// constant                    paper        tight
	// L_R                           100          100
	// L_P                             2            2
	// range of values              2200          110
	// in the state, L_S            4280        204.5
	// in the belief, L_B          44000           55
	// best α = L_S/L_B        0.0972727      3.71818
	// L_Q at the best α           44000           55
	// L_Q at α = 1                44000        204.5
	// L_R, L_P: exact, all pairs of 28 states, for 4 actions and 2 latents
	// values: the fast informed bounds from above and below, solved at all states
	// |R1−R2| = 100 at distance 1 (ratio 100): state [3 3 0] and [4 3 0], action "up", latent "tiger top"
}

// The constants set L_Q and α of an exploration.
func ExampleConstants() {
	chain := envs.Chain{}
	c, err := lipschitz.FromModel(context.Background(), chain, lipschitz.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	o := cpace.Solver{Epsilon: 1, LipQ: c.Tight.LQ, Alpha: c.Tight.Alpha}
	fmt.Printf("L_Q %.2f, α %.3f\n", o.LipQ, o.Alpha)
	// Output:
	// L_Q 33.03, α 1.845
}

// Assumption 3.2 of the paper fails on Tiger: two beliefs that are close before the
// same growl are five times as far apart after it.
func ExampleContraction() {
	tiger := envs.Tiger{}
	w, err := lipschitz.Contraction(context.Background(), tiger, lipschitz.ContractionOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f and %.4f: distance %.4f\n", w.B1, w.B2, w.Distance)
	fmt.Printf("%.4f and %.4f: distance %.4f\n", w.After1, w.After2, w.Difference)
	// Output:
	// [0.0100 0.9900] and [0.0200 0.9800]: distance 0.0200
	// [0.0541 0.9459] and [0.1037 0.8963]: distance 0.0990
}

// The same numbers at a pair of one's own.
func ExampleExpansion() {
	heardLeft := []float64{1}
	w, err := lipschitz.Expansion(envs.Tiger{}, []float64{0}, 0, heardLeft, bcpace.Belief{0.4, 0.6}, bcpace.Belief{0.6, 0.4})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f by %.4f is %.3f\n", w.Difference, w.Distance, w.Ratio)
	// Output:
	// 0.2081 by 0.4000 is 0.520
}
