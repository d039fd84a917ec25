package adaops

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online/lookahead"
	"bayescpace/envs"
)

// free bounds everything by 0.
type free struct{}

func (free) Lower([]float64, bcpace.Belief) (value float64, action int) { return 0, 0 }
func (free) Upper([]float64, bcpace.Belief) float64                     { return 0 }

// TestAllocations: what follows an action is listed, drawn and packed in the same memory.
func TestAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	laser, err := envs.LaserTag{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []bcpace.Model{envs.LightDarkTiger{Sigma: 0.1, Nodes: 5}, laser} {
		sim := bcpace.NewSimulator(m)
		if err := sim.Reset(rng); err != nil {
			t.Fatal(err)
		}
		p := Solver{Delta: 0.5}.source(m, free{})
		var x lookahead.Children
		list := func() {
			if err := p.List(&x, sim.State, sim.Belief, 1, rng); err != nil {
				t.Fatal(err)
			}
		}
		for range 100 { // the lists grow
			list()
		}
		if n := testing.AllocsPerRun(100, list); n > 0 {
			t.Errorf("%s: %v allocations", m.Spec().Name, n)
		}
	}
}
