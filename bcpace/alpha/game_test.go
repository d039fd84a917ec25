package alpha_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"bayescpace/bcpace/alpha"
)

// Lattice vectors of two latents, where the surface is exact: it stays as it is,
// and each vector that is left is alone the best somewhere, which between two
// latents must happen at an end, or half-way between two corners of the surface.
func TestPruneDominatedOfTwoLatents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := alpha.NewSet(2)
		for i, v := range rapid.SliceOfN(vectors(2), 1, 25).Draw(t, "vectors") {
			s.Add(v, i)
		}
		before := s.Clone()
		s.PruneDominated(1e-12)
		// Two lines cross at p = k/d with whole d ≤ 16, so between two corners
		// there is a multiple of 1/1024.
		best := make(map[int]bool)
		for k := range 1025 {
			p := float64(k) / 1024
			b := []float64{p, 1 - p}
			i, value := s.Best(b)
			if want := before.Value(b); value != want {
				t.Fatalf("surface at %v falls from %v to %v", b, want, value)
			}
			alone := true
			for j := range s.Len() {
				alone = alone && (j == i || alpha.Dot(b, s.Vector(j)) < value)
			}
			if alone {
				best[i] = true
			}
		}
		if len(best) != s.Len() {
			t.Fatalf("%d vectors are left, %d of them are best somewhere", s.Len(), len(best))
		}
	})
}

// Tangents of a convex surface all stay; mixtures of them, nudged by less than
// tol or not at all, all go.
func TestPruneDominatedIsSafeUnderNearDuplicates(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 2))
		dim, n := 2+rng.IntN(6), 3+rng.IntN(20)
		tangents, points := random(dim, n)
		s := tangents.Clone()
		const tol = 1e-9
		for range 2 * n {
			i, j, w := rng.IntN(n), rng.IntN(n), rng.Float64()
			v := make([]float64, dim)
			for l := range v {
				v[l] = w*tangents.Vector(i)[l] + (1-w)*tangents.Vector(j)[l] + 1e-11*(rng.Float64()-0.5)
			}
			s.Add(v, n)
		}
		all := s.Clone()
		removed := s.PruneDominated(tol)
		if s.Len() != n {
			t.Errorf("seed %d: %d vectors are left of %d, want %d", seed, s.Len(), all.Len(), n)
		}
		for ; len(points) > 0; points = points[dim:] {
			b := points[:dim]
			if fall := all.Value(b) - s.Value(b); fall > float64(removed)*tol || fall < 0 && math.Abs(fall) > 1e-15 {
				t.Errorf("seed %d: the surface falls by %v at %v", seed, fall, b)
			}
		}
	}
}

func BenchmarkPruneDominated(b *testing.B) {
	s, _ := random(6, 100)
	for b.Loop() {
		s.Clone().PruneDominated(1e-12)
	}
}

// Half-way between two vectors, a third one rises h above the middle of their line: it
// goes where that is within tol, and stays where it is not.
func TestPruneDominatedTolerance(t *testing.T) {
	const tol = 1e-6
	for _, c := range []struct {
		h    float64
		left int
	}{{-1e-6, 2}, {0, 2}, {0.99e-6, 2}, {1.01e-6, 3}, {1e-5, 3}} {
		s := alpha.NewSet(2)
		s.Add([]float64{1, 0}, 0)
		s.Add([]float64{0, 1}, 1)
		s.Add([]float64{0.5 + c.h, 0.5 + c.h}, 2)
		if removed := s.PruneDominated(tol); s.Len() != c.left || removed != 3-c.left {
			t.Errorf("h = %v: %d removed, %d left, want %d left", c.h, removed, s.Len(), c.left)
		}
	}
}
