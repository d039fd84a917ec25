package cover

import "math/bits"

// A bitset is a []uint64 with bit i%64 of word i/64 for element i. All bitsets of one
// graph have the same length.

func wordsFor(n int) int { return (n + 63) / 64 }

func has(x []uint64, i int) bool { return x[i>>6]>>(i&63)&1 != 0 }
func put(x []uint64, i int)      { x[i>>6] |= 1 << (i & 63) }
func drop(x []uint64, i int)     { x[i>>6] &^= 1 << (i & 63) }

// fill sets the first n elements.
func fill(x []uint64, n int) {
	for i := range x {
		x[i] = ^uint64(0)
	}
	if n&63 != 0 {
		x[len(x)-1] = 1<<(n&63) - 1
	}
}

func count(x []uint64) int {
	n := 0
	for _, w := range x {
		n += bits.OnesCount64(w)
	}
	return n
}

// countBoth returns |x ∩ y|.
func countBoth(x, y []uint64) int {
	n := 0
	for i, w := range x {
		n += bits.OnesCount64(w & y[i])
	}
	return n
}

func empty(x []uint64) bool {
	for _, w := range x {
		if w != 0 {
			return false
		}
	}
	return true
}

// meets reports whether x ∩ y has an element.
func meets(x, y []uint64) bool {
	for i, w := range x {
		if w&y[i] != 0 {
			return true
		}
	}
	return false
}

// within reports whether x ⊆ y.
func within(x, y []uint64) bool {
	for i, w := range x {
		if w&^y[i] != 0 {
			return false
		}
	}
	return true
}

// less sets dst = x \ y.
func less(dst, x, y []uint64) {
	for i, w := range x {
		dst[i] = w &^ y[i]
	}
}

// each calls f for the elements of x in increasing order.
func each(x []uint64, f func(i int)) {
	for k, w := range x {
		for ; w != 0; w &= w - 1 {
			f(k<<6 + bits.TrailingZeros64(w))
		}
	}
}
