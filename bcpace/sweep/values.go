package sweep

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// Values are parameters by key, such as {"k": 5, "bound": "qmdp", "slips": [0.2, 0.8]}.
// Numbers, switches and lists become the text that a command line has for them: 5, true,
// 0.2,0.8.
type Values map[string]any

// texts returns the same values, all as texts; nil for none.
func (v Values) texts(where string) (Values, error) {
	if len(v) == 0 {
		return nil, nil
	}
	t := make(Values, len(v))
	for key, x := range v {
		text, err := textOf(x)
		if err != nil {
			return nil, bcpace.In(where).Bad("the value of "+strconv.Quote(key), x, err.Error())
		}
		t[key] = text
	}
	return t, nil
}

// params returns values that texts has made, in the order of their keys.
func (v Values) params() (list []bcpace.Param) {
	for _, key := range sorted(v) {
		list = append(list, bcpace.Param{Key: key, Value: v[key].(string)})
	}
	return list
}

// textOf returns the text of a value. The error says what would be right.
func textOf(x any) (string, error) {
	if n, ok := x.(json.Number); ok {
		if whole := strings.TrimPrefix(n.String(), "-"); strings.Trim(whole, "0123456789") == "" {
			return n.String(), nil
		}
		f, err := n.Float64()
		if err != nil {
			return "", fmt.Errorf("a number that a float64 can hold")
		}
		return numberText(f)
	}
	switch v := reflect.ValueOf(x); {
	case v.Kind() == reflect.String:
		return strings.TrimSpace(v.String()), nil
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool()), nil
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10), nil
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10), nil
	case v.CanFloat():
		return numberText(v.Float())
	case v.Kind() == reflect.Slice, v.Kind() == reflect.Array:
		parts := make([]string, v.Len())
		for i := range parts {
			part, err := textOf(v.Index(i).Interface())
			if err != nil {
				return "", err
			}
			parts[i] = part
		}
		return strings.Join(parts, ","), nil
	}
	return "", fmt.Errorf("a number, a text, true or false, or a list of these")
}

// numberText writes a whole number without a point or an exponent, as a parameter that counts
// wants it.
func numberText(x float64) (string, error) {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "", fmt.Errorf("a finite number")
	case x == math.Trunc(x) && math.Abs(x) < 1<<53:
		return strconv.FormatInt(int64(x), 10), nil
	}
	return numtext.Exact(x), nil
}

// Duration is a time that JSON has as text, such as "30s".
type Duration time.Duration

// String writes it as time.Duration does.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	x, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no time, want one such as \"30s\" or \"5m\"", text)
	}
	*d = Duration(x)
	return nil
}

// canonical returns the JSON of x, whose maps encoding/json writes in the order of their keys.
func canonical(x any) []byte {
	text, err := json.Marshal(x)
	if err != nil {
		panic(err) // x is plain data of this package
	}
	return text
}
