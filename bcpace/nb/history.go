package nb

import (
	"fmt"

	"bayescpace/bcpace"
	"bayescpace/bcpace/solverkit"
)

// Seen is a step of a history: an action by its name, and the state that
// followed.
type Seen struct {
	Action string
	Next   []float64
}

// History is a table of how the Bayes estimator's belief moves: from the prior
// in the given start state, one row for each step taken. An action that the
// model does not know, and a step that is impossible under every latent the
// belief allows, end the cell.
func History(m bcpace.Model, start []float64, steps ...Seen) Table {
	t, err := history(m, start, steps)
	Check(err)
	return t
}

func history(m bcpace.Model, start []float64, steps []Seen) (Table, error) {
	if err := bcpace.Validate(m); err != nil {
		return Table{}, err
	}
	spec := m.Spec()
	t := Table{Header: []string{"step", "action"}}
	for _, a := range spec.Axes {
		t.Header = append(t.Header, a.Name)
	}
	for _, l := range spec.Latents {
		t.Header = append(t.Header, "b("+l+")")
	}
	b := make(bcpace.Belief, len(spec.Latents))
	row := func(step int, action string, s []float64) {
		cells := []any{step, action}
		for i, a := range spec.Axes {
			cells = append(cells, axisValue(a, s[i]))
		}
		for _, p := range b {
			cells = append(cells, p)
		}
		t.Rows = append(t.Rows, cells)
	}
	bad := bcpace.In("history of model " + spec.Name).Bad
	if err := solverkit.NeedActionList(spec, "nb.History"); err != nil {
		return Table{}, err
	}
	long := fmt.Sprintf("a state of %d numbers, one for each axis", len(spec.Axes))
	if len(start) != len(spec.Axes) {
		return Table{}, bad("the start", start, long)
	}
	e := bcpace.NewBayes(m)
	if err := e.Start(b, start); err != nil {
		return Table{}, err
	}
	row(0, "", start)
	s := start
	for i, x := range steps {
		action := spec.ActionIndex(x.Action)
		switch {
		case action < 0:
			return Table{}, bad(fmt.Sprintf("the action of step %d", i+1), x.Action, "one of "+actionNames(spec))
		case len(x.Next) != len(spec.Axes):
			return Table{}, bad(fmt.Sprintf("the state after step %d", i+1), x.Next, long)
		}
		if err := e.Update(b, b, s, action, x.Next); err != nil {
			return Table{}, err
		}
		row(i+1, x.Action, x.Next)
		s = x.Next
	}
	return t, nil
}

// axisValue is the label of a value on an axis or, without one, the number.
func axisValue(a bcpace.Axis, x float64) any {
	if i := int(x - a.Min); i >= 0 && i < len(a.Labels) && float64(i) == x-a.Min {
		return a.Labels[i]
	}
	return x
}

// LatentTable is a table of the values Q(s, φ, a) of the latent MDPs: a row for
// each state of a finite model, a column for each latent and action. Q is NaN
// where a state has no value.
func LatentTable(m bcpace.Finite, q bcpace.LatentValues) Table {
	spec := m.Spec()
	t := Table{Title: "Q(s, φ, a)"}
	for _, a := range spec.Axes {
		t.Header = append(t.Header, a.Name)
	}
	for _, l := range spec.Latents {
		for _, a := range spec.Actions {
			t.Header = append(t.Header, l+": "+a.Name)
		}
	}
	for i := range m.NumStates() {
		s := make([]float64, len(spec.Axes))
		m.StateAt(s, i)
		var cells []any
		for j, a := range spec.Axes {
			cells = append(cells, axisValue(a, s[j]))
		}
		for l := range spec.Latents {
			for a := range spec.Actions {
				cells = append(cells, q.Q(s, l, a))
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}
