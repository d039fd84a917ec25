package act_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/act"
	"bayescpace/bcpace/hidden"
	"bayescpace/envs"
)

// TestVectors: an agent of a hidden vector says what it believes, ends at the horizon, and takes no step before an episode.
func TestVectors(t *testing.T) {
	m := nothing(envs.NewHidden("light-dark-1d", nil))
	short := *m
	short.Spec.Horizon = 2
	agent := nothing(act.NewVectors(&short, hidden.RandomPolicy(m), nil, 1))
	for what, err := range map[string]error{
		"no policy":   second(act.NewVectors(m, nil, nil, 1)),
		"no model":    second(act.NewVectors(nil, hidden.RandomPolicy(m), nil, 1)),
		"not begun":   second(agent.Observe(t.Context(), 0, 0, []float64{0})),
		"not a state": second(agent.Begin(t.Context(), nil)),
	} {
		if !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%s: %v, want an InputError", what, err)
		}
	}
	for range 2 {
		first := nothing(agent.Begin(t.Context(), []float64{0}))
		next := nothing(agent.Observe(t.Context(), first.ID, -1, []float64{3}))
		if len(first.Mean) != 1 || slices.Equal(first.Variance, next.Variance) || next.Over || next.Name == "" {
			t.Errorf("%+v, then %+v", first, next)
		}
		if last := nothing(agent.Observe(t.Context(), next.ID, -1, []float64{3})); !last.Over || last.Action != -1 {
			t.Errorf("at the horizon: %+v", last)
		}
	}
	var out strings.Builder
	if err := agent.Serve(t.Context(), strings.NewReader(`{"ask": "hello"}`), &out); err != nil || !strings.Contains(out.String(), `"latents":["y"]`) {
		t.Errorf("%s, %v", out.String(), err)
	}
}
