package sparse_test

import (
	"math"
	"slices"
	"testing"

	"bayescpace/bcpace/internal/sparse"
	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

// TestVectors: vectors come back as they were given, and have one number if and only if their bits
// are the same.
func TestVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 3).Draw(t, "size")
		entry := rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, 0.5, math.Inf(1)})
		given := rapid.SliceOf(rapid.SliceOfN(entry, size, size)).Draw(t, "vectors")
		x := sparse.NewVectors(size)
		numbers := make([]int32, len(given))
		for i, v := range given {
			numbers[i] = x.Number(v)
		}
		x.Seal()
		distinct := 0
		for i, v := range given {
			bits := func(v []float64) (all []uint64) {
				for _, a := range v {
					all = append(all, math.Float64bits(a))
				}
				return all
			}
			if !slices.Equal(bits(x.At(numbers[i])), bits(v)) {
				t.Fatalf("vector %d is %v, want %v", i, x.At(numbers[i]), v)
			}
			first := slices.IndexFunc(given, func(w []float64) bool { return slices.Equal(bits(w), bits(v)) })
			if first == i {
				distinct++
			}
			if numbers[i] != numbers[first] {
				t.Fatalf("vectors %d and %d are equal, and have the numbers %d and %d", first, i, numbers[first], numbers[i])
			}
		}
		if x.Bytes() != 8*size*distinct {
			t.Fatalf("%d bytes of %d vectors", x.Bytes(), distinct)
		}
	})
}

// TestRows: rows come back as they were given, and have one number if and only if they are equal.
func TestRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.SliceOf(rapid.SliceOfN(rapid.Int32Range(0, 2), 0, 3)).Draw(t, "rows")
		x := sparse.NewRows()
		numbers := make([]int32, len(given))
		for i, row := range given {
			for _, k := range row {
				x.Add(k, 7*k)
			}
			numbers[i] = x.EndRow()
		}
		for i, row := range given {
			next, kind := x.Row(numbers[i])
			if !slices.Equal(next, row) {
				t.Fatalf("row %d is %v, want %v", i, next, row)
			}
			for e, k := range row {
				if kind[e] != 7*k {
					t.Fatalf("row %d has kinds %v, want 7 times %v", i, kind, row)
				}
			}
			if first := slices.IndexFunc(given, func(other []int32) bool { return slices.Equal(other, row) }); numbers[i] != numbers[first] {
				t.Fatalf("rows %d and %d are equal, and have the numbers %d and %d", first, i, numbers[first], numbers[i])
			}
		}
	})
}

// TestDraws: an entry is drawn by adding up as by a search in the sums, whatever the length of the
// row.
func TestDraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const latents = 2
		entries := rapid.IntRange(1, 70).Draw(t, "entries")
		weights := rapid.SliceOfN(rapid.IntRange(0, 2), entries*latents, entries*latents).Draw(t, "weights")
		prob := make([]float64, len(weights))
		for φ := range latents {
			weights[rapid.IntRange(0, entries-1).Draw(t, "certain")*latents+φ] = 1
			total := 0
			for i := φ; i < len(weights); i += latents {
				total += weights[i]
			}
			for i := φ; i < len(weights); i += latents {
				prob[i] = float64(weights[i]) / float64(total)
			}
		}
		vectors, rows := sparse.NewVectors(latents), sparse.NewRows()
		for e := range entries {
			rows.Add(int32(e), vectors.Number(prob[e*latents:(e+1)*latents]))
		}
		r := rows.EndRow()
		draws, sums := sparse.NewDraws(rows, vectors, latents), sparse.Sums(prob, latents)
		for φ := range latents {
			u := rapid.OneOf(envtest.Evenly(0, 1), rapid.Just(1-0x1p-53), rapid.Just(0.0)).Filter(func(u float64) bool { return u < 1 }).Draw(t, "u")
			got, want := draws.Draw(r, φ, u), sparse.Draw(sums, latents, φ, u)
			if got != want || prob[got*latents+φ] == 0 {
				t.Fatalf("%v draws entry %d with probability %v, want entry %d", u, got, prob[got*latents+φ], want)
			}
		}
	})
}
