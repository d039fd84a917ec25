package solvertest

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/solverkit"
)

// TestLargeBounds: the bounds of a model that is large enough to be solved on all
// processors are those of its equations, within their Error and on the right side, and the
// same for any number of workers.
func TestLargeBounds(t *testing.T) {
	for _, o := range []sparseOptions{
		{States: 8192, Latents: 4, Actions: 2, Discount: 0.9},
		{States: 16_384, Latents: 2, Actions: 2, Discount: 0.7, Ends: 0.05, Redrawn: true},
	} {
		m := sparseModel(o)
		list, err := dp.ListTransitions(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		const tol = 1e-3
		var b *dp.FiniteBounds
		for _, workers := range []int{1, 3} {
			again, err := list.Bounds(solverkit.WithControl(t.Context(), bcpace.Control{Workers: workers}), tol)
			if err != nil {
				t.Fatal(err)
			}
			if b != nil && !reflect.DeepEqual(b, again) {
				t.Errorf("%+v: other bounds with %d workers", o, workers)
			}
			b = again
		}
		if worst := max(b.Latent.Error, b.Blind.Error); worst > 1.01*tol {
			t.Errorf("%+v: error %v, want at most %v", o, worst, tol)
		}
		checkLarge(t, list, b)
		if t.Failed() {
			t.Fatalf("with %+v", o)
		}
	}
}

// checkLarge compares bounds with their own backups, for one row of eleven: a bound that is above its backup is
// an upper one, as the backups fall to the fixed point, and so on.
func checkLarge(t *testing.T, list *dp.Transitions, b *dp.FiniteBounds) {
	const slack = 1e-12
	out, best, mean := make([]float64, list.Latents), make([]float64, list.Latents), make([]float64, list.Latents)
	latentValue := func(s, φ int) float64 {
		top := math.Inf(-1)
		for _, q := range b.Latent.Table[(s*list.Latents+φ)*list.Actions:][:list.Actions] {
			top = max(top, q)
		}
		return top
	}
	u, w := make([]float64, list.Latents), make([]float64, list.Latents)
	for r := 0; r < list.States*list.Actions; r += 11 {
		s, a := r/list.Actions, r%list.Actions
		ahead := func(value func(state int) []float64) []float64 {
			copy(out, list.Reward(r))
			for e, end := list.Entries(r); e < end; e++ {
				if next, done := list.Next(e); !done {
					list.AddBackup(out, value(next), r, e)
				}
			}
			return out
		}
		for φ, q := range ahead(func(next int) []float64 { return b.Blind.Vector(next, a) }) {
			if v := b.Blind.Vector(s, a)[φ]; !(v <= q+slack && q <= v+b.Blind.Error) {
				t.Errorf("blind policy %d, state %d, latent %d: %v with the backup %v, error %v", a, s, φ, v, q, b.Blind.Error)
			}
		}
		for φ, q := range ahead(func(next int) []float64 {
			for φ := range best {
				best[φ] = latentValue(next, φ)
			}
			return best
		}) {
			if v := b.Latent.Table[(s*list.Latents+φ)*list.Actions+a]; !(math.Abs(v-q) <= 2*b.Latent.Error) {
				t.Errorf("Q(%d,%d,%d) = %v with the backup %v, error %v", s, φ, a, v, q, b.Latent.Error)
			}
		}
		// The informed backup takes the maximum for each φ and successor apart.
		copy(out, list.Reward(r))
		copy(mean, out)
		for e, end := list.Entries(r); e < end; e++ {
			next, done := list.Next(e)
			if done {
				continue
			}
			for φ := range out {
				top, low := math.Inf(-1), math.Inf(1)
				for a := range list.Actions {
					clear(u)
					clear(w)
					list.AddBackup(u, b.FIB.Vector(next, a), r, e)
					list.AddBackup(w, b.Worst.Vector(next, a), r, e)
					top, low = max(top, u[φ]), min(low, w[φ])
				}
				out[φ] += top
				mean[φ] += low
			}
		}
		for φ := range out {
			if f := b.FIB.Vector(s, a)[φ]; !(f >= out[φ]-slack && f <= out[φ]+b.FIB.Error) {
				t.Errorf("FIB(%d,%d)(%d) = %v with the backup %v, error %v", s, a, φ, f, out[φ], b.FIB.Error)
			}
			if w := b.Worst.Vector(s, a)[φ]; !(w <= mean[φ]+slack && w >= mean[φ]-b.Worst.Error) {
				t.Errorf("worst(%d,%d)(%d) = %v with the backup %v, error %v", s, a, φ, w, mean[φ], b.Worst.Error)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// BenchmarkLargeBounds is the set-up of a search: the bounds of 10⁵ states × 4 latents × 4
// actions, from their list.
func BenchmarkLargeBounds(b *testing.B) {
	for _, discount := range []float64{0.99, 0.999} {
		b.Run(fmt.Sprint(discount), func(b *testing.B) {
			m := sparseModel(sparseOptions{States: 100_000, Latents: 4, Actions: 4, Discount: discount, Ends: (1 - discount) / 10})
			for b.Loop() {
				t, err := dp.ListTransitions(context.Background(), m)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := t.Bounds(context.Background(), 1e-5); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
