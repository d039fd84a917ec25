package plannertest

import (
	"errors"
	"testing"

	"bayescpace/bcpace"
)

// Refuses tests that each of the solvers, whose parameters cannot be used, has an InputError.
func Refuses[S bcpace.Solver](t *testing.T, m bcpace.Model, solvers []S) {
	t.Helper()
	for _, s := range solvers {
		if _, err := s.Solve(t.Context(), m, bcpace.Control{}); !errors.As(err, new(*bcpace.InputError)) {
			t.Errorf("%+v: error %v, want an InputError", s, err)
		}
	}
}

// LacksSupport tests that a solver has an UnsupportedError for each of the models.
func LacksSupport(t *testing.T, s bcpace.Solver, models ...bcpace.Model) {
	t.Helper()
	for _, m := range models {
		if _, err := s.Solve(t.Context(), m, bcpace.Control{}); !errors.As(err, new(*bcpace.UnsupportedError)) {
			t.Errorf("%s: error %v, want an UnsupportedError", m.Spec().Name, err)
		}
	}
}
