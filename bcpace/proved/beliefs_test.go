package proved

import (
	"math"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs/envtest"

	"pgregory.net/rapid"
)

// Beliefs are numbered once, each is its own corner, and any belief is the mean of the corners
// around it, which are close to it.
func TestBeliefs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, parts := rapid.IntRange(1, 5).Draw(t, "latents"), rapid.IntRange(1, 7).Draw(t, "parts")
		x := newBeliefs(n, parts)
		list, at := x.list(), x.between()
		for i, b := range list {
			if b == nil {
				t.Fatalf("belief %d of %d is missing", i, len(list))
			}
			if x.corners(at, b, 1); len(at.numbers) == 0 || math.Abs(weightOf(at, i)-1) > 1e-9 {
				t.Fatalf("belief %d, %v, lies between %v with %v", i, b, at.numbers, at.weights)
			}
		}
		w := make([]float64, n)
		total := 0.0
		for i := range w {
			w[i] = envtest.Evenly(0, 3).Draw(t, "w")
			total += w[i]
		}
		if total == 0 {
			return
		}
		x.corners(at, w, total)
		mean, sum := make(bcpace.Belief, n), 0.0
		for k, number := range at.numbers {
			sum += at.weights[k]
			for i := range mean {
				mean[i] += at.weights[k] * list[number][i]
				if far := math.Abs(list[number][i] - w[i]/total); far > 1/float64(parts)+1e-9 {
					t.Fatalf("corner %v of %v with %d parts", list[number], w, parts)
				}
			}
		}
		for i := range mean {
			if math.Abs(mean[i]-w[i]/total) > 1e-9 || math.Abs(sum-1) > 1e-12 {
				t.Fatalf("the corners of %v have the mean %v and the weight %v", w, mean, sum)
			}
		}
	})
}

func weightOf(b *between, number int) (w float64) {
	for k, n := range b.numbers {
		if int(n) == number {
			w += b.weights[k]
		}
	}
	return w
}
