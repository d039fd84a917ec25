package stop_test

import (
	"context"
	"fmt"

	"bayescpace/bcpace/runs"
	"bayescpace/envs"
)

// An exploration that a limit has ended can be resumed.
func Example() {
	dark := envs.LightDarkTiger{}
	o := envs.Tuned(dark)
	o.MaxEpisodes, o.CertificateEpisodes = 40, -1
	run, err := runs.Explore(context.Background(), dark, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Stop, run.Stop.ByItself())
	o.MaxEpisodes = 0
	if run, err = runs.Resume(context.Background(), run, o); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Stop, run.Stop.ByItself())
	// Output:
	// episode budget false
	// converged true
}
