package numtext

import (
	"math"
	"strconv"
)

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
