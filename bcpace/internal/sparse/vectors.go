// Package sparse keeps rows without their zeros, and once what occurs many times in a model: how a
// latent moves, the numbers of what may follow by latent, and what follows a state after an action.
package sparse

import "math"

// VectorTable are vectors of numbers, all of one length. No two have the same bits. It is for one
// goroutine while vectors are added, and then for many.
type VectorTable struct {
	size   int
	values []float64
	index  HashIndex
}

// NewVectors returns no vectors yet, of size numbers each.
func NewVectors(size int) *VectorTable { return &VectorTable{size: size} }

// Number returns the number of v, of which it keeps a copy where it is new.
func (t *VectorTable) Number(v []float64) int32 {
	hash := hashOf(v)
	n := t.index.Find(hash, func(number int32) bool { return identical(t.At(number), v) })
	if n < 0 {
		n = t.index.Add(hash)
		t.values = append(t.values, v...)
	}
	return n
}

// At returns the vector of that number: a view.
func (t *VectorTable) At(number int32) []float64 {
	from := int(number) * t.size
	return t.values[from : from+t.size : from+t.size]
}

// Seal gives up the memory that adding takes: no vector may be added after it.
func (t *VectorTable) Seal() { t.index = HashIndex{} }

// Bytes returns the size of the vectors.
func (t *VectorTable) Bytes() int { return 8 * len(t.values) }

// identical reports whether two vectors of one length have the same bits.
func identical(a, b []float64) bool {
	for i, x := range a {
		if math.Float64bits(x) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}
