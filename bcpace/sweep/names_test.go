package sweep

import "testing"

// A curve's label names its parameters as a reader knows them.
func TestShort(t *testing.T) {
	for key, want := range map[string]string{
		"params.lipschitz": "L_Q", "cover.epsilon": "ε", "params.k": "k", "set.slips": "slips",
		"params.control-points": "control points", "set.discount": "γ", "env": "env",
	} {
		if got := short(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}
