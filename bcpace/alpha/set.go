// Package alpha keeps sets of α-vectors: the linear functions over a finite
// set of latents whose maximum is the value of a set of policies. It knows
// vectors only, and no model.
//
// In a BAMDP the state is seen and the latent hidden. For a fixed state s, a
// policy π earns α_φ under latent φ and Σ_φ b(φ)·α_φ under belief b. A Set holds
// such vectors of one state; its upper surface, max over i of b·α_i, is the
// value of choosing the best of the policies at b (Smallwood and Sondik 1973).
package alpha

import (
	"fmt"
	"math"
	"slices"
)

// Set is a set of α-vectors of one dimension, each with the action that its
// policy takes first. No vector of a Set is pointwise at most another one, other
// than those that Append has put there since the last Settle.
//
// Vectors are numbered in the order in which they were added; removing some
// closes the gaps. Methods that only read are safe for concurrent use while no
// other method runs.
type Set struct {
	dim     int
	entries []float64 // n × dim
	actions []int     // n
	loose   int       // the last ones, that came by Append
}

// NewSet returns an empty set of vectors with dim ≥ 1 entries. It panics for
// another dim.
func NewSet(dim int) *Set {
	if dim < 1 {
		panic(fmt.Sprintf("alpha: vectors of dimension %d, want at least 1", dim))
	}
	return &Set{dim: dim}
}

// Len returns the number of vectors.
func (s *Set) Len() int { return len(s.actions) }

// Vector returns vector i: a view that is valid until the set changes, and must
// not be written to.
func (s *Set) Vector(i int) []float64 {
	return s.entries[i*s.dim : (i+1)*s.dim : (i+1)*s.dim]
}

// Action returns the action of vector i.
func (s *Set) Action(i int) int { return s.actions[i] }

// Clone returns a copy that shares nothing with s.
func (s *Set) Clone() *Set {
	return &Set{dim: s.dim, entries: append([]float64(nil), s.entries...), actions: append([]int(nil), s.actions...), loose: s.loose}
}

// Add adds a copy of v, unless a vector of the set is at least v in every entry;
// of two equal vectors the older one stays. It removes the vectors that v is at
// least in every entry, and reports whether v was added. The upper surface never
// falls: not at any belief, nor anywhere else in the positive orthant.
//
// It panics for a v of another length and for entries that are not finite.
func (s *Set) Add(v []float64, action int) (added bool) {
	s.check(v)
	s.Settle()
	return s.add(v, action)
}

// Append is Add without a look at what is dominated, which Settle makes up for.
// It panics as Add does.
func (s *Set) Append(v []float64, action int) {
	s.check(v)
	s.entries = append(s.entries, v...)
	s.actions = append(s.actions, action)
	s.loose++
}

// Settle leaves the set as if every vector that came by Append had come by Add.
func (s *Set) Settle() {
	if s.loose == 0 {
		return
	}
	kept := s.Len() - s.loose
	entries, actions := slices.Clone(s.entries[kept*s.dim:]), slices.Clone(s.actions[kept:])
	s.truncate(kept)
	s.loose = 0
	for i, a := range actions {
		s.add(entries[i*s.dim:(i+1)*s.dim], a)
	}
}

// check panics for what cannot be a vector of the set.
func (s *Set) check(v []float64) {
	if len(v) != s.dim {
		panic(fmt.Sprintf("alpha: a vector of %d entries in a set of dimension %d", len(v), s.dim))
	}
	for i, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			panic(fmt.Sprintf("alpha: entry %d is %v, want a finite number", i, x))
		}
	}
}

// add is Add for a checked vector of a settled set.
func (s *Set) add(v []float64, action int) (added bool) {
	kept := 0
	for i := range s.actions {
		below, above := compare(s.Vector(i), v)
		// Nothing has been removed before v is found to be at most a vector: what
		// v is at least would be at most that one.
		if above {
			return false
		}
		if !below {
			s.move(kept, i)
			kept++
		}
	}
	s.truncate(kept)
	s.entries = append(s.entries, v...)
	s.actions = append(s.actions, action)
	return true
}

