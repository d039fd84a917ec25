package bcpace_test

import (
	"fmt"

	"bayescpace/bcpace"
)

// rudder is a boat whose rudder has an unknown effect: u in [−1, 1] moves it by θ·u, and it
// is to be kept at 0.
func rudder() (bcpace.Enumerator, error) {
	gains := []float64{1, -1}
	return bcpace.FromGaussian(bcpace.Gaussian{
		Spec: bcpace.Spec{
			Name:    "rudder",
			Axes:    []bcpace.Axis{{Name: "x", Unit: "m", Min: -4, Max: 4}},
			Actions: []bcpace.Action{{Name: "steer", Box: []bcpace.Axis{{Name: "u", Min: -1, Max: 1}}}},
			Latents: []string{"plus", "minus"}, Discount: 0.9, RewardMax: 1,
		},
		Starts:   [][]float64{{2}},
		MeanAt:   func(mean, s []float64, latent, _ int, u []float64) { mean[0] = s[0] + gains[latent]*u[0] },
		Sigma:    []float64{0.5},
		RewardAt: func(_ []float64, _, _ int, _, next []float64) float64 { return 1 - next[0]*next[0]/16 },
	})
}

// An action with a Box is named by an id, which stands for its index and its control.
func ExampleAction_box() {
	m, err := rudder()
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := m.Spec()
	half, _ := spec.ActionID(0, []float64{0.5})
	index, u := spec.Control(make([]float64, 1), half)
	fmt.Println(spec.ActionName(half), index, u)
	_, err = spec.ActionID(0, []float64{2})
	fmt.Println(err)
	// Output:
	// steer(u=0.5) 0 [0.5]
	// model "rudder": the u of action "steer" is 2, want a number within [-1, 1]
}

// What needs a list of actions gets one from Discretised.
func ExampleDiscretised() {
	m, err := rudder()
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := bcpace.Discretised(m, 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range list.Spec().Actions {
		fmt.Println(a.Name)
	}
	// Output:
	// steer(u=-1)
	// steer(u=-0.5)
	// steer(u=0)
	// steer(u=0.5)
	// steer(u=1)
}

// A controller of one's own is a policy.
func ExampleControlPolicy() {
	m, err := rudder()
	if err != nil {
		fmt.Println(err)
		return
	}
	certain := bcpace.ControlPolicy(m, func(u, s []float64, b bcpace.Belief) {
		u[0] = max(-1, min(1, -s[0])) // towards 0, with the likelier gain
		if b[1] > b[0] {
			u[0] = -u[0]
		}
	})
	spec := m.Spec()
	fmt.Println(spec.ActionName(certain.Act([]float64{0.25}, bcpace.Belief{0.9, 0.1}, nil)))
	// Output:
	// steer(u=-0.25)
}
