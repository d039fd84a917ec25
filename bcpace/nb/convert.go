package nb

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"bayescpace/bcpace"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/eval"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/runs"
)

// frame is the part of a gota DataFrame that can be named without importing
// gota, which a cell that shows no frame should not have to link.
type frame interface {
	Dims() (rows, cols int)
	Names() []string
	Records() [][]string
}

// element is the part of a gota series.Element that gives exact values:
// DataFrame.Records writes floats with six decimals and loses small ones.
type element interface {
	Float() float64
	Int() (int, error)
	IsNA() bool
	String() string
}

// tabular turns a value into a table. ok is false for a value that is shown as
// text.
func tabular(v any) (s source, ok bool) {
	x := reflect.ValueOf(v)
	if x.Kind() == reflect.Pointer && x.IsNil() {
		return source{}, false
	}
	switch v := v.(type) {
	case Table:
		return v.source(), true
	case *Table:
		return v.source(), true
	case *runs.Run:
		return runTable(v, v.Certificate).source(), true
	case *bcpace.Solution:
		return solutionTable(v).source(), true
	case *cpace.Explanation:
		return explanationTable(v).source(), true
	case bcpace.Belief:
		return beliefTable(nil, v).source(), true
	case bcpace.Spec:
		return specTable(v).source(), true
	case eval.Result:
		return resultTable(v).source(), true
	case []eval.Score:
		return Scores(v).source(), true
	case *runs.Samples:
		return samplesSource(v), true
	case frame:
		elem, kinds, ok := elements(v)
		rows, cols := v.Dims()
		return source{header: v.Names(), rows: rows, cols: cols, at: func(i, j int) any { return elementValue(elem(i, j), kinds[j]) }}, ok
	case error, fmt.Stringer, fmt.Formatter:
		return source{}, false
	}
	if x.Kind() == reflect.Pointer && x.Elem().Kind() == reflect.Struct {
		x = x.Elem()
	}
	switch x.Kind() {
	case reflect.Struct:
		return structSource(v, x)
	case reflect.Map:
		return mapSource(x), true
	case reflect.Slice, reflect.Array:
		return sliceSource(x)
	}
	return source{}, false
}

// elements returns the elements of a gota DataFrame, and the types of its columns. The method Elem
// returns a type of gota's own, so it is called by reflection; its constant name lets the linker
// keep dropping methods that nothing calls.
func elements(f frame) (at func(i, j int) element, kinds []string, ok bool) {
	x := reflect.ValueOf(f)
	elem := x.MethodByName("Elem")
	types := x.MethodByName("Types")
	if !elem.IsValid() || elem.Type().String() != "func(int, int) series.Element" || !types.IsValid() || types.Type().String() != "func() []series.Type" {
		return nil, nil, false
	}
	for list, j := types.Call(nil)[0], 0; j < list.Len(); j++ {
		kinds = append(kinds, list.Index(j).String())
	}
	return func(i, j int) element {
		return elem.Call([]reflect.Value{reflect.ValueOf(i), reflect.ValueOf(j)})[0].Interface().(element)
	}, kinds, true
}

// frameError is the error that a gota DataFrame carries in a field after an
// operation has failed; the frame itself is then empty.
func frameError(v any) error {
	if _, ok := v.(frame); !ok {
		return nil
	}
	x := reflect.Indirect(reflect.ValueOf(v))
	if x.Kind() != reflect.Struct {
		return nil
	}
	if field := x.FieldByName("Err"); field.IsValid() {
		if err, _ := field.Interface().(error); err != nil {
			return fmt.Errorf("data frame: %w", err)
		}
	}
	return nil
}

// elementValue reads an element of a column of the given gota type. A missing
// number is NaN there, and is shown as NaN.
func elementValue(e element, kind string) any {
	switch kind {
	case "float":
		return e.Float()
	case "int":
		if n, err := e.Int(); err == nil {
			return n
		}
		return e.Float()
	}
	return e.String()
}

// structSource shows the exported fields of a struct, one a row. A field that is zero is shown as what is in force: of a model
// the parameter of the same name, of a solver a default, which may depend on the model.
func structSource(v any, x reflect.Value) (source, bool) {
	fields := exported(x.Type())
	params := make(map[string]any)
	if m, is := v.(bcpace.Model); is && bcpace.Validate(m) == nil {
		for _, p := range m.Spec().Params {
			name := strings.ToLower(strings.ReplaceAll(p.Key, "-", ""))
			params[name] = p.Value
			if number, err := numtext.Float(p.Value); err == nil {
				params[name] = number
			}
		}
	}
	_, solves := v.(bcpace.Solver)
	return source{rows: len(fields), cols: 2, at: func(i, j int) any {
		field := x.FieldByIndex(fields[i].Index)
		inForce, is := params[strings.ToLower(fields[i].Name)]
		switch {
		case j == 0:
			return fields[i].Name
		case field.IsZero() && is:
			return inForce
		case field.IsZero() && solves && (field.CanInt() || field.CanUint() || field.CanFloat() || field.Kind() == reflect.String):
			return "default"
		}
		return field.Interface()
	}}, len(fields) > 0
}

