package nb

import (
	"math"
	"strconv"
	"strings"

	"bayescpace/bcpace/numtext"
)

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

// format writes the number of a cell on its own, as formatFloat does.
func (c cell) format() string { return formatFloat(c.alone()) }

// formatFloat writes x on its own, such as 0.3333, 12,346 or 1.5e-12.
func formatFloat(x float64) string {
	if plain(x) {
		return fixed(x, decimals(x))
	}
	return special(x)
}

// formatColumn writes the numbers of a column with the same number of
// decimals, so that the points stand below one another, unless that would
// take too many.
func formatColumn(column []cell) []string {
	most := 0
	for _, c := range column {
		if plain(c.number) {
			most = max(most, decimals(c.alone()))
		}
	}
	out := make([]string, len(column))
	for i, c := range column {
		if plain(c.number) && most <= maxDecimals {
			out[i] = fixed(c.rounded(most), most)
		} else {
			out[i] = c.format()
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

func fixed(x float64, decimals int) string {
	return numtext.Group(numtext.Fixed(x, decimals))
}

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
