package bcpace_test

import (
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/check"
	"bayescpace/envs"
)

// What two environments can do: one of them lists what follows an action, the other one only where
// it has no noise.
func ExampleAbilitiesOf() {
	for _, m := range []bcpace.Model{envs.Tiger{}, envs.LightDarkTiger{Sigma: 0.1}} {
		can := bcpace.AbilitiesOf(m)
		fmt.Printf("%s: lists successors %v, numbers states %v, has a finer list %v, a latent that is %v\n",
			can.Spec.Name, can.Successors != nil, can.NumStates != nil, can.FinerList != nil, can.LatentKind)
	}
	// Output:
	// tiger: lists successors true, numbers states true, has a finer list false, a latent that is redrawn
	// light-dark-tiger: lists successors true, numbers states false, has a finer list false, a latent that is static
}

// Abilities are functions, nil where a model cannot do something.
func ExampleAbilities() {
	can := bcpace.AbilitiesOf(envs.Tiger{Accuracy: 0.9})
	if can.StartLogLikelihood == nil {
		fmt.Println("the start tells nothing")
	}
	p := make([]float64, 2)
	fmt.Println(can.LatentTransition(p, []float64{0}, can.Spec.ActionIndex("open left"), 0), p)
	// Output:
	// the start tells nothing
	// true [0.5 0.5]
}

// Tiger with half its rewards, which still lists its successors.
func ExampleDerive() {
	half := bcpace.Derive(envs.Tiger{}, func(m bcpace.Model, a *bcpace.Abilities) {
		a.Spec.Name, a.Spec.RewardMin, a.Spec.RewardMax = "half a tiger", a.Spec.RewardMin/2, a.Spec.RewardMax/2
		step, list := a.Step, a.Successors
		a.Step = func(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
			out := step(next, s, latent, action, rng)
			out.Reward /= 2
			return out
		}
		a.Successors = func(z *bcpace.Successors, s []float64, action int) {
			list(z, s, action)
			for i := range z.Reward {
				z.Reward[i] /= 2
			}
		}
		a.ReturnRange = nil // that of m would be wide, but true
	})
	_, finite := bcpace.AsFinite(half)
	spec := half.Spec()
	fmt.Println(finite, spec.RewardMin, spec.RewardMax, check.Model(half, check.Options{}))
	// Output: true -50 5 <nil>
}

// A list in the place of a Box, which says where it comes from.
func ExampleAbilities_discretised() {
	m, err := envs.DualControl{}.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := bcpace.Discretised(m, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	from := bcpace.AbilitiesOf(list)
	spec := from.Behind.Spec()
	for action, id := range from.IDs {
		_, u := spec.Control(nil, id)
		fmt.Println(action, u)
	}
	// Output:
	// 0 [-1]
	// 1 [0]
	// 2 [1]
}
