// Package numtext writes numbers as text, for programs and for people, and reads numbers and
// switches. Bounds are rounded before that, by package outward.
package numtext

import (
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
