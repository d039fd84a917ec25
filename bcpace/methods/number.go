package methods

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"bayescpace/bcpace/outward"
)

// number writes a number with so many significant digits, −1 for all that it has.
func number(x float64, digits int) string {
	switch {
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "−∞"
	}
	return strings.ReplaceAll(strconv.FormatFloat(x, 'g', digits, 64), "-", "−")
}

// fixed writes a number with so many decimals; less than none round to tens and more.
func fixed(x float64, decimals int) string {
	if math.IsInf(x, 0) {
		return number(x, -1)
	}
	return strings.ReplaceAll(strconv.FormatFloat(x, 'f', max(decimals, 0), 64), "-", "−")
}

// decimals returns how many of them show two bounds so that rounding outward adds at most a
// hundredth of their distance, and each at least with three digits.
func decimals(lower, upper float64) int {
	d := 0
	for _, x := range []float64{lower, upper} {
		if !math.IsInf(x, 0) {
			d = max(d, outward.Digits(x, 3))
		}
	}
	if gap := upper - lower; gap > 0 && !math.IsInf(gap, 1) {
		d = max(d, outward.Digits(gap, 3))
	} else if gap == 0 {
		d = max(d, outward.Digits(lower, 9))
	}
	return min(d, 15)
}

// between writes two bounds with so many decimals, rounded outward.
func between(lower, upper float64, d int) string {
	return "[" + fixed(outward.Down(lower, d), d) + ", " + fixed(outward.Up(upper, d), d) + "]"
}

// count writes a whole number with its thousands apart.
func count(n int) string {
	if n < 0 {
		return "−" + count(-n)
	}
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// several writes a number with its noun.
func several(n int, noun string) string {
	if n != 1 {
		switch {
		case strings.HasSuffix(noun, "axis"):
			noun = strings.TrimSuffix(noun, "is") + "es"
		default:
			noun += "s"
		}
	}
	return count(n) + " " + noun
}

// percent writes a probability: "95 %".
func percent(p float64) string { return fmt.Sprintf("%.4g %%", 100*p) }
