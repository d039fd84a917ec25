package kdtree

import (
	"fmt"
	"math"
)

// Norm is how the differences of two points' coordinates make their distance.
type Norm uint8

// The paper's distance is L1, of embedded states and beliefs: see metric.Metric.
const (
	L1  Norm = iota // the sum of their sizes
	L2              // the Euclidean length
	Max             // the largest size
)

// Names are the names of the norms.
var Names = []string{L1: "l1", L2: "l2", Max: "max"}

// String returns the norm's name: l1, l2 or max.
func (n Norm) String() string {
	if int(n) < len(Names) {
		return Names[n]
	}
	return fmt.Sprintf("Norm(%d)", uint8(n))
}

// Distances are compared by keys, which rise with them and are quicker to have: of L2 the
// square.

// Key returns the key of a distance.
func (n Norm) Key(distance float64) float64 {
	if n == L2 {
		return distance * distance
	}
	return distance
}

// Distance returns the distance with that key.
func (n Norm) Distance(key float64) float64 {
	if n == L2 {
		return math.Sqrt(key)
	}
	return key
}

// add returns the key of some coordinates with one more, of that difference.
func (n Norm) add(key, gap float64) float64 {
	switch n {
	case L2:
		return key + float64(gap*gap) // not fused: the same bits everywhere
	case Max:
		return max(key, gap)
	}
	return key + gap
}

// keys writes the keys of the distances of x and len(dst) points, whose coordinates follow each
// other, the shorter way round where there are periods (see New).
func (n Norm) keys(dst, points, x, periods []float64) {
	dim := len(x)
	switch {
	case periods != nil:
		for i := range dst {
			key := 0.0
			for c, v := range points[i*dim : (i+1)*dim] {
				key = n.add(key, round(math.Abs(v-x[c]), c, periods))
			}
			dst[i] = key
		}
	case n == L1:
		for i := range dst {
			key := 0.0
			for c, v := range points[i*dim : (i+1)*dim] {
				key += math.Abs(v - x[c])
			}
			dst[i] = key
		}
	case n == L2:
		for i := range dst {
			key := 0.0
			for c, v := range points[i*dim : (i+1)*dim] {
				key += float64((v - x[c]) * (v - x[c])) // not fused, as in add
			}
			dst[i] = key
		}
	default:
		for i := range dst {
			key := 0.0
			for c, v := range points[i*dim : (i+1)*dim] {
				key = max(key, math.Abs(v-x[c]))
			}
			dst[i] = key
		}
	}
}

// round returns a difference of a coordinate the shorter way round, where it has a period.
func round(gap float64, axis int, periods []float64) float64 {
	if axis < len(periods) && periods[axis] > 0 {
		return max(0, min(gap, periods[axis]-gap))
	}
	return gap
}

// Between returns the key of the distance of two points.
func (n Norm) Between(x, y, periods []float64) float64 {
	var key [1]float64
	n.keys(key[:], x, y, periods)
	return key[0]
}
