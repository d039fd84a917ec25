package methods

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
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
		if i > 0 && unicode.IsUpper(c) && unicode.IsLower(letters[i-1]) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// number writes a number with so many significant digits, −1 for all that it has: 0.25, −10⁶
// or 2.5·10⁻⁷.
func number(x float64, digits int) string {
	switch {
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "−∞"
	}
	text, exponent, large := strings.Cut(strconv.FormatFloat(x, 'g', digits, 64), "e")
	text = numtext.Minus(text)
	if !large {
		return text
	}
	power, _ := strconv.Atoi(exponent)
	return numtext.TimesPower(text, power)
}

// level turns superscripts and subscripts into digits and signs.
var level = strings.NewReplacer("⁻", "-", "⁺", "+", "ⁿ", "n", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9",
	"₀", "0", "₁", "1", "₂", "2", "₃", "3", "₄", "4", "₅", "5", "₆", "6", "₇", "7", "₈", "8", "₉", "9")

// fixed writes a number with so many decimals; less than none round to tens and more.
func fixed(x float64, decimals int) string {
	if math.IsInf(x, 0) {
		return number(x, -1)
	}
	return numtext.Minus(numtext.Fixed(x, max(decimals, 0)))
}

// decimals returns how many of them show two bounds so that rounding outward adds at most a
// hundredth of their distance. A bound has three digits, unless it is below a hundredth of
// that distance. No decimal is beyond the twelfth digit of scale, the size of the returns:
// what differs there is rounding.
func decimals(lower, upper, scale float64) int {
	gap := upper - lower
	d := 0
	for _, x := range []float64{lower, upper} {
		switch {
		case math.IsInf(x, 0):
		case gap > 0 && !math.IsInf(gap, 1):
			d = max(d, min(numtext.Digits(x, 3), numtext.Digits(gap, 5)))
		default:
			d = max(d, numtext.Digits(x, 3))
		}
	}
	if gap > 0 && !math.IsInf(gap, 1) {
		d = max(d, numtext.Digits(gap, 3))
	} else if gap == 0 {
		d = max(d, numtext.Digits(lower, 9))
	}
	return max(min(d, numtext.Digits(scale, 12), 15), 0)
}

// between writes two bounds with so many decimals, rounded outward.
func between(lower, upper float64, d int) string {
	return "[" + fixed(numtext.Down(lower, d), d) + ", " + fixed(numtext.Up(upper, d), d) + "]"
}

// count writes a whole number with its thousands apart.
func count(n int) string { return numtext.Minus(numtext.Count(n)) }

// atMost writes the probability δ of a failure, rounded up: "5 %". It lies between 0 and 1.
func atMost(delta float64) string {
	up, d := failure(delta)
	return percent(100*up, d)
}

// atLeast writes the probability 1 − δ, rounded down: "95 %".
func atLeast(delta float64) string {
	up, d := failure(delta)
	return percent(100-100*up, d)
}

// failure rounds a probability up, and says how many decimals it has in per cent: as many as
// show four digits of the distance from 0 and from 1, and 10 at most.
func failure(delta float64) (up float64, decimals int) {
	d := max(min(numtext.Digits(100*min(delta, 1-delta), 4), 10), 0)
	return numtext.Up(delta, d+2), d
}

// percent writes p per cent with so many decimals, without zeros at their end.
func percent(p float64, decimals int) string { return numtext.Trim(numtext.Fixed(p, decimals)) + " %" }
