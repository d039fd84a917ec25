package pointbased

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/internal/pomdptest"
)

// watchedPerseus checks that a stage raises what it says.
type watchedPerseus struct {
	perseus
	t      *testing.T
	stages *int
}

// Stage implements Algorithm.
func (w *watchedPerseus) Stage(ctx context.Context, s *Stages) float64 {
	values := func() (list []float64) {
		for _, n := range s.Members {
			k := Best{Lower: math.Inf(-1)} // by the vectors as they are
			s.RaiseAt(&k, n.X, n.Belief)
			list = append(list, k.Lower)
		}
		return list
	}
	for i, n := range s.Members {
		for _, other := range s.Members[:i] {
			if n.X == other.X && n.Near(other.Belief) {
				w.t.Errorf("belief %d is there already", i)
			}
		}
	}
	before := values()
	rise := w.perseus.Stage(ctx, s)
	most := 0.0
	for i, v := range values() {
		if v < before[i]-1e-12 {
			w.t.Errorf("belief %d falls from %v to %v", i, before[i], v)
		}
		most = max(most, v-before[i])
	}
	if rise > most+1e-12 {
		w.t.Errorf("a rise of %v, want at most %v", rise, most)
	}
	if rise <= s.Tolerance {
		_, raises := s.Backups(ctx, s.Members)
		if i := slices.Index(raises, true); i >= 0 {
			w.t.Errorf("after a last stage, a backup raises belief %d", i)
		}
	}
	*w.stages++
	return rise
}

// TestStage: no stage lowers the value of a belief, and the last one leaves none that a
// backup raises.
func TestStage(t *testing.T) {
	stages := 0
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 35))
		m := pomdptest.Random(rng, 1+rng.IntN(3), 1+rng.IntN(5), .8)
		by := func() Algorithm { return &watchedPerseus{t: t, stages: &stages} }
		if _, err := Run(Perseus{}, "Perseus", Options{Epsilon: 1e-3, Beliefs: 40, Seed: seed}, by)(t.Context(), m, bcpace.Control{}); err != nil {
			t.Fatal(err)
		}
	}
	if stages < 100 {
		t.Errorf("%d stages, want 100", stages)
	}
}
