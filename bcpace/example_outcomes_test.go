package bcpace_test

import (
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
)

// A tool wears as it cuts, faster in hard steel. A new one costs 4, a broken one 9.
func ExampleOutcomes() {
	wear := []float64{0.1, 0.4} // by latent
	tool, err := bcpace.FromOutcomes(bcpace.Outcomes{
		Spec: bcpace.Spec{
			Name:    "tool wear",
			Axes:    []bcpace.Axis{{Name: "tool", Max: 2, Labels: []string{"sharp", "dull", "broken"}}},
			Actions: bcpace.Actions("cut", "change"), Latents: []string{"soft steel", "hard steel"},
			Discount: 0.95,
		},
		Transitions: func(s []float64, latent, action int) []bcpace.Transition {
			p, names := wear[latent], []string{"sharp", "dull", "broken"}
			switch {
			case action == 1:
				return []bcpace.Transition{{To: "sharp", Prob: 1, Reward: -4}}
			case s[0] == 2:
				return []bcpace.Transition{{To: "broken", Prob: 1, Reward: -9, Done: true}}
			}
			return []bcpace.Transition{
				{To: names[int(s[0])], Prob: 1 - p, Reward: 2},
				{To: names[int(s[0])+1], Prob: p, Reward: 1},
			}
		},
	})
	fmt.Println(err, check.Model(tool, check.Options{}))
	fmt.Println(tool.NumStates(), "states, rewards from", tool.Spec().RewardMin, "to", tool.Spec().RewardMax)
	// Output:
	// <nil> <nil>
	// 3 states, rewards from -9 to 2
}

// A die that may be loaded: what it shows is the next state.
func ExampleTransition() {
	die, err := bcpace.FromOutcomes(bcpace.Outcomes{
		Spec: bcpace.Spec{Name: "die", Axes: []bcpace.Axis{{Name: "shows", Min: 1, Max: 6, Discrete: true}},
			Actions: bcpace.Actions("throw"), Latents: []string{"fair", "loaded"}, Discount: 0.9},
		Transitions: func(_ []float64, latent, _ int) (list []bcpace.Transition) {
			for n := 1.0; n <= 6; n++ {
				list = append(list, bcpace.Transition{Next: []float64{n}, Prob: (1 - 0.4*float64(latent)) / 6, Reward: n})
			}
			if latent == 1 { // a six stands there twice: the probabilities are added
				list = append(list, bcpace.Transition{Next: []float64{6}, Prob: 0.4, Reward: 6})
			}
			return list
		},
	})
	var z bcpace.Successors
	z.Reset(1, 2)
	die.Successors(&z, []float64{1}, 0)
	next, prob, _ := z.Row(5)
	fmt.Printf("%v %v %.3f\n", err, next, prob)
	// Output: <nil> [6] [0.167 0.500]
}
