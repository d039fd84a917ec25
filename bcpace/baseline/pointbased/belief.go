package pointbased

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Belief is a distribution over y: its support, ascending, and the probabilities
// there; or the probabilities of all y, some of which may be 0, where At is nil.
type Belief struct {
	At []int32
	P  []float64
}

// Y returns y of an entry of P.
func (b Belief) Y(i int) int {
	if b.At != nil {
		return int(b.At[i])
	}
	return i
}

func (b Belief) Clone() Belief {
	return Belief{At: append([]int32(nil), b.At...), P: append([]float64(nil), b.P...)}
}

// Signature has a bit without endy y of the support, modulo 64: a belief whose
// support lies within another's has no bit that the other lacks.
func (b Belief) Signature() uint64 {
	var s uint64
	if b.At == nil {
		for y, v := range b.P {
			if v > 0 {
				s |= 1 << (y & 63)
			}
		}
		return s
	}
	for _, y := range b.At {
		s |= 1 << (y & 63)
	}
	return s
}

// Dot is Σ_y b(y) v(y).
func (b Belief) Dot(v []float64) float64 {
	if b.At == nil {
		return floats.Dot(b.P, v)
	}
	s0, s1 := 0.0, 0.0
	p := b.P[:len(b.At)]
	i := 0
	for ; i+1 < len(p); i += 2 {
		s0 += p[i] * v[b.At[i]]
		s1 += p[i+1] * v[b.At[i+1]]
	}
	if i < len(p) {
		s0 += p[i] * v[b.At[i]]
	}
	return s0 + s1
}

// Key returns a hash of a belief at x. It rounds the belief, so that equal beliefs that
// were computed along different paths usually have the same hash.
func (b Belief) Key(x int32) uint64 {
	h := uint64(x)*0x9E3779B97F4A7C15 + 1
	for i, v := range b.P {
		h = (h ^ (uint64(b.Y(i)) + uint64(v*(1<<26)+0.31)*0x100000)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}

// Near reports whether two beliefs are the same but for rounding.
func (b Belief) Near(c Belief) bool {
	if len(b.P) != len(c.P) {
		return false
	}
	for i, v := range b.P {
		if math.Abs(v-c.P[i]) > 1e-12 || b.At != nil && c.At != nil && b.At[i] != c.At[i] {
			return false
		}
	}
	return true
}

// Distance is Σ_y |b(y) − c(y)| of beliefs that are near.
func (b Belief) Distance(c Belief) (sum float64) {
	for i, v := range b.P {
		sum += math.Abs(v - c.P[i])
	}
	return sum
}
