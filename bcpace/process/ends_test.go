package process_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/policysearch"
	"bayescpace/bcpace/check"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/estimated"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/online/pomcpow"
	"bayescpace/bcpace/process"
)

// mine is a simulator whose episodes end by the latent.
func mine(t *testing.T, args ...string) *process.Model {
	t.Helper()
	return begin(t, process.Program{Command: append([]string{python(t), "testdata/mine.py"}, args...), Processes: 1})
}

// TestHiddenEnds: a simulator whose end tells of the latent what the state does not is refused by whoever takes it, also one without
// likelihoods, and beside a horizon.
func TestHiddenEnds(t *testing.T) {
	m, drawn := mine(t), mine(t, "drawn")
	for name, try := range map[string]func() error{
		"check":         func() error { return check.Model(m, check.Options{Draws: 40}) },
		"check, drawn":  func() error { return check.Model(drawn, check.Options{Draws: 40}) },
		"a horizon":     func() error { return bcpace.Validate(bcpace.KeepHorizon(m)) },
		"estimated":     func() error { _, err := estimated.Likelihoods(drawn, estimated.Options{Draws: 10}); return err },
		"policy search": func() error { _, err := policysearch.Solver{}.Solve(t.Context(), m, bcpace.Control{}); return err },
		"bayes-cpace":   func() error { _, err := cpace.Solver{Epsilon: 1}.Solve(t.Context(), m, bcpace.Control{}); return err },
		"pomcpow":       func() error { _, err := pomcpow.Solver{}.Solve(t.Context(), m, bcpace.Control{}); return err },
		"episodes": func() error {
			_, err := eval.Rollouts(t.Context(), m, bcpace.RandomPolicy(m), eval.Options{Episodes: 1})
			return err
		},
	} {
		fault := (*bcpace.ConformanceError)(nil)
		if err := try(); !errors.As(err, &fault) || !strings.Contains(fault.What, `{"name":"ended"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestShownEnds: where an axis shows the end, the check finds nothing, an agent that goes on knows where the mine is, and a planner earns
// what it is worth: half of −3 and half of −1 + 0.9·4.
//
//test:race
func TestShownEnds(t *testing.T) {
	m := mine(t, "shown")
	if err := check.Model(m, check.Options{Draws: 40, Episodes: 5, Transitions: 20}); err != nil {
		t.Error(err)
	}
	b := bcpace.Belief{0.5, 0.5}
	if err := bcpace.NewBayes(m).Update(b, b, []float64{2, 0}, 0, []float64{1, 0}); err != nil || b[1] != 1 {
		t.Errorf("the belief after a step to the left is %v, error %v", b, err)
	}
	s := pomcpow.Solver{Budget: bcpace.Budget{Simulations: 120, Depth: 3}}
	found, err := s.Solve(t.Context(), m, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Rollouts(t.Context(), m, found.Policy, eval.Options{Episodes: 100, Horizon: 3, Workers: 8})
	if err != nil || math.Abs(r.Mean+0.2) > 5*r.StdErr {
		t.Errorf("pomcpow earns %v ± %v, want −0.2; error %v", r.Mean, r.StdErr, err)
	}
}
