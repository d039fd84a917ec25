package sarsop

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// belief is a distribution over y: its support, ascending, and the probabilities
// there. No support means all of Y.
type belief struct {
	at []int32
	p  []float64
}

func (b belief) clone() belief {
	return belief{at: append([]int32(nil), b.at...), p: append([]float64(nil), b.p...)}
}

// signature has a bit for every y of the support, modulo 64: a belief whose
// support lies within another's has no bit that the other lacks.
func (b belief) signature() uint64 {
	if b.at == nil {
		return ^uint64(0)
	}
	var s uint64
	for _, y := range b.at {
		s |= 1 << (y & 63)
	}
	return s
}

// dot is Σ_y b(y) v(y).
func (b belief) dot(v []float64) float64 {
	if b.at == nil {
		return floats.Dot(b.p, v)
	}
	s0, s1 := 0.0, 0.0
	p := b.p[:len(b.at)]
	i := 0
	for ; i+1 < len(p); i += 2 {
		s0 += p[i] * v[b.at[i]]
		s1 += p[i+1] * v[b.at[i+1]]
	}
	if i < len(p) {
		s0 += p[i] * v[b.at[i]]
	}
	return s0 + s1
}

// key returns a hash of a belief at x. It rounds the belief, so that equal beliefs that
// were computed along different paths usually have the same hash.
func (b belief) key(x int32) uint64 {
	h := uint64(x)*0x9E3779B97F4A7C15 + 1
	for i, v := range b.p {
		y := uint64(i)
		if b.at != nil {
			y = uint64(b.at[i])
		}
		h = (h ^ (y + uint64(v*(1<<26)+0.31)*0x100000)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}

// near reports whether two beliefs are the same but for rounding.
func (b belief) near(c belief) bool {
	if len(b.p) != len(c.p) {
		return false
	}
	for i, v := range b.p {
		if math.Abs(v-c.p[i]) > 1e-12 || b.at != nil && c.at != nil && b.at[i] != c.at[i] {
			return false
		}
	}
	return true
}

// distance is Σ_y |b(y) − c(y)| of beliefs that are near.
func (b belief) distance(c belief) (sum float64) {
	for i, v := range b.p {
		sum += math.Abs(v - c.p[i])
	}
	return sum
}