// mapSource shows the entries of a map in the order of its keys.
func mapSource(x reflect.Value) source {
	keys := x.MapKeys()
	slices.SortFunc(keys, compareKeys)
	s, ok := structRows(x.Type().Elem(), len(keys), func(i int) reflect.Value { return x.MapIndex(keys[i]) })
	if ok {
		s.header = append([]string{""}, s.header...)
	} else {
		s = source{rows: len(keys), cols: 1, at: func(i, _ int) any { return x.MapIndex(keys[i]).Interface() }}
	}
	s.cols++
	value := s.at
	s.at = func(i, j int) any {
		if j == 0 {
			return keys[i].Interface()
		}
		return value(i, j-1)
	}
	return s
}

// compareKeys orders the keys of a map: numbers by value, all others by their
// text, so that the table is the same at every execution.
func compareKeys(a, b reflect.Value) int {
	switch {
	case a.CanInt() && b.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint() && b.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat() && b.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	}
	return strings.Compare(fmt.Sprint(a.Interface()), fmt.Sprint(b.Interface()))
}

// sliceSource shows a slice of structs with a column for each exported field,
// a slice of slices with a row for each, and no other slice.
func sliceSource(x reflect.Value) (source, bool) {
	if s, ok := structRows(x.Type().Elem(), x.Len(), x.Index); ok {
		return s, true
	}
	if kind := x.Type().Elem().Kind(); kind != reflect.Slice && kind != reflect.Array {
		return source{}, false
	}
	cols := 0
	for i := range x.Len() {
		cols = max(cols, x.Index(i).Len())
	}
	return source{rows: x.Len(), cols: cols, at: func(i, j int) any {
		row := x.Index(i)
		if j >= row.Len() {
			return nil
		}
		return row.Index(j).Interface()
	}}, true
}

// structRows makes a table of n structs, or pointers to structs, of type t.
func structRows(t reflect.Type, n int, at func(int) reflect.Value) (source, bool) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	fields := exported(t)
	if len(fields) == 0 {
		return source{}, false
	}
	names := texts(fields, func(f reflect.StructField) string { return f.Name })
	return source{rows: n, cols: len(fields), header: names, at: func(i, j int) any {
		x := reflect.Indirect(at(i))
		if !x.IsValid() { // a pointer that is nil
			return nil
		}
		return x.FieldByIndex(fields[j].Index).Interface()
	}}, true
}

// exported lists the exported fields of a type, none of one that is no struct.
func exported(t reflect.Type) (fields []reflect.StructField) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for f := range t.Fields() {
		if f.IsExported() {
			fields = append(fields, f)
		}
	}
	return fields
}

// textual writes a value that is not a table.
func textual(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case string:
		return cleanLines(v)
	case error:
		return "error: " + cleanLines(v.Error())
	case fmt.Stringer, fmt.Formatter:
		return cleanLines(fmt.Sprint(v))
	}
	x := reflect.ValueOf(v)
	if x.Kind() == reflect.Slice || x.Kind() == reflect.Array {
		return clean(list(x, 10*maxCell))
	}
	c := makeCell(v)
	if c.empty {
		return "nil"
	}
	return cleanLines(c.string())
}

// explanationTable shows how an estimate comes about: a row for each neighbour, the nearest
// first, then one for those that are missing and one for the mean.
func explanationTable(x *cpace.Explanation) Table {
	known := map[bool]string{true: "known", false: "not known"}[x.Known]
	t := Table{Title: fmt.Sprintf("Q̃ of %s, %s", x.Spec.ActionName(x.Action), known)}
	if x.Latent >= 0 {
		t.Title += fmt.Sprintf(": the belief is near the one-hot belief of %s, whose latent MDP has this value", x.Spec.Latents[x.Latent])
		t.Rows = [][]any{{"Q̃", x.Q}}
		return t
	}
	t.Header = []string{"sample", "α·d(s, s_j)", "‖b − b_j‖₁", "distance d_j", "value Q̃_j", "bonus L_Q̃·d_j", "counts", "clipped"}
	for _, n := range x.Neighbours {
		t.Rows = append(t.Rows, []any{n.Sample, n.StateDistance, n.BeliefDistance, n.Distance, n.Value, n.Bonus, n.Term, n.Clipped})
	}
	if x.Missing > 0 {
		t.Rows = append(t.Rows, []any{Count(x.Missing) + " missing", nil, nil, nil, nil, nil, x.Upper, nil})
	}
	t.Rows = append(t.Rows, []any{fmt.Sprintf("mean of k = %s", Count(x.K)), nil, nil, nil, nil, nil, x.Q, nil})
	return t
}
