package tabular

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayescpace/bcpace"
)

// Revised at all states, the values are those of the mean MDP after the new observations, as value
// iteration from nothing has them. The values before stay as they were.
func TestRevisionIsTheMeanMDPOfMoreObservations(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, prior := range []bcpace.TransitionPrior{{}, {Sparse: true}} {
		for range 20 {
			x := newRows(t, newRing(t, 6, prior))
			values := NewIteration(x, 1e-9)
			if err := values.Run(t.Context(), x.Backup, 10_000); err != nil {
				t.Fatal(err)
			}
			before := slices.Clone(values.V)
			for range 10 {
				if err := x.Observe(rng.IntN(6), rng.IntN(2), rng.IntN(6)); err != nil {
					t.Fatal(err)
				}
			}
			var r Revision
			r.Begin(values)
			r.Run(rng.Perm(6), x.Backup, 10_000, 1e-11)
			if !slices.Equal(values.V, before) {
				t.Fatalf("prior %+v: values %v became %v", prior, before, values.V)
			}
			want := NewIteration(x, 1e-9)
			if err := want.Run(t.Context(), x.Backup, 10_000); err != nil {
				t.Fatal(err)
			}
			for s, v := range r.V {
				if math.Abs(v-want.V[s]) > 1e-8 {
					t.Fatalf("prior %+v: state %d has value %v, want %v", prior, s, v, want.V[s])
				}
			}
			if r.Undo(rng.Perm(6)); !slices.Equal(r.V, before) {
				t.Fatalf("prior %+v: undone, the values are %v, want %v", prior, r.V, before)
			}
		}
	}
}

// A state and action was tried from its first observation on, until that is undone.
func TestTried(t *testing.T) {
	x := newRows(t, newRing(t, 4, bcpace.TransitionPrior{}))
	for _, tried := range []bool{false, true, false} {
		if x.Tried(1, 1) != tried || x.Tried(1, 0) || x.Tried(0, 1) {
			t.Errorf("tried %v, %v and %v, want %v and no other", x.Tried(1, 1), x.Tried(1, 0), x.Tried(0, 1), tried)
		}
		if x.Undo(0); !tried {
			if err := x.Observe(1, 1, 2); err != nil {
				t.Fatal(err)
			}
		}
	}
}
