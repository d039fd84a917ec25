package envs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/dp"
	"bayescpace/envs"
)

func ExampleBeacon() {
	m, err := envs.Beacon{Side: 32, Range: 6}.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(m.Spec().Latents), "cells where the beacon may be")
	// Output: 1024 cells where the beacon may be
}

// TestBeaconBeliefs compares beliefs over 1,024 cells with products of the probabilities of all
// signals since the start.
func TestBeaconBeliefs(t *testing.T) {
	const side, reach = 32, 6.0
	m := made(t, envs.Beacon{Side: side, Range: reach})
	sim, rng := bcpace.NewSimulator(m), rand.New(rand.NewPCG(1, 2))
	for range 20 {
		if err := sim.Reset(rng); err != nil {
			t.Fatal(err)
		}
		product := make([]float64, side*side)
		for cell := range product {
			product[cell] = 1
		}
		for step := 0; step < 60 && !sim.Done; step++ {
			action := rng.IntN(2)
			if step%10 == 9 {
				action = 4
			}
			if _, err := sim.Step(action, rng); err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for cell := range product {
				d := math.Hypot(sim.State[0]-float64(cell%side), sim.State[1]-float64(cell/side))
				p := math.Pow(2, -d/reach)
				switch {
				case sim.State[2] == 0 && action == 4:
					p = min(d, 1)
				case sim.State[2] == 0:
					p = 1 - p
				case sim.State[2] == 2:
					p = 1 - min(d, 1)
				}
				product[cell] *= p
				sum += product[cell]
			}
			for cell, p := range product {
				if math.Abs(sim.Belief[cell]-p/sum) > 1e-9 {
					t.Fatalf("step %d: cell %d has probability %v, want %v", step, cell, sim.Belief[cell], p/sum)
				}
			}
		}
	}
}

// TestBeaconSignals: the beacon is heard as often as its likelihood says, which is half of the
// time at its range.
func TestBeaconSignals(t *testing.T) {
	m := made(t, envs.Beacon{Side: 9, Range: 5})
	const draws = 20_000
	rng := rand.New(rand.NewPCG(1, 2))
	next := make([]float64, 3)
	for _, x := range []struct {
		s      []float64
		latent int
	}{{[]float64{0, 0, 0}, 0*9 + 6}, {[]float64{0, 0, 1}, 4*9 + 4}, {[]float64{3, 5, 0}, 8*9 + 8}, {[]float64{7, 2, 0}, 2*9 + 8}} {
		heard := 0.0
		for range draws {
			m.Step(next, x.s, x.latent, 1, rng)
			heard += next[2] / draws
		}
		next[2] = 1
		p := math.Exp(m.LogLikelihood(x.s, 1, next, x.latent))
		if d := math.Hypot(next[0]-float64(x.latent%9), next[1]-float64(x.latent/9)); d == 5 && math.Abs(p-0.5) > 1e-12 {
			t.Errorf("at its range the beacon is heard with probability %v", p)
		}
		// Hoeffding: wrong with probability 2·exp(−2·draws·0.02²) = 2·10⁻⁷.
		if math.Abs(heard-p) > 0.02 {
			t.Errorf("from %v the beacon in cell %d is heard with frequency %v, want %v", x.s, x.latent, heard, p)
		}
	}
}

// TestBeaconKnown: for one who knows the cell, the beacon is worth the shortest way.
func TestBeaconKnown(t *testing.T) {
	const side, γ = 6, 0.9
	m := made(t, envs.Beacon{Side: side, Discount: γ})
	q, err := dp.SolveLatent(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	for cell := range side * side {
		got := math.Inf(-1)
		for a := range m.Spec().Actions {
			got = max(got, q.Q([]float64{1, 2, 0}, cell, a))
		}
		steps := math.Abs(float64(cell%side-1)) + math.Abs(float64(cell/side-2))
		if want := 10 * math.Pow(γ, steps); math.Abs(got-want) > 1e-6 {
			t.Errorf("cell %d: value %v, want %v", cell, got, want)
		}
	}
}

// TestBeaconSmall: in a field of 2 × 2 cells whose beacon is heard in its own cell alone, the
// best way goes round and digs where it is heard, or in the last cell.
func TestBeaconSmall(t *testing.T) {
	const γ = 0.9
	m := made(t, envs.Beacon{Side: 2, Range: 0.1, Discount: γ})
	// Nothing was heard at the start. A cell 0.1 · 10 away is heard with probability 2⁻¹⁰.
	want := 10 * (γ + γ*γ + γ*γ*γ + γ*γ*γ*γ) / 4 // found in the 2nd, 3rd, 4th cell; back in the first
	found, err := sarsop.Solver{MaxTrials: 200}.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	if c := found.Certificate; c.Lower > want+0.02 || c.Upper < want-0.02 || c.Gap() > 0.05 {
		t.Errorf("value in [%v, %v], want %v within 0.02, as the beacon is hardly heard from elsewhere", c.Lower, c.Upper, want)
	}
}

// BenchmarkBeaconBelief updates a belief over 1,024 cells.
func BenchmarkBeaconBelief(b *testing.B) {
	m, err := envs.Beacon{Side: 32}.Model()
	if err != nil {
		b.Fatal(err)
	}
	e, belief := bcpace.NewBayes(m), bcpace.Uniform(32*32)
	next := make(bcpace.Belief, len(belief))
	for b.Loop() {
		if err := e.Update(next, belief, []float64{3, 3, 0}, 1, []float64{4, 3, 1}); err != nil {
			b.Fatal(err)
		}
	}
}
