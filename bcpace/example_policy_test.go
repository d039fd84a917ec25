package bcpace_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/envs"
)

// QMDP listens at even odds, and opens a door when it is nearly sure.
func ExamplePolicy() {
	tiger := envs.Tiger{}
	values, err := dp.SolveLatent(context.Background(), tiger)
	if err != nil {
		fmt.Println(err)
		return
	}
	actions := tiger.Spec().Actions
	var qmdp bcpace.Policy = dp.LatentPolicy(values, len(actions))
	for _, b := range []bcpace.Belief{{0.5, 0.5}, {0.97, 0.03}} {
		fmt.Println(b, actions[qmdp.Act([]float64{0}, b, nil)].Name)
	}
	// Output:
	// [0.5 0.5] listen
	// [0.97 0.03] open right
}

// surely opens a door of Tiger when it is 95 % sure, and listens until then.
var surely = bcpace.PolicyFunc(func(_ []float64, b bcpace.Belief, _ *rand.Rand) int {
	switch {
	case b[0] > 0.95:
		return 2 // open right
	case b[1] > 0.95:
		return 1 // open left
	}
	return 0 // listen
})

func ExamplePolicyFunc() {
	fmt.Println(surely.Act([]float64{0}, bcpace.Belief{0.96, 0.04}, nil))
	// Output: 2
}

// An episode of five steps. The agent knows its belief, and not the latent.
func ExampleSimulator() {
	sim, rng := bcpace.NewSimulator(envs.Tiger{}), rand.New(rand.NewPCG(1, 1))
	if err := sim.Reset(rng); err != nil {
		fmt.Println(err)
		return
	}
	for range 5 {
		action := surely.Act(sim.State, sim.Belief, rng)
		reward, err := sim.Step(action, rng)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("action %d, reward %3.0f, belief %.2f\n", action, reward, sim.Belief)
	}
	// Output:
	// action 0, reward  -1, belief [0.15 0.85]
	// action 0, reward  -1, belief [0.50 0.50]
	// action 0, reward  -1, belief [0.85 0.15]
	// action 0, reward  -1, belief [0.97 0.03]
	// action 2, reward  10, belief [0.50 0.50]
}

// Twenty steps of Tiger with a policy that opens a door when it is nearly certain.
func ExampleRollout() {
	tiger, rng := envs.Tiger{}, rand.New(rand.NewPCG(1, 2))
	spec := tiger.Spec()
	play := bcpace.Rollout{Simulator: bcpace.NewSimulator(tiger), Policy: surely, Horizon: 20, Discount: spec.Discount}
	err := play.Reset(rng)
	for err == nil && play.More() {
		err = play.Step(rng, rng)
		if play.Reward > 0 {
			fmt.Printf("step %d: %s\n", play.Steps, spec.Actions[play.Action].Name)
		}
	}
	fmt.Printf("return %.2f, error %v\n", play.Return, err)
	// Output:
	// step 3: open left
	// step 6: open right
	// step 11: open left
	// step 14: open left
	// step 17: open left
	// return 22.68, error <nil>
}

// counting is a policy with working memory. Its copies can act side by side.
type counting struct{ scratch []float64 }

func (c *counting) Act(_ []float64, b bcpace.Belief, _ *rand.Rand) int {
	copy(c.scratch, b)
	return len(c.scratch) % 2
}

func (c *counting) Fork() bcpace.Policy { return &counting{make([]float64, len(c.scratch))} }

func ExampleFork() {
	var p bcpace.Policy = &counting{make([]float64, 2)}
	fmt.Println("another value for another goroutine:", bcpace.Fork(p) != p)
	// Output: another value for another goroutine: true
}
