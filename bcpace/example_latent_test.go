package bcpace_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// Who knows where the tiger is opens the other door at every step: 10/(1 − 0.95).
func ExampleLatentValues() {
	tiger := envs.Tiger{}
	var values bcpace.LatentValues
	values, err := dp.SolveLatent(context.Background(), tiger)
	if err != nil {
		fmt.Println(err)
		return
	}
	for a, action := range tiger.Spec().Actions {
		fmt.Printf("%s: %.0f\n", action.Name, values.Q([]float64{0}, 0, a))
	}
	// Output:
	// listen: 189
	// open left: 90
	// open right: 200
}

// Latent values of one's own, for a model that does not list its successors.
func ExampleLatentValues_own() {
	values := dp.LatentFunc(func(_ []float64, latent, action int) float64 { return float64(5 + latent - action) })
	run, err := runs.Explore(context.Background(), Coin{}, cpace.Solver{Epsilon: 1, Latent: values, MaxEpisodes: 20, CertificateEpisodes: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Upper([]float64{0}, bcpace.OneHot(2, 1), 0))
	// Output: 6
}
