package sparse

import "slices"

// longRow is how many entries a row has whose sums are kept for drawing: fewer are added up faster
// than a search takes.
const longRow = 32

// Draws draws entries of rows by their probabilities: the first numbers of their vectors, one for
// each latent.
type Draws struct {
	rows    *SuccessorRows
	vectors *VectorTable
	latents int
	sums    map[int32][]float64 // of a long row: see Sums
}

// NewDraws returns the draws from rows, whose entries have these vectors.
func NewDraws(rows *SuccessorRows, vectors *VectorTable, latents int) Draws {
	d := Draws{rows, vectors, latents, make(map[int32][]float64)}
	var prob []float64
	for r := range int32(rows.Len()) {
		if _, kinds := rows.Row(r); len(kinds) >= longRow {
			prob = prob[:0]
			for _, kind := range kinds {
				prob = append(prob, vectors.At(kind)[:latents]...)
			}
			d.sums[r] = Sums(prob, latents)
		}
	}
	return d
}

// Draw returns the entry of a row that u in [0, 1) stands for under a latent: the first for which
// the probabilities so far sum to more than u, or else the last one that has any.
func (d *Draws) Draw(row int32, latent int, u float64) (entry int) {
	_, kinds := d.rows.Row(row)
	if len(kinds) >= longRow {
		return Draw(d.sums[row], d.latents, latent, u)
	}
	sum := 0.0
	for i, kind := range kinds {
		if p := d.vectors.At(kind)[latent]; p > 0 {
			if entry, sum = i, sum+p; u < sum {
				break
			}
		}
	}
	return entry
}

// Sums returns the sums of the entries of prob, n numbers each, so far; a sum that grows no more
// is 1.
func Sums(prob []float64, n int) []float64 {
	sums := make([]float64, 0, len(prob))
	for i, p := range prob {
		if i >= n {
			p += sums[i-n]
		}
		sums = append(sums, p)
	}
	for k := range n {
		i := len(prob) - n + k
		for sums[i] = 1; prob[i] == 0 && i >= n; i -= n {
			sums[i-n] = 1
		}
	}
	return sums
}

// Draw returns the entry, n numbers each, of which sums are given, that u in [0, 1) stands for at
// number k: the first whose sum exceeds it.
func Draw(sums []float64, n, k int, u float64) int {
	lo, hi := 0, len(sums)/n-1
	for lo < hi {
		if mid := (lo + hi) / 2; u < sums[mid*n+k] {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// SuccessorRows are rows of entries. An entry is the number of what follows, and the number of a vector
// that says the rest of it. Rows that are equal have one number and are kept once. It is for one
// goroutine while rows are added, and then for many.
type SuccessorRows struct {
	from  []int // rows+1: row r is next[from[r]:from[r+1]]
	next  []int32
	kind  []int32
	index HashIndex
}

// NewRows returns no rows yet.
func NewRows() *SuccessorRows { return &SuccessorRows{from: make([]int, 1)} }

// Add adds an entry to the row that EndRow will end.
func (s *SuccessorRows) Add(next, kind int32) {
	s.next, s.kind = append(s.next, next), append(s.kind, kind)
}

// EndRow ends a row and returns its number.
func (s *SuccessorRows) EndRow() int32 {
	begin := s.from[len(s.from)-1]
	next, kind := s.next[begin:], s.kind[begin:]
	hash := uint64(len(next))
	for i, n := range next {
		hash = Mixed(hash, uint64(uint32(n))<<32|uint64(uint32(kind[i])))
	}
	n := s.index.Find(hash, func(number int32) bool {
		sameNext, sameKind := s.Row(number)
		return slices.Equal(sameNext, next) && slices.Equal(sameKind, kind)
	})
	if n >= 0 {
		s.next, s.kind = s.next[:begin], s.kind[:begin]
		return n
	}
	s.from = append(s.from, len(s.next))
	return s.index.Add(hash)
}

// Len returns the number of rows.
func (s *SuccessorRows) Len() int { return len(s.from) - 1 }

// Row returns the entries of a row: views.
func (s *SuccessorRows) Row(number int32) (next, kind []int32) {
	from, to := s.from[number], s.from[number+1]
	return s.next[from:to], s.kind[from:to]
}

// Renumber replaces what follows by number[next]: rows that differ must then differ still.
func (s *SuccessorRows) Renumber(number []int32) {
	for e, next := range s.next {
		s.next[e] = number[next]
	}
}

// Seal gives up the memory that adding takes: no row may be added after it.
func (s *SuccessorRows) Seal() { s.index = HashIndex{} }

// Bytes returns the size of the rows.
func (s *SuccessorRows) Bytes() int { return 8*len(s.from) + 4*(len(s.next)+len(s.kind)) }
