package bcpace_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs"
)

// TestLenient plays chains whose slips the agent's model rules out: one that never slips and one
// that always does, in a world that does either.
func TestLenient(t *testing.T) {
	m, world := envs.Chain{Slips: []float64{0, 1}, SlipPrior: []float64{0.3, 0.7}}, envs.Chain{Slips: []float64{0.5}}
	for _, lenient := range []bool{false, true} {
		sim := bcpace.NewSimulator(m)
		err := sim.Enter(world)
		if err != nil {
			t.Fatal(err)
		}
		sim.Lenient = lenient
		rng := rand.New(rand.NewPCG(1, 2))
		if err := sim.Reset(rng); err != nil {
			t.Fatal(err)
		}
		changes, last := 0, -1
		for range 50 {
			if _, err = sim.Step(0, rng); err != nil {
				break
			}
			slipped := 0
			if sim.State[0] == 1 {
				slipped = 1
			}
			// The belief is that of the last step alone: certain, as the prior allows it.
			if sim.Belief[slipped] != 1 {
				t.Fatalf("belief %v after a step that slips is %d", sim.Belief, slipped)
			}
			if last >= 0 && slipped != last {
				changes++
			}
			last = slipped
		}
		var impossible *bcpace.ImpossibleObservationError
		if lenient != (err == nil) || !lenient && !errors.As(err, &impossible) {
			t.Fatalf("lenient %v: %v", lenient, err)
		}
		if lenient && (sim.Surprises != changes || changes == 0) {
			t.Errorf("%d surprises, want %d", sim.Surprises, changes)
		}
		if err := sim.Reset(rng); err != nil || sim.Surprises != 0 {
			t.Errorf("%d surprises of a new episode, %v", sim.Surprises, err)
		}
	}
	// Where the prior itself rules the step out, it stays.
	sim := bcpace.NewSimulator(envs.Chain{Slips: []float64{0, 0.5}, SlipPrior: []float64{1, 0}})
	if err := sim.Enter(envs.Chain{Slips: []float64{1}}); err != nil {
		t.Fatal(err)
	}
	sim.Lenient = true
	rng := rand.New(rand.NewPCG(1, 2))
	if err := sim.Reset(rng); err != nil {
		t.Fatal(err)
	}
	if _, err := sim.Step(0, rng); err != nil || sim.Belief[0] != 1 || sim.Surprises != 1 {
		t.Errorf("belief %v, %d surprises, %v", sim.Belief, sim.Surprises, err)
	}
}
