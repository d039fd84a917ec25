package cover_test

import (
	"context"
	"fmt"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cover"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
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

func ExampleReadCSV() {
	p, err := cover.ReadCSV(context.Background(), strings.NewReader("x,y\n0,0\n1,0.5\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Len(), p.Distance(0, 1))
	_, err = cover.ReadCSV(context.Background(), strings.NewReader("x,y\n0,zero\n"))
	fmt.Println(err)
	// Output:
	// 2 1.5
	// points: field 2 of line 2 is "zero", want a number in decimal digits, below 1e150 in size
}

// The queries that an exploration of Chain has sampled, their beliefs, and the five states.
func ExampleVisited() {
	ctx := context.Background()
	r, err := runs.Explore(ctx, envs.Chain{}, cpace.Solver{Epsilon: 0.5, LipQ: 10, MaxSamples: 50, CertificateEpisodes: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, what := range []cover.Visit{cover.Queries, cover.Beliefs, cover.States} {
		p, err := cover.Visited(r, what)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p.Len(), "samples,", len(p.Distinct()), "distinct")
	}
	// Output:
	// 50 samples, 50 distinct
	// 50 samples, 49 distinct
	// 50 samples, 5 distinct
}

// Twenty episodes of a random policy do not meet all that it reaches. A thousand fresh ones bound how likely the next meets
// a state and belief farther than 0.1 from all those met.
func ExampleMeasureUnseen() {
	ctx, chain := context.Background(), envs.Chain{}
	random := bcpace.RandomPolicy(chain)
	for _, episodes := range []int{20, 2000} {
		r, err := cover.Sample(ctx, chain, cover.ReachOptions{Depth: 12, Episodes: episodes}, random)
		if err != nil {
			fmt.Println(err)
			return
		}
		u, err := cover.MeasureUnseen(ctx, chain, r, random, cover.UnseenOptions{Depth: 12, Epsilon: 0.1})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("after %d episodes: %d of %d fresh ones miss, from %.2g to %.2g of all\n", episodes, u.Missed, u.Trials, u.Probability[0], u.Probability[1])
	}
	// Output:
	// after 20 episodes: 671 of 1000 fresh ones miss, from 0.64 to 0.7 of all
	// after 2000 episodes: 0 of 1000 fresh ones miss, from 0 to 0.0037 of all
}
