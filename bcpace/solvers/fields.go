package solvers

import (
	"encoding"
	"errors"
	"reflect"
	"strings"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/solverkit"
)

// setField returns a copy of s, a struct, with a parameter read from text. The error says what the text should have been; it is an
// *bcpace.InputError for an explicit 0 where that means nothing.
func setField[S any](s S, p solverkit.Param, text string) (S, error) {
	v := reflect.New(reflect.TypeOf(s)).Elem()
	v.Set(reflect.ValueOf(s))
	f := v
	for name := range strings.SplitSeq(p.Field, ".") {
		f = f.FieldByName(name)
	}
	if err := parse(f, text); err != nil {
		return s, err
	}
	if p.Want != "" && f.IsZero() {
		return s, bcpace.In("options").Bad(p.Field, text, p.Want)
	}
	if p.Zero != "" {
		v.FieldByName(p.Zero).SetBool(f.IsZero())
	}
	return v.Interface().(S), nil
}

// parse sets a number, a text, a switch or a budget.
func parse(f reflect.Value, text string) error {
	if f.Type() == reflect.TypeFor[bcpace.Budget]() {
		b, err := budget(text)
		b.Depth = f.Interface().(bcpace.Budget).Depth // a parameter of its own
		f.Set(reflect.ValueOf(b))
		return err
	}
	if t, ok := f.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return t.UnmarshalText([]byte(text))
	}
	switch f.Kind() {
	case reflect.Float64:
		x, err := numtext.Float(text)
		f.SetFloat(x)
		return err
	case reflect.Int:
		n, err := numtext.Whole(text)
		f.SetInt(int64(n))
		return err
	case reflect.Uint64:
		n, err := numtext.Unsigned(text)
		f.SetUint(n)
		return err
	case reflect.Bool:
		b, err := numtext.Switch(text)
		f.SetBool(b)
		return err
	}
	if text == "" {
		return errors.New("want a name")
	}
	f.SetString(text)
	return nil
}

// budget reads a number of simulations, such as 1000, or a time, such as 100ms.
func budget(text string) (bcpace.Budget, error) {
	if n, err := numtext.Whole(text); err == nil {
		return bcpace.Budget{Simulations: n}, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return bcpace.Budget{}, errors.New("want a number of simulations, such as 1000, or a time, such as 100ms")
	}
	return bcpace.Budget{Time: d}, nil
}
