package envs_test

import (
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// coin is a game of a coin that falls on one side more often: a guess that is right earns 1.
func coin(v *envs.Values) (bcpace.Model, error) {
	bias := v.Positive("bias")
	if bias > 1 {
		return nil, &bcpace.InputError{Where: "coin", What: "bias", Got: v.Text("bias"), Want: "a probability in (0, 1]"}
	}
	return bcpace.FromOutcomes(bcpace.Outcomes{
		Spec: bcpace.Spec{
			Name: v.Name(), Params: v.Params(), // so that a saved run makes the model again
			Axes:    []bcpace.Axis{{Name: "fallen", Max: 2, Labels: []string{"not yet", "heads", "tails"}}},
			Actions: bcpace.Actions("heads", "tails"), Latents: []string{"heads", "tails"}, Discount: 0.9,
		},
		Transitions: func(_ []float64, latent, action int) []bcpace.Transition {
			sides := []bcpace.Transition{{To: "heads", Prob: 1 - bias}, {To: "tails", Prob: 1 - bias}}
			sides[latent].Prob = bias
			sides[action].Reward = 1
			return sides
		},
	})
}

func init() {
	envs.Register(envs.Info{
		Name: "coin", Doc: "A coin that falls on one side more often.",
		Params: []envs.ParamInfo{{Key: "bias", Default: "0.7", Want: "a probability in (0, 1]", Doc: "probability of the side"}},
	}, coin)
}

func ExampleRegister() {
	m, err := envs.New("coin", []bcpace.Param{{Key: "bias", Value: "0.9"}})
	fmt.Println(m.Spec().Params, err)
	_, err = envs.New("coin", []bcpace.Param{{Key: "bias", Value: "often"}})
	fmt.Println(err)
	// Output:
	// [{bias 0.9}] <nil>
	// environment "coin": bias is "often", want a probability in (0, 1]
}

func ExampleRegistered() {
	fmt.Println(envs.Registered("coin"), envs.Registered("tiger"))
	// Output: true false
}
