package plannertest

import "testing"

// Speed measures simulations per second, in decisions of 1,000 simulations. begin begins a
// decision of which nothing is known.
func Speed(b *testing.B, begin func(), simulate func() error) {
	b.Helper()
	const simulations = 1000
	b.ReportAllocs()
	for b.Loop() {
		begin()
		for range simulations {
			if err := simulate(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N)*simulations/b.Elapsed().Seconds(), "simulations/s")
}
