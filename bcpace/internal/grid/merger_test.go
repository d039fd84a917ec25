package grid

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
)

// TestRows: rows of a point that tell the same are one, whatever their order, and no others are: the
// rows are those of a comparison of each with each.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	x := NewMerger()
	for range 30 {
		latents, kinds := 1+rng.IntN(4), 1+rng.IntN(40)
		told := make([][]float64, kinds)
		for i := range told {
			told[i] = make([]float64, latents)
			for φ := range latents {
				told[i][φ] = float64(rng.IntN(4)) / 3 // simple ratios, some of which are the same
			}
			told[i][rng.IntN(latents)] = 1
		}
		type row struct {
			point int
			done  bool
			p     []float64
			worth float64 // Σ p·r
		}
		var want []row
		z := bcpace.Successors{}
		z.Reset(1, latents)
		x.Reset()
		for range 300 {
			p, r, scale, point, done := make([]float64, latents), make([]float64, latents), rng.Float64(), rng.IntN(5)-1, rng.IntN(10) == 0
			for φ, q := range told[rng.IntN(kinds)] {
				p[φ], r[φ] = scale*q, rng.Float64()
			}
			if done {
				point = 0
				x.End(&z, p, r)
			} else {
				x.Merge(&z, int32(point), Told(p), 1, p, r)
			}
			at := -1
			for i, w := range want {
				if w.point == point && w.done == done && (done || proportional(p, w.p)) {
					at = i
					break
				}
			}
			if at < 0 {
				at = len(want)
				want = append(want, row{point, done, make([]float64, latents), 0})
			}
			for φ := range p {
				want[at].p[φ] += p[φ]
				want[at].worth += p[φ] * r[φ]
			}
		}
		if z.Len() != len(want) {
			t.Fatalf("%d rows, want %d", z.Len(), len(want))
		}
		for i, w := range want {
			at, p, r := z.Row(i)
			worth, off := 0.0, 0.0
			for φ := range p {
				worth += p[φ] * r[φ]
				off = max(off, math.Abs(p[φ]-w.p[φ]))
			}
			if int(at[0]) != w.point || z.Done[i] != w.done || off > 1e-12*300 || math.Abs(worth-w.worth) > 1e-9 {
				t.Errorf("row %d is at %v, ended %v, %v worth %v, want %+v", i, at, z.Done[i], p, worth, w)
			}
		}
	}
}

// TestManyRows: a row is found again, also where it came to a list that grew with it and shares its hash.
func TestManyRows(t *testing.T) {
	const points = 10_000
	x, z := NewMerger(), bcpace.Successors{}
	z.Reset(1, 2)
	p, r := []float64{1, 1}, []float64{0, 0}
	for range 2 {
		for point := range int32(points) {
			x.Merge(&z, point, Told(p), 0.5, p, r)
		}
	}
	if z.Len() != points {
		t.Errorf("%d rows, want %d", z.Len(), points)
	}
}
