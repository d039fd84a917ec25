package nb

import (
	"fmt"
	"html"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"bayescpace/bcpace/numtext"
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
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return integer(fmt.Sprintf("%d", v))
	case reflect.Float32, reflect.Float64:
		return cell{number: x.Float(), isFloat: true, right: true}
	case reflect.Pointer:
		if x.IsNil() {
			return cell{empty: true}
		}
		if x.Elem().Kind() != reflect.Struct {
			return makeCell(x.Elem().Interface())
		}
	case reflect.Slice, reflect.Array:
		return cell{text: list(x, maxCell)}
	}
	if text := fmt.Sprintf("%+v", v); !address.MatchString(text) {
		return cell{text: text}
	}
	return cell{text: x.Type().String()} // an address would differ from run to run
}

// address is a pointer as fmt writes it.
var address = regexp.MustCompile(`\b0x[0-9a-f]{6,}\b`)

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

// string writes a cell on its own, a number as formatFloat does.
func (c cell) string() string {
	if c.isFloat {
		return formatFloat(c.alone())
	}
	return c.text
}

// list writes the elements of a slice with commas between them, and says how
// many did not fit into about limit characters.
func list(x reflect.Value, limit int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := range x.Len() {
		b.WriteString(when(i > 0, ", "))
		if b.Len() > limit-20 && x.Len()-i > 1 {
			b.WriteString("… " + Count(x.Len()-i) + " more")
			break
		}
		b.WriteString(makeCell(x.Index(i).Interface()).string())
	}
	b.WriteByte(']')
	return b.String()
}

// Numbers are shown with four significant digits, all digits before the point,
// and an exponent from a million up and below a ten-thousandth. Whole numbers
// are shown whole. A negative zero is shown as 0.
const (
	digits      = 4
	wholeLimit  = 1e6
	smallLimit  = 1e-4
	maxDecimals = 4 // most decimals that a whole column is padded to
)

// atLeast and atMost are bounds, which are shown rounded outward.
type (
	atLeast float64
	atMost  float64
)

// Down writes a lower bound with so many decimals, rounded down, so that what is shown is
// a lower bound too.
func Down(x float64, decimals int) string {
	return strconv.FormatFloat(numtext.Down(x, decimals), 'f', decimals, 64)
}

// Up writes an upper bound with so many decimals, rounded up.
func Up(x float64, decimals int) string {
	return strconv.FormatFloat(numtext.Up(x, decimals), 'f', decimals, 64)
}

// rounded returns the number of a cell to so many decimals: a bound outward.
func (c cell) rounded(decimals int) float64 {
	switch {
	case c.bound < 0:
		return numtext.Down(c.number, decimals)
	case c.bound > 0:
		return numtext.Up(c.number, decimals)
	}
	return c.number
}

// alone returns the number of a cell that stands on its own, with four digits.
func (c cell) alone() float64 {
	n := numtext.Digits(c.number, digits)
	if plain(c.number) { // with all digits before the point
		n = max(n, 0)
	}
	return c.rounded(n)
}

// formatFloat writes x on its own, such as 0.3333, 12,346 or 1.5e-12.
func formatFloat(x float64) string {
	if plain(x) {
		return fixed(x, decimals(x))
	}
	return special(x)
}

// formatColumn writes the cells of a column. If they are aligned, numbers have the same number of
// decimals, so that the points stand below one another, unless that would take too many.
func formatColumn(column []cell, aligned bool) []string {
	most := 0
	for _, c := range column {
		if c.isFloat && plain(c.number) {
			most = max(most, decimals(c.alone()))
		}
	}
	out := make([]string, len(column))
	for i, c := range column {
		if out[i] = c.string(); aligned && c.isFloat && plain(c.number) && most <= maxDecimals {
			out[i] = fixed(c.rounded(most), most)
		}
	}
	return out
}

// plain reports whether x is written without an exponent.
func plain(x float64) bool {
	a := math.Abs(x)
	return a == 0 || a >= smallLimit && a < wholeLimit
}

// decimals is how many decimals show x with four significant digits, without
// zeros at the end.
func decimals(x float64) int {
	if x == math.Trunc(x) {
		return 0
	}
	exponent := int(math.Floor(math.Log10(math.Abs(x))))
	n := max(digits-1-exponent, 0)
	_, fraction, _ := strings.Cut(numtext.Trim(numtext.Fixed(x, n)), ".")
	return len(fraction)
}

func fixed(x float64, decimals int) string { return numtext.Group(numtext.Fixed(x, decimals)) }

// special writes what fixed cannot: infinities, NaN, very large and very small.
func special(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "-∞"
	}
	mantissa, exponent := numtext.Scientific(x, digits-1)
	return numtext.Trim(mantissa) + "e" + strconv.Itoa(exponent)
}

// Count writes a whole number with its thousands apart: 1,024.
func Count(n int) string { return numtext.Count(n) }

const (
	maxCell  = 80    // characters of a cell that are shown
	maxText  = 20000 // characters of a text that is no table
	maxTitle = 2000  // characters of the full text that its title keeps, and of a sentence
)

// texts are what text says of each entry of a list.
func texts[T any](list []T, text func(T) string) []string {
	all := make([]string, len(list))
	for i, x := range list {
		all[i] = text(x)
	}
	return all
}

// when is a text if it is so, and nothing otherwise.
func when(so bool, text string) string {
	if so {
		return text
	}
	return ""
}

// clean returns s as one line of valid text: line ends and tabs become spaces,
// control characters and those that turn the writing direction become U+FFFD.
// Names and labels come from models and files, and must not change the page
// around them.
func clean(s string) string { return strings.Map(cleanRune, strings.ToValidUTF8(s, "\uFFFD")) }

// cleanLines is clean for a text whose lines are kept.
func cleanLines(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return cleanRune(r)
	}, s)
}

func cleanRune(r rune) rune {
	switch {
	case r == '\n' || r == '\r' || r == '\t' || r == '\u2028' || r == '\u2029':
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
		return '\uFFFD'
	}
	return r
}

// shorten cuts s after n characters and reports whether it did.
func shorten(s string, n int) (string, bool) {
	runes := []rune(s)
	if len(runes) <= n {
		return s, false
	}
	return string(runes[:n-1]) + "…", true
}

// escape makes text safe inside an element and a double-quoted attribute.
func escape(s string) string { return html.EscapeString(s) }

// width is the number of columns that s takes in a monospaced font.
func width(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case r >= 0x1100 && r <= 0x115F, r >= 0x2E80 && r <= 0xA4CF, r >= 0xAC00 && r <= 0xD7A3,
			r >= 0xF900 && r <= 0xFAFF, r >= 0xFE30 && r <= 0xFE6F, r >= 0xFF00 && r <= 0xFF60,
			r >= 0x1F300 && r <= 0x1FAFF, r >= 0x20000 && r <= 0x3FFFD:
			n += 2 // East Asian wide characters and pictographs
		default:
			n++
		}
	}
	return n
}
