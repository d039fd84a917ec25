package bcpace

import (
	"fmt"
	"strconv"
)

// NeedNumbered says that an algorithm needs numbered states, and how m would have them, for
// UnsupportedError.Need.
func NeedNumbered(m Model) string {
	const need = "numbered states with exact successors (Finite)"
	spec := m.Spec()
	if spec.HasBox() {
		return needList
	}
	for _, a := range spec.Axes {
		if !a.Discrete && a.Labels == nil {
			return fmt.Sprintf("%s, and axis %s is continuous: package certified takes a model with Successors as it is, and cpace.Solver any model", need, strconv.Quote(a.Name))
		}
	}
	if _, listed := m.(Enumerator); !listed {
		return need + ": as all axes are discrete, Successors would do, in Funcs beside Step or by FromOutcomes"
	}
	return need + ": as all axes are discrete, FromFuncs numbers up to a million combinations of their values; otherwise write NumStates, StateAt and StateIndex"
}
