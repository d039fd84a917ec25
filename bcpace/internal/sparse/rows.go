package sparse

import "slices"

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
func (x *SuccessorRows) Add(next, kind int32) {
	x.next, x.kind = append(x.next, next), append(x.kind, kind)
}

// EndRow ends a row and returns its number.
func (x *SuccessorRows) EndRow() int32 {
	begin := x.from[len(x.from)-1]
	next, kind := x.next[begin:], x.kind[begin:]
	hash := uint64(len(next))
	for i, n := range next {
		hash = Mixed(hash, uint64(uint32(n))<<32|uint64(uint32(kind[i])))
	}
	n := x.index.Find(hash, func(number int32) bool {
		sameNext, sameKind := x.Row(number)
		return slices.Equal(sameNext, next) && slices.Equal(sameKind, kind)
	})
	if n >= 0 {
		x.next, x.kind = x.next[:begin], x.kind[:begin]
		return n
	}
	x.from = append(x.from, len(x.next))
	return x.index.Add(hash)
}

// Len returns the number of rows.
func (x *SuccessorRows) Len() int { return len(x.from) - 1 }

// Row returns the entries of a row: views.
func (x *SuccessorRows) Row(number int32) (next, kind []int32) {
	from, to := x.from[number], x.from[number+1]
	return x.next[from:to], x.kind[from:to]
}

// Renumber replaces what follows by number[next]: rows that differ must then differ still.
func (x *SuccessorRows) Renumber(number []int32) {
	for e, next := range x.next {
		x.next[e] = number[next]
	}
}

// Seal gives up the memory that adding takes: no row may be added after it.
func (x *SuccessorRows) Seal() { x.index = HashIndex{} }

// Bytes returns the size of the rows.
func (x *SuccessorRows) Bytes() int { return 8*len(x.from) + 4*(len(x.next)+len(x.kind)) }
