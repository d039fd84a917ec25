package nb

import (
	"bayescpace/bcpace/numtext"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// cell is a value of a table: a float, which takes the decimals of its column,
// or text. Numbers stand to the right, and durations, which are numbers of a
// unit.
type cell struct {
	text    string
	number  float64
	bound   float64  // −1 for a lower bound, which is rounded down; 1 for an upper one
	whole   *big.Int // the exact value of an integer that number rounds; else nil
	isFloat bool
	right   bool
	empty   bool
	prose   bool // shown in full
}

// Sentence is a text to read: a table shows it in full, where it cuts other texts.
type Sentence string

// makeCell turns any value into a cell.
func makeCell(v any) cell {
	if v == nil {
		return cell{empty: true}
	}
	switch v := v.(type) {
	case Sentence:
		return cell{text: string(v), prose: true}
	case atLeast:
		return cell{number: float64(v), bound: -1, isFloat: true, right: true}
	case atMost:
		return cell{number: float64(v), bound: 1, isFloat: true, right: true}
	case time.Duration:
		return cell{text: v.String(), number: float64(v), right: true}
	case error, fmt.Stringer, fmt.Formatter:
		return cell{text: fmt.Sprint(v)} // fmt catches a method that panics on nil
	}
	x := reflect.ValueOf(v)
	switch x.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return integer(strconv.FormatInt(x.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return integer(strconv.FormatUint(x.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		return cell{number: x.Float(), isFloat: true, right: true}
	case reflect.Bool:
		return cell{text: strconv.FormatBool(x.Bool())}
	case reflect.String:
		return cell{text: x.String()}
	case reflect.Pointer:
		if x.IsNil() {
			return cell{empty: true}
		}
		if x.Elem().Kind() != reflect.Struct {
			return makeCell(x.Elem().Interface())
		}
	case reflect.Slice, reflect.Array:
		return cell{text: list(x, maxCell)}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return cell{text: x.Type().String()} // an address would differ from run to run
	}
	return cell{text: fmt.Sprintf("%+v", v)}
}

// exactDigits is how many digits a float64 holds of every integer.
const exactDigits = 15

// integer makes the cell of an integer, given its digits.
func integer(s string) cell {
	c := cell{text: numtext.Group(s), right: true}
	c.number, _ = strconv.ParseFloat(s, 64) // digits, so there is no error
	if len(s) > exactDigits {
		c.whole, _ = new(big.Int).SetString(s, 10)
	}
	return c
}

// string writes a cell on its own.
func (c cell) string() string {
	if c.isFloat {
		return c.format()
	}
	return c.text
}

// list writes the elements of a slice with commas between them, and says how
// many did not fit into about limit characters.
func list(x reflect.Value, limit int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := range x.Len() {
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len() > limit-20 && x.Len()-i > 1 {
			b.WriteString("… " + Count(x.Len()-i) + " more")
			break
		}
		b.WriteString(makeCell(x.Index(i).Interface()).string())
	}
	b.WriteByte(']')
	return b.String()
}
