package certified

import "slices"

// undoLog records the earlier values of the entries of an array that have changed since
// a round began.
type undoLog[T any] struct {
	n       int // the entries of the array when the round began
	changed []entry[T]
}

type entry[T any] struct {
	at    int32
	value T
}

// begin begins a round with n entries.
func (l *undoLog[T]) begin(n int) { l.n, l.changed = n, l.changed[:0] }

// record must be called before entry i changes, with its present value.
func (l *undoLog[T]) record(i int32, value T) {
	if int(i) < l.n {
		l.changed = append(l.changed, entry[T]{i, value})
	}
}

// undone returns the array as it was when the round began, from the array as it is now.
func (l *undoLog[T]) undone(now []T) []T {
	x := slices.Clone(now[:l.n])
	for _, e := range slices.Backward(l.changed) {
		x[e.at] = e.value
	}
	return x
}
