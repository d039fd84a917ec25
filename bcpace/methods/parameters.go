package methods

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"bayescpace/bcpace"
	"bayescpace/bcpace/runs"
)

// symbols are fields of solvers that the paper has a symbol for.
var symbols = map[string]string{"Epsilon": "ε", "K": "k", "LipQ": "L_Q", "Alpha": "α", "Delta": "δ", "Horizon": "horizon T"}

// parameters returns the parameters of a solver that are not its defaults, as "name = value",
// and of an Explorer also those that it has filled in for the model.
func parameters(s *bcpace.Solution) (list []string) {
	told := map[string]bool{}
	add := func(name string, value string) {
		if !told[name] {
			told[name] = true
			list = append(list, name+value)
		}
	}
	if r := runs.Of(s); r != nil {
		add("ε", " = "+number(r.Epsilon(), 6))
		_, details := r.Solver.Describe(r)
		for _, d := range details {
			text := fmt.Sprint(d.Value)
			switch x := d.Value.(type) {
			case float64:
				text = number(x, 6)
			case int:
				text = count(x)
			}
			add(d.Name, " = "+text)
		}
	}
	v := reflect.Indirect(reflect.ValueOf(s.Solver))
	if v.Kind() != reflect.Struct {
		return list
	}
	for i := range v.NumField() {
		f, x := v.Type().Field(i), v.Field(i)
		if !f.IsExported() || x.IsZero() && f.Name != "Seed" {
			continue
		}
		name := symbols[f.Name]
		if name == "" {
			name = words(f.Name)
		}
		switch {
		case f.Tag.Get("json") == "-":
			add(name, " of our own")
		case f.Name == "CertificateEpisodes" && x.Int() < 0:
			add("no simulated certificate", "")
		default:
			add(name, parameter(x))
		}
	}
	return list
}

// parameter writes a value behind the name of its parameter.
func parameter(x reflect.Value) string {
	if b, ok := x.Interface().(bcpace.Budget); ok {
		return " of a decision = " + budget(b)
	}
	switch x.Kind() {
	case reflect.Bool:
		return " = yes" // a zero one is not written
	case reflect.Float64:
		return " = " + number(x.Float(), -1)
	case reflect.Int:
		return " = " + count(int(x.Int()))
	case reflect.Uint64:
		return fmt.Sprintf(" = %d", x.Uint())
	case reflect.String:
		return " = " + x.String()
	case reflect.Slice:
		return " = " + count(x.Len()) + " of our own"
	}
	text, err := json.Marshal(x.Interface())
	if err != nil {
		return " of our own"
	}
	return " = " + string(text)
}

func budget(b bcpace.Budget) string {
	var parts []string
	if b.Simulations > 0 {
		parts = append(parts, count(b.Simulations)+" simulations")
	}
	if b.Time > 0 {
		parts = append(parts, b.Time.String())
	}
	if b.Depth > 0 {
		parts = append(parts, "depth "+count(b.Depth))
	}
	return strings.Join(parts, " and ")
}

// timed reports whether a budget in time made results depend on the machine.
func timed(s bcpace.Solver) bool {
	b, ok := field(s, "Budget").(bcpace.Budget)
	return ok && b.Time > 0
}

// field returns the field of that name of a solver; nil where it has none.
func field(s bcpace.Solver, name string) any {
	v := reflect.Indirect(reflect.ValueOf(s))
	if v.Kind() != reflect.Struct {
		return nil
	}
	if f := v.FieldByName(name); f.IsValid() && f.CanInterface() {
		return f.Interface()
	}
	return nil
}

// words writes the name of a field as words: "max episodes".
func words(name string) string {
	var b strings.Builder
	letters := []rune(name)
	for i, c := range letters {
		first := i > 0 && unicode.IsUpper(c) && unicode.IsLower(letters[i-1])
		if first {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}
