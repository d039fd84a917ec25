package solverkit_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
	"bayescpace/envs"
)

// thinking plans while it acts, until its context ends.
type thinking struct{ ctx context.Context }

func (t thinking) Act([]float64, bcpace.Belief, *rand.Rand) int {
	for depth := range 1000 {
		if t.ctx.Err() != nil {
			return depth
		}
	}
	return 0
}

func (thinking) Within(ctx context.Context) bcpace.Policy { return thinking{ctx} }

func ExampleLongActor() {
	ctx, cancel := context.WithCancel(context.Background())
	policy := solverkit.Within(ctx, thinking{context.Background()})
	cancel()
	action := policy.Act(nil, nil, nil)
	if ctx.Err() != nil {
		fmt.Println("the action means nothing:", ctx.Err())
		return
	}
	fmt.Println(action)
	// Output: the action means nothing: context canceled
}

// Where the tiger is after a door was opened.
func ExampleNewMover() {
	const openLeft = 1
	mover, rng := solverkit.NewMover(envs.Tiger{}), rand.New(rand.NewPCG(1, 2))
	var counts [2]int
	for range 1000 {
		counts[mover.Draw([]float64{0}, openLeft, 0, rng)]++
	}
	fmt.Println(counts)
	// Output: [512 488]
}