// compare reports whether w ≤ v in every entry and whether w ≥ v in every entry.
func compare(w, v []float64) (below, above bool) {
	last := len(w) - 1
	v = v[:len(w)]
	below, above = w[0] <= v[0], w[0] >= v[0]
	// Latents mostly stand in an order, and two vectors that cross differ in sign
	// at the ends.
	below, above = below && w[last] <= v[last], above && w[last] >= v[last]
	for i := 1; i < last && (below || above); i++ {
		if w[i] > v[i] {
			below = false
		} else if w[i] < v[i] {
			above = false
		}
	}
	return below, above
}

// move overwrites vector to by vector from.
func (s *Set) move(to, from int) {
	if to != from {
		copy(s.entries[to*s.dim:(to+1)*s.dim], s.entries[from*s.dim:(from+1)*s.dim])
		s.actions[to] = s.actions[from]
	}
}

func (s *Set) truncate(n int) {
	s.entries, s.actions = s.entries[:n*s.dim], s.actions[:n]
}

// Best returns the vector that maximises b·α, the lowest index on a tie, and
// its value; −1 and −Inf for an empty set. b is a belief or any other vector of
// weights: the upper surface is positively homogeneous, so that weights
// b(φ)·P(s'|φ) give P(s')·V(s', b') without a division.
//
// The value is that of Dot, within dim·2⁻⁵³·Σ|b_i·α_i| of the exact one.
func (s *Set) Best(b []float64) (index int, value float64) { return s.BestFrom(b, 0) }

// BestFrom is Best among the vectors from index first on; −1 and −Inf where there
// are none.
func (s *Set) BestFrom(b []float64, first int) (index int, value float64) {
	index, value = -1, math.Inf(-1)
	// Small dimensions are the most frequent and gain from a loop of their own.
	// Sums are formed in the order of Dot.
	e := s.entries[first*s.dim:]
	switch s.dim {
	case 1:
		b0 := b[0]
		for i, x := range e {
			if v := b0 * x; v > value {
				index, value = first+i, v
			}
		}
	case 2:
		b0, b1 := b[0], b[1]
		for i := first; len(e) >= 2; i++ {
			if v := b0*e[0] + b1*e[1]; v > value {
				index, value = i, v
			}
			e = e[2:]
		}
	case 3:
		b0, b1, b2 := b[0], b[1], b[2]
		for i := first; len(e) >= 3; i++ {
			if v := b0*e[0] + b1*e[1] + b2*e[2]; v > value {
				index, value = i, v
			}
			e = e[3:]
		}
	default:
		for i := first; len(e) > 0; i++ {
			if v := Dot(b, e[:s.dim]); v > value {
				index, value = i, v
			}
			e = e[s.dim:]
		}
	}
	return index, value
}

// Value returns max over i of b·α_i, −Inf for an empty set.
func (s *Set) Value(b []float64) float64 {
	_, v := s.Best(b)
	return v
}

// Dot returns Σ b_i·v_i, summed in an order that depends on the length alone.
// v must be at least as long as b.
func Dot(b, v []float64) float64 {
	v = v[:len(b)]
	// Four sums at a time, as each addition waits for the one before it.
	var s0, s1, s2, s3 float64
	for len(b) >= 4 && len(v) >= 4 {
		s0 += b[0] * v[0]
		s1 += b[1] * v[1]
		s2 += b[2] * v[2]
		s3 += b[3] * v[3]
		b, v = b[4:], v[4:]
	}
	for i, x := range b {
		s0 += x * v[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// Prune keeps only the vectors that are best at some of the given beliefs
// (witness points), in their order, and returns how many it removed. points
// holds one belief after the other. The upper surface stays as
// it is at every one of the points; elsewhere it may fall. Without points the
// set becomes empty.
func (s *Set) Prune(points []float64) (removed int) {
	if len(points)%s.dim != 0 {
		panic(fmt.Sprintf("alpha: %d entries are no list of beliefs of dimension %d", len(points), s.dim))
	}
	s.Settle()
	used := make([]bool, s.Len())
	if s.Len() > 0 {
		for ; len(points) > 0; points = points[s.dim:] {
			i, _ := s.Best(points[:s.dim])
			used[i] = true
		}
	}
	return s.keep(used)
}

// keep removes the vectors that are not used, and returns how many.
func (s *Set) keep(used []bool) (removed int) {
	kept := 0
	for i, u := range used {
		if u {
			s.move(kept, i)
			kept++
		}
	}
	removed = s.Len() - kept
	s.truncate(kept)
	return removed
}
