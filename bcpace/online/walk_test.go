package online_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/online"
	"bayescpace/envs"
)

// rows hides NextLatent.
type rows struct {
	bcpace.Model
	bcpace.LatentDynamics
}

// TestWalkLatent: a walk comes to the same latents where the model names them and where it
// gives rows of probabilities.
func TestWalkLatent(t *testing.T) {
	m, err := envs.RockSample{Size: 3, Rocks: 5}.Model()
	if err != nil {
		t.Fatal(err)
	}
	named, drawn := online.NewWalk(m), online.NewWalk(rows{m, m.(bcpace.LatentDynamics)})
	start := make([]float64, 3)
	m.Start(start, 0, nil)
	taken := 0
	for step := range uint64(3000) {
		if step == 0 || named.Done {
			named.Start(start, 0b11111)
			drawn.Start(start, 0b11111)
		}
		// A row takes a number to draw from, and what it draws is certain.
		r1, r2 := rand.New(rand.NewPCG(1, step)), rand.New(rand.NewPCG(1, step))
		action := r1.IntN(10)
		r2.IntN(10)
		x, y := named.Step(action, r1), drawn.Step(action, r2)
		if x != y || named.Latent != drawn.Latent || !slices.Equal(named.State, drawn.State) {
			t.Fatalf("step %d: reward %v and latent %d; from rows %v and %d", step, x, named.Latent, y, drawn.Latent)
		}
		if x == 10 && !named.Done {
			taken++
		}
	}
	if taken == 0 {
		t.Error("no rock was taken")
	}
}

// BenchmarkWalk takes a sample now and then, where there are 32,768 latents.
func BenchmarkWalk(b *testing.B) {
	m, err := envs.RockSample{Size: 15, Rocks: 15}.Model()
	if err != nil {
		b.Fatal(err)
	}
	w, rng, start := online.NewWalk(m), rand.New(rand.NewPCG(1, 2)), make([]float64, 3)
	m.Start(start, 0, nil)
	w.Start(start, 1<<15-1)
	b.ReportAllocs()
	for b.Loop() {
		if w.Step(rng.IntN(5), rng); w.Done {
			w.Start(start, 1<<15-1)
		}
	}
}
