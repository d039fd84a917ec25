package plannertest

import (
	"testing"

	"bayescpace/bcpace"
)

// Unknown is a finite model whose transitions an agent does not know.
type Unknown struct {
	bcpace.Finite
	Knows bcpace.TransitionPrior
}

// TransitionPrior implements bcpace.UnknownTransitions.
func (u Unknown) TransitionPrior() bcpace.TransitionPrior { return u.Knows }

// Paths returns a model of three states and two actions whose transitions are unknown, with a
// discount of 0.8: to stay where it pays most takes an action that first leads away from it.
func Paths(t testing.TB, knows bcpace.TransitionPrior) Unknown {
	t.Helper()
	m, err := bcpace.FromTables(bcpace.Tables{Name: "paths", Actions: []string{"a", "b"}, Discount: 0.8,
		P: [][][][]float64{{{{0.9, 0.1, 0}, {0.7, 0.1, 0.2}, {0, 0.3, 0.7}}, {{0.2, 0.8, 0}, {0.1, 0.1, 0.8}, {1, 0, 0}}}},
		R: [][][]float64{{{0.3, 0, 1}, {0, 0.1, 0.5}}}})
	if err != nil {
		t.Fatal(err)
	}
	return Unknown{m, knows}
}
