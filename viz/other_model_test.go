package viz

import (
	"strings"
	"testing"

	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// A trajectory has no name of its model: what is done in it, and where, gives another one away.
func TestEpisodeOfAnotherModel(t *testing.T) {
	episode := func(state float64, action int) *eval.Trajectory {
		return &eval.Trajectory{States: []float64{state, state}, Beliefs: []float64{0.5, 0.5, 0.5, 0.5}, Latents: []int{0, 0}, Actions: []int{action}, Rewards: []float64{0}}
	}
	for name, c := range map[string]struct {
		t    *eval.Trajectory
		want string
	}{
		"action": {episode(0, 3), "takes action 3 at step 0, want an id from 0 to 2"},
		"state":  {episode(9, 0), "has a state 0 whose entry"},
	} {
		if _, err := (Episode{Model: envs.Tiger{}, Trajectory: c.t}).Figure(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, c.want)
		}
	}
}
