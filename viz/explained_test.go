package viz_test

import (
	"fmt"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
	"bayescpace/viz"
)

// explained explains the estimate of opening a door at a belief.
func explained(t testing.TB, belief float64) *cpace.Explanation {
	r, err := runs.Explore(t.Context(), envs.Tiger{}, cpace.Solver{Epsilon: 4, LipQ: 20, K: 12, Batch: 10, MaxEpisodes: 60, CertificateEpisodes: -1})
	if err != nil {
		t.Fatal(err)
	}
	x, err := cpace.Explain(r, []float64{0}, bcpace.Belief{belief, 1 - belief}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// One neighbour of the query, and what it counts: its value and the bonus of its distance.
func ExampleExplained() {
	f, err := viz.Explained{Explanation: &cpace.Explanation{
		Spec: envs.Tiger{}.Spec(), Belief: bcpace.Belief{0.5, 0.5}, Latent: -1, K: 1, LipQ: 10, Radius: 0.4, Upper: 20, Q: 5, Known: true,
		Neighbours: []cpace.Neighbour{{Distance: 0.2, BeliefDistance: 0.2, Value: 3, Bonus: 2, Term: 5}},
	}}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Alt)
	// Output:
	// Q of listen at the belief (0.5, 0.5). The estimate is 5, with the upper bound 20. It has 1 of k = 1 neighbours; 0 are clipped. The nearest is at distance 0.2 and has the value 3, and counts 5.
}

func TestExplained(t *testing.T) {
	f, err := viz.Explained{Explanation: explained(t, 0.3)}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	png, err := f.PNG(2)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(f.Alt, f.Subtitle, len(png))
	if _, err := (viz.Explained{}).Figure(); err == nil {
		t.Error("no error without an explanation")
	}
	if _, err := (viz.Explained{Explanation: &cpace.Explanation{Spec: envs.Tiger{}.Spec(), Latent: 1}}).Figure(); err == nil {
		t.Error("no error of a query near a one-hot belief")
	}
}
