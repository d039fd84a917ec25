// Package numtext writes numbers as text, for programs and for people, and reads numbers and
// switches. Bounds are rounded before that, outward (Down, Up).
package numtext

import (
	"math"
	"strconv"
	"strings"
)

// Exact writes x with as few digits as read back as the same float64.
func Exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// ExactList writes numbers as Exact does, with commas between them.
func ExactList(xs []float64) string {
	s := make([]string, len(xs))
	for i, x := range xs {
		s[i] = Exact(x)
	}
	return strings.Join(s, ",")
}

// Down returns x rounded down to a number of decimals: what it shows with so many is at
// most x, in decimals as they are written. With −2 decimals it is a multiple of 100.
func Down(x float64, decimals int) float64 {
	y := nearest(x, decimals)
	if !(y > x) {
		return y
	}
	return nearest(y-math.Pow10(-decimals), decimals)
}

// Up returns x rounded up, see Down.
func Up(x float64, decimals int) float64 { return -Down(-x, decimals) }

// Digits returns how many decimals show x with a number of significant digits.
func Digits(x float64, significant int) int {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return significant - 1 - int(math.Floor(math.Log10(math.Abs(x))))
}

// nearest rounds x to a number of decimals.
func nearest(x float64, decimals int) float64 {
	if decimals < 0 {
		unit := math.Pow10(-decimals)
		return math.Round(x/unit) * unit
	}
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', decimals, 64), 64) // is a number
	return y
}

// Count writes a whole number with its thousands apart: 1,024.
func Count(n int) string { return Group(strconv.Itoa(n)) }

// Several writes a count with its noun: 1 sample, 2 samples, 3 axes.
func Several(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "axis"):
		noun = strings.TrimSuffix(noun, "is") + "es"
	default:
		noun += "s"
	}
	return Count(n) + " " + noun
}

// Fixed writes x with so many decimals, and without the sign of what shows as zero.
func Fixed(x float64, decimals int) string {
	return Zero(strconv.FormatFloat(x, 'f', decimals, 64))
}

// Scientific returns x, which is finite, as a mantissa with so many decimals and a power of ten.
func Scientific(x float64, decimals int) (mantissa string, exponent int) {
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(x, 'e', decimals, 64), "e")
	exponent, _ = strconv.Atoi(power) // FormatFloat writes a number there
	return mantissa, exponent
}

// Group puts commas between the thousands of a decimal number.
func Group(s string) string {
	whole, rest, dot := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if dot {
		rest = "." + rest
	}
	return sign + whole + rest
}

// Trim cuts the zeros at the end of a decimal fraction.
func Trim(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// Zero cuts the minus sign of a decimal number that shows as zero.
func Zero(s string) string {
	if !strings.ContainsAny(s, "123456789") {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// Minus sets a true minus sign.
func Minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

var superscripts = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// Superscript writes a whole number as an exponent.
func Superscript(n int) string { return superscripts.Replace(strconv.Itoa(n)) }

// TimesPower writes a multiple of a power of ten, such as 2.5·10⁻⁷, 10⁶ or −10⁶. mantissa has a
// true minus sign.
func TimesPower(mantissa string, exponent int) string {
	power := "10" + Superscript(exponent)
	switch mantissa {
	case "1":
		return power
	case "−1":
		return "−" + power
	}
	return mantissa + "·" + power
}
