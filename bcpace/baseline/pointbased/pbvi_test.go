package pointbased

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/pomdptest"
	"bayescpace/bcpace/pomdp"
)

// watchedPBVI checks how the set of beliefs grows.
type watchedPBVI struct {
	pbvi
	t     *testing.T
	model *pomdp.Model
	grown *int
}

// Grow implements Algorithm.
func (w watchedPBVI) Grow(ctx context.Context, s *Stages) bool {
	before := len(s.Members)
	grows := w.pbvi.Grow(ctx, s)
	if n := len(s.Members); n > 2*before || n > s.Most || grows != (n > before) {
		w.t.Errorf("from %d beliefs to %d, at most %d: %v", before, n, s.Most, grows)
	}
	for i, n := range s.Members {
		for _, other := range s.Members[:i] {
			if n.X == other.X && apart(w.full(n), w.full(other)) <= same {
				w.t.Errorf("belief %d is there already", i)
			}
		}
		if i >= before && !w.follows(s.Members[:before], n) {
			w.t.Errorf("belief %d follows none of those before", i)
		}
	}
	*w.grown += len(s.Members) - before
	return grows
}

// full returns a belief by y.
func (w watchedPBVI) full(n *StagePoint) []float64 {
	b := make([]float64, w.model.NumHidden())
	for i, p := range n.P {
		if n.At != nil {
			b[n.At[i]] = p
		} else {
			b[i] = p
		}
	}
	return b
}

// follows reports whether n may follow one of from.
func (w watchedPBVI) follows(from []*StagePoint, n *StagePoint) bool {
	next := make([]float64, w.model.NumHidden())
	for _, k := range from {
		for a := range w.model.Actions {
			for o := range w.model.Observations {
				if w.model.Update(next, w.full(k), int(k.X), a, int(n.X), o) > 0 && apart(next, w.full(n)) < same {
					return true
				}
			}
		}
	}
	return false
}

// apart returns Σ |a − b|.
func apart(a, b []float64) (sum float64) {
	for y, p := range a {
		sum += math.Abs(p - b[y])
	}
	return sum
}

// TestGrow: the set doubles at most, by new beliefs that follow those in it.
func TestGrow(t *testing.T) {
	grown := 0
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 34))
		m := pomdptest.Random(rng, 1+rng.IntN(3), 1+rng.IntN(5), .8)
		by := func() Algorithm { return watchedPBVI{t: t, model: m, grown: &grown} }
		if _, err := Run(PBVI{}, "PBVI", Options{Epsilon: .01, Beliefs: 30, Seed: seed}, by)(t.Context(), m, bcpace.Control{}); err != nil {
			t.Fatal(err)
		}
	}
	if grown < 300 {
		t.Errorf("%d beliefs joined, want 300", grown)
	}
}
