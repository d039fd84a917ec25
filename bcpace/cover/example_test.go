package cover_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace/cover"
	"bayescpace/envs"
)

// A star: the leaves are 1 from the middle and 2 from each other.
func ExampleNumber() {
	p, err := cover.FromRows([][]float64{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := cover.Number(context.Background(), p, 1, cover.Options{Exact: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("smallest cover:", x.Domination, x.Smallest)
	fmt.Println("largest minimal cover:", x.Upper, x.Largest)
	// Output:
	// smallest cover: 1 [0]
	// largest minimal cover: 4 [1 2 3 4]
}

// The states and beliefs that Tiger reaches, against those that its optimal policies
// reach, and against those that Known Latent Initialization leaves.
func ExampleOptimallyReach() {
	ctx, o := context.Background(), cover.ReachOptions{Depth: 30}
	all, err := cover.Reach(ctx, envs.Tiger{}, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	best, err := cover.OptimallyReach(ctx, envs.Tiger{}, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range []*cover.Reached{all, best, all.Reduced(0.1)} {
		x, err := cover.Number(ctx, r.Points, 0.01, cover.Options{Exact: true})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(x.Upper)
	}
	// Output:
	// 9
	// 5
	// 3
}
