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

// HashIndex finds by its hash what has been numbered from 0 on. The numbers follow the order in which
// things are added, and do not depend on the hashes.
type HashIndex struct {
	hashes []uint64 // by number
	slots  []int32  // a number + 1, or 0; a power of two of them, of which half are 0 at least
}

// Find returns the number of what has this hash and is the same, or −1.
func (hi *HashIndex) Find(hash uint64, same func(number int32) bool) int32 {
	if len(hi.slots) == 0 {
		return -1
	}
	mask := uint64(len(hi.slots) - 1)
	for i := hash & mask; hi.slots[i] != 0; i = (i + 1) & mask {
		if n := hi.slots[i] - 1; hi.hashes[n] == hash && same(n) {
			return n
		}
	}
	return -1
}

// Add gives the next number to what has this hash, and returns it.
func (hi *HashIndex) Add(hash uint64) int32 {
	n := int32(len(hi.hashes))
	hi.hashes = append(hi.hashes, hash)
	if 2*len(hi.hashes) > len(hi.slots) {
		hi.slots = make([]int32, max(16, 2*len(hi.slots)))
		for k, h := range hi.hashes {
			hi.place(h, int32(k))
		}
	} else {
		hi.place(hash, n)
	}
	return n
}

// Clear forgets everything, but for the room that it has.
func (hi *HashIndex) Clear() {
	clear(hi.slots)
	hi.hashes = hi.hashes[:0]
}

// place puts a number in the first slot that is free for its hash.
func (hi *HashIndex) place(hash uint64, number int32) {
	mask := uint64(len(hi.slots) - 1)
	i := hash & mask
	for hi.slots[i] != 0 {
		i = (i + 1) & mask
	}
	hi.slots[i] = number + 1
}

// Mixed returns a hash of all that hash stands for, and of x.
func Mixed(hash, x uint64) uint64 {
	hash = (hash ^ x) * 0x9e3779b97f4a7c15
	return hash ^ hash>>29
}

// hashOf returns the hash of a vector, by the bits of its numbers.
func hashOf(v []float64) (hash uint64) {
	for _, x := range v {
		hash = Mixed(hash, math.Float64bits(x))
	}
	return hash
}
