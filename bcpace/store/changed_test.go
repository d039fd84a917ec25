package store

import (
	"math/rand/v2"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/runs"
)

// far is a model of which no probe meets the reward: the goal is 29 steps away.
func far(t *testing.T, goal float64) bcpace.Model {
	t.Helper()
	move := func(s []float64, action int) float64 { return min(max(s[0]+float64(2*action-1), 0), 29) }
	m, err := bcpace.FromFuncs(bcpace.Funcs{
		Spec: bcpace.Spec{Name: "far", Axes: []bcpace.Axis{{Name: "cell", Max: 29, Discrete: true}}, Actions: bcpace.Actions("back", "forth"),
			Latents: []string{"only"}, Discount: 0.98, RewardMin: -100, RewardMax: 100},
		Step: func(next, s []float64, _, action int, _ *rand.Rand) bcpace.Outcome {
			if next[0] = move(s, action); next[0] == 29 {
				return bcpace.Outcome{Reward: goal, Done: true}
			}
			return bcpace.Outcome{}
		},
		LogLikelihood: func([]float64, int, []float64, int) float64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMemoChanged: where a model has been changed behind what the key looks at, its
// runs and checkpoints make room.
//
//test:race
func TestMemoChanged(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := cpace.Solver{Epsilon: 1, LipQ: 20, K: 1, MaxEpisodes: 60, Horizon: 200, CertificateEpisodes: -1}
	values := map[float64]float64{}
	for _, goal := range []float64{100, -100} {
		want, err := runs.Explore(t.Context(), far(t, goal), o)
		if err != nil {
			t.Fatal(err)
		}
		begun(t, s, far(t, -goal), o, 5)
		r, origin, err := s.Memo(t.Context(), far(t, goal), o, bcpace.Control{})
		if err != nil || origin.Cached || origin.Damaged != nil || r.Value != want.Value {
			t.Errorf("goal %v: value %v, want %v; %+v, %v", goal, r.Value, want.Value, origin, err)
		}
		values[goal] = r.Value
		if r, origin, err = s.Memo(t.Context(), far(t, goal), o, bcpace.Control{}); err != nil || !origin.Cached || r.Value != want.Value {
			t.Errorf("goal %v again: value %v, %+v, %v", goal, r.Value, origin, err)
		}
	}
	a, _ := RunKey(far(t, 100), o)
	if b, _ := RunKey(far(t, -100), o); a != b || values[100] == values[-100] {
		t.Errorf("keys %s and %s, values %v: this tests nothing", a, b, values)
	}
}
