package sparse

import "math"

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
