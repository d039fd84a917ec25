package nb_test

import (
	"fmt"
	"os"
	"path/filepath"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/nb"
	"bayescpace/envs"
	"bayescpace/viz"
)

func ExampleShow() {
	nb.Show("two policies", nb.Table{
		Header: []string{"policy", "episodes", "mean return"},
		Rows: [][]any{
			{"greedy", 10000, 19.3714},
			{"random", 10000, -123.5},
		},
	})
	// Output:
	// two policies
	// policy  episodes  mean return
	// greedy    10,000        19.37
	// random    10,000      -123.50
}

func ExampleShow_belief() {
	nb.Show(bcpace.Belief{0.85, 0.15})
	// Output:
	// latent     b
	//      0  0.85
	//      1  0.15
}

func ExampleLimit() {
	var squares [][]int
	for i := range 1000 {
		squares = append(squares, []int{i, i * i})
	}
	nb.Show(squares, nb.Limit(3, 0))
	// Output:
	// 0  0
	// 1  1
	// 2  4
	// … 997 more rows
}

func ExampleSave() {
	dir, err := os.MkdirTemp("", "figures")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "gains.pdf")
	nb.Save(viz.Intervals{XLabel: "return", Rows: []viz.Interval{{Label: "QMDP", Mean: 16.5, Lo: 15.7, Hi: 17.3}}}, file)
}

func ExampleAnimate() {
	m := envs.Tiger{}
	t := nb.Must(eval.RecordEpisode(m, nb.QMDP(m), eval.Options{Horizon: 2, Seed: 1}, 0))
	nb.Show(nb.Animate("step", viz.Episode{Model: m, Trajectory: t}.Steps()...))
}
