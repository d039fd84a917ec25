package pomcpow

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// BenchmarkCartPole measures simulations per second in a model of four continuous axes, in
// decisions of 1,000 simulations.
func BenchmarkCartPole(b *testing.B) {
	const simulations = 1000
	m, err := envs.CartPole{}.Model()
	if err != nil {
		b.Fatal(err)
	}
	sim, rng := bcpace.NewSimulator(m), rand.New(rand.NewPCG(1, 1))
	if err := sim.Reset(rng); err != nil {
		b.Fatal(err)
	}
	x := newSearch(m, Solver{}, bcpace.RandomPolicy(m))
	b.ReportAllocs()
	for b.Loop() {
		x.Forget()
		x.Root(sim.State, sim.Belief)
		for range simulations {
			if _, err := x.Simulate(b.Context(), rng); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N)*simulations/b.Elapsed().Seconds(), "simulations/s")
}
