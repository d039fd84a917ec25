package pomcpow

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/plannertest"
	"bayescpace/envs"
)

// BenchmarkCartPole measures simulations per second in a model of four continuous axes.
func BenchmarkCartPole(b *testing.B) {
	m, err := envs.CartPole{}.Model()
	if err != nil {
		b.Fatal(err)
	}
	sim, rng := bcpace.NewSimulator(m), rand.New(rand.NewPCG(1, 1))
	if err := sim.Reset(rng); err != nil {
		b.Fatal(err)
	}
	x := Solver{}.search(m, bcpace.RandomPolicy(m))
	begin := func() {
		x.Forget()
		x.Root(sim.State, sim.Belief)
	}
	plannertest.Speed(b, begin, func() error {
		_, err := x.Simulate(b.Context(), rng)
		return err
	})
}
