package leaderboard_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/qmdp"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/leaderboard"
	"bayescpace/envs"
)

func Example() {
	ctx, tiger := context.Background(), envs.Tiger{}
	found, err := qmdp.Solver{}.Solve(ctx, tiger, bcpace.Control{})
	if err != nil {
		fmt.Println(err)
		return
	}
	board, err := leaderboard.Of(ctx, tiger, []leaderboard.Entry{{Name: "Ada", Policy: constant(0)}, {Name: "Ben", Policy: found.Policy}},
		eval.Options{Episodes: 500, Horizon: 100, Seed: 7})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range board.Rows {
		fmt.Printf("%d %s %.1f\n", r.Rank, r.Name, r.Result.Mean)
	}
	// Output:
	// 1 Ben 16.5
	// 2 Ada -19.9
}
