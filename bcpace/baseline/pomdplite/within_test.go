package pomdplite_test

import (
	"context"
	"errors"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/eval"
	"bayescpace/envs"
)

// endedAt is a context that has ended from the n-th look on.
type endedAt struct {
	context.Context
	left int
}

func (c *endedAt) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestWithin: a plan that the context ends is neither followed nor remembered, and an
// evaluation or rollouts under that context end with its error.
//
//test:race
func TestWithin(t *testing.T) {
	m := envs.Chain{}
	p := planned(t, m, 1)
	for n := range 6 {
		if _, err := eval.Evaluate(&endedAt{t.Context(), n}, m, p, eval.ExactOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("evaluation ended at look %d: error %v", n, err)
		}
		r, err := eval.Rollouts(&endedAt{t.Context(), n}, m, p, eval.Options{Episodes: 2, Workers: 1})
		if !errors.Is(err, context.Canceled) || r.Episodes != 0 {
			t.Errorf("rollouts ended at look %d: %d episodes, error %v", n, r.Episodes, err)
		}
	}
	other := planned(t, m, 1)
	s, b := make([]float64, 1), make(bcpace.Belief, len(m.Spec().Latents))
	m.Prior(b)
	for n := range m.NumStates() {
		m.StateAt(s, n)
		if got, want := p.Act(s, b, nil), other.Act(s, b, nil); got != want {
			t.Errorf("state %d: action %d after the interrupts, want %d", n, got, want)
		}
	}
}
