package bcpace_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/baseline/sarsop"
)

// TestNeedNumbered: an error about numbers of states says what would give the model some.
func TestNeedNumbered(t *testing.T) {
	funcs := func(axis bcpace.Axis) bcpace.Funcs {
		return bcpace.Funcs{
			Spec:          bcpace.Spec{Name: "walk", Axes: []bcpace.Axis{axis}, Actions: bcpace.Actions("go"), Latents: []string{"one", "two"}, Discount: 0.9, RewardMax: 1},
			Step:          func(next, _ []float64, _, _ int, _ *rand.Rand) bcpace.Outcome { next[0] = 1; return bcpace.Outcome{} },
			LogLikelihood: func([]float64, int, []float64, int) float64 { return 0 },
		}
	}
	listed := funcs(bcpace.Axis{Name: "x", Max: 2e6, Discrete: true})
	listed.Successors = func(z *bcpace.Successors, _ []float64, _ int) {
		s, p, _ := z.Add(false)
		s[0], p[0], p[1] = 1, 1, 1
	}
	for want, f := range map[string]bcpace.Funcs{
		`axis "x" is continuous: package certified`: funcs(bcpace.Axis{Name: "x", Max: 2}),
		"Successors would do":                       funcs(bcpace.Axis{Name: "x", Max: 2, Discrete: true}),
		"write NumStates, StateAt and StateIndex":   listed,
	} {
		m, err := bcpace.FromFuncs(f)
		if err != nil {
			t.Fatal(err)
		}
		_, err = sarsop.Solver{Epsilon: 1}.Solve(t.Context(), m, bcpace.Control{})
		var unsupported *bcpace.UnsupportedError
		if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an *UnsupportedError that says %q", err, want)
		}
	}
}
