package solvertest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/internal/randmodel"
	"bayescpace/bcpace/solverkit"
)

// TestLargeMerged: in a large model, states that differ in the last reading alone have the same
// values, to the last bit, and these are those of the model without readings.
func TestLargeMerged(t *testing.T) {
	plain := sparseModel(sparseOptions{States: 8192, Latents: 4, Actions: 2, Discount: 0.9, Ends: 0.05})
	read := randmodel.AddReadings(plain, 3, rand.New(rand.NewPCG(5, 6)))
	want, err := dp.SolveFinite(t.Context(), plain, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	got, err := dp.SolveFinite(t.Context(), read, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	latents, actions := len(plain.Spec().Latents), len(plain.Spec().Actions)
	if n := read.NumStates() * latents * actions; len(got.Table) != n {
		t.Fatalf("%d values, want %d", len(got.Table), n)
	}
	s := make([]float64, len(read.Spec().Axes))
	for k := range plain.NumStates() {
		plain.StateAt(s[:len(s)-1], k)
		for φ := range latents {
			for a := range actions {
				s[len(s)-1] = 0
				first, other := got.Q(s, φ, a), want.Q(s[:len(s)-1], φ, a)
				if !(math.Abs(first-other) <= got.Error+want.Error) {
					t.Fatalf("Q(%v, %d, %d) is %v, want %v", s, φ, a, first, other)
				}
				for s[len(s)-1] = 1; s[len(s)-1] < 3; s[len(s)-1]++ {
					if q := got.Q(s, φ, a); q != first {
						t.Fatalf("Q(%v, %d, %d) is %v, and %v after the first reading", s, φ, a, q, first)
					}
				}
			}
		}
	}
}

// TestListedSideBySide: any number of goroutines lists the same tables, and the list ends with its
// context.
//
//test:race
func TestListedSideBySide(t *testing.T) {
	models := uint64(12)
	if testing.Short() {
		models = 3
	}
	for seed := range models {
		m := randmodel.New(rand.New(rand.NewPCG(seed, 3)), randmodel.Options{States: 400, Kind: bcpace.LatentKind(seed % 3)})
		var want *dp.Transitions
		for _, workers := range []int{1, 2, 8} {
			got, err := dp.ListTransitions(solverkit.WithControl(t.Context(), bcpace.Control{Workers: workers}), m)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: other tables with %d workers", seed, workers)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := dp.ListTransitions(ctx, m); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want that of the context", err)
		}
	}
}

// BenchmarkListTransitions lists 65,536 rows with three successors and 4 latents each.
func BenchmarkListTransitions(b *testing.B) {
	m := sparseModel(sparseOptions{States: 32_768, Latents: 4, Actions: 2, Discount: 0.9})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := dp.ListTransitions(b.Context(), m); err != nil {
			b.Fatal(err)
		}
	}
}
