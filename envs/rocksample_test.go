package envs_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
	"bayescpace/bcpace/dp"
	"bayescpace/envs"
)

func ExampleRockSample() {
	m, err := envs.RockSample{Size: 7, Rocks: 8}.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := m.Spec()
	fmt.Println(len(spec.Latents), "sets of good rocks, such as", spec.Latents[0b1010])
	// Output: 256 sets of good rocks, such as good 2 4
}

// TestRockSampleValues brackets two values. That of (7, 8) is known to be from 21.70 to 23.98,
// by SARSOP on the original file.
func TestRockSampleValues(t *testing.T) {
	found, err := sarsop.Solver{MaxTrials: 30}.Solve(t.Context(), made(t, envs.RockSample{}), bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	if c := found.Certificate; c.Lower > 23.98 || c.Upper < 21.70 || c.Lower < 18 || c.Upper > 26 {
		t.Errorf("value of (7, 8) in [%v, %v], want one that overlaps [21.70, 23.98], and within [18, 26]", c.Lower, c.Upper)
	}
}

// TestRockSampleKnown compares the values that the model knows with those of value iteration.
func TestRockSampleKnown(t *testing.T) {
	for _, r := range []envs.RockSample{{Size: 3, Rocks: 4}, {Size: 5, Rocks: 5}} {
		m, _ := bcpace.AsFinite(made(t, r))
		own := m.(dp.LatentMaxima)
		want, err := dp.SolveFinite(t.Context(), m, 1e-9)
		if err != nil {
			t.Fatal(err)
		}
		s := make([]float64, len(m.Spec().Axes))
		for n := range m.NumStates() {
			m.StateAt(s, n)
			for φ := range m.Spec().Latents {
				most := math.Inf(-1)
				for a := range m.Spec().Actions {
					q := own.Q(s, φ, a)
					if most = max(most, q); math.Abs(q-want.Q(s, φ, a)) > 1e-6 {
						t.Fatalf("state %v, latent %d, action %d: %v, want %v", s, φ, a, q, want.Q(s, φ, a))
					}
				}
				if got := own.Max(s, φ); math.Abs(got-most) > 1e-9 {
					t.Fatalf("state %v, latent %d: the largest value is %v, want %v", s, φ, got, most)
				}
			}
		}
	}
}

// TestRockSampleNumbers expects every number to be that of its state.
func TestRockSampleNumbers(t *testing.T) {
	for _, r := range []envs.RockSample{{Size: 2, Rocks: 1}, {Size: 3, Rocks: 2}, {Size: 7, Rocks: 8}} {
		f, ok := bcpace.AsFinite(made(t, r))
		if !ok {
			t.Fatalf("the states of %+v are not numbered", r)
		}
		s := make([]float64, len(f.Spec().Axes))
		for n := range f.NumStates() {
			if f.StateAt(s, n); f.StateIndex(s) != n {
				t.Fatalf("%+v: state %d is %v, of which the number is %d", r, n, s, f.StateIndex(s))
			}
		}
	}
}

// TestRockSampleLarge plays models with thousands of latents, with exact beliefs: a check
// from a rock's own cell is certain of it, and the sample earns what it told.
func TestRockSampleLarge(t *testing.T) {
	for _, n := range []int{11, 15} {
		m := made(t, envs.RockSample{Size: n, Rocks: n})
		sim, rng := bcpace.NewSimulator(m), rand.New(rand.NewPCG(1, 2))
		if err := sim.Reset(rng); err != nil {
			t.Fatal(err)
		}
		// The first rock lies below the start, in the same column.
		const south, sample, check = 2, 4, 5
		actions := []int{south, south, check, sample, sample}
		if n == 15 {
			actions = append([]int{south}, actions...)
		}
		var told, rewards []float64
		for _, a := range actions {
			r, err := sim.Step(a, rng)
			if err != nil {
				t.Fatal(err)
			}
			told, rewards = append(told, sim.State[2]), append(rewards, r)
			good := 0.0
			for φ, p := range sim.Belief {
				good += p * float64(φ&1)
			}
			if a == check && math.Abs(good-(sim.State[2]-1)) > 1e-9 {
				t.Errorf("(%d, %d): rock 1 is good with probability %v after the reading %v in its cell", n, n, good, sim.State[2])
			}
		}
		k := len(actions)
		if want := 20*told[k-3] - 30; rewards[k-2] != want || rewards[k-1] != -10 {
			t.Errorf("(%d, %d): samples earn %v after the readings %v, want %v and −10", n, n, rewards[k-2:], told, want)
		}
	}
}

// rows hides NextLatent.
type rows struct {
	bcpace.Finite
	bcpace.LatentDynamics
}

// TestRockSampleBeliefs expects the same beliefs and latents where the latents that follow
// are named and where they are rows of probabilities.
func TestRockSampleBeliefs(t *testing.T) {
	f, _ := bcpace.AsFinite(made(t, envs.RockSample{Size: 3, Rocks: 5}))
	named, drawn := bcpace.NewSimulator(f), bcpace.NewSimulator(rows{f, f.(bcpace.LatentDynamics)})
	for step := range uint64(2000) {
		// A row takes a number to draw from, and what it draws is certain.
		r1, r2 := rand.New(rand.NewPCG(1, step)), rand.New(rand.NewPCG(1, step))
		if step == 0 || named.Done {
			if err := errors.Join(named.Reset(r1), drawn.Reset(r2)); err != nil {
				t.Fatal(err)
			}
		}
		action := int(step*step) % len(f.Spec().Actions)
		x, err1 := named.Step(action, r1)
		y, err2 := drawn.Step(action, r2)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if x != y || named.Latent != drawn.Latent || !slices.Equal(named.Belief, drawn.Belief) {
			t.Fatalf("step %d: reward %v, latent %d, belief %v; drawn from rows: %v, %d, %v", step, x, named.Latent, named.Belief, y, drawn.Latent, drawn.Belief)
		}
	}
}
