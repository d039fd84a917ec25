package sparse

import "math"

// Places numbers the combinations of values of axes of whole numbers, of which the last one changes fastest.
type Places struct {
	First []float64 // by axis: its lowest value
	Sizes []int     // how many values each has
}

// At fills s with the combination of that number.
func (p Places) At(s []float64, number int) {
	for i := len(p.Sizes) - 1; i >= 0; i-- {
		s[i] = p.First[i] + float64(number%p.Sizes[i])
		number /= p.Sizes[i]
	}
}

// Number returns the number of s, or −1 where it is none of the combinations.
func (p Places) Number(s []float64) int {
	if len(s) != len(p.Sizes) {
		return -1
	}
	number := 0
	for i, n := range p.Sizes {
		x := s[i] - p.First[i]
		if !(x >= 0 && x < float64(n)) || x != math.Trunc(x) {
			return -1
		}
		number = number*n + int(x)
	}
	return number
}
