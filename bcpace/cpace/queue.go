package cpace

import "math"

// queue orders targets by how far they are from where they should be: by powers
// of two, and within one in the order in which they came. A target that has
// come to be further off is there twice; the entry at the lower level is void.
type queue struct {
	levels [levels]fifo // none waits at level 0
	top    int          // no level above it has entries
}

// levels is how many levels a queue has.
const levels = 64

// fifo is a list that is filled at the end and emptied from the head.
type fifo struct {
	targets []int32
	head    int
}

// level returns the level of a target that is off by so many limits, above 1.
func (q *queue) level(off float64) int16 {
	return int16(max(1, min(1+math.Ilogb(off), len(q.levels)-1)))
}

// push puts a target in.
func (q *queue) push(t int32, level int16) {
	q.levels[level].targets = append(q.levels[level].targets, t)
	q.top = max(q.top, int(level))
}

// pop takes the first target of the highest level out.
func (q *queue) pop() (t int32, level int16, ok bool) {
	for ; q.top > 0; q.top-- {
		l := &q.levels[q.top]
		if l.head < len(l.targets) {
			l.head++
			return l.targets[l.head-1], int16(q.top), true
		}
		l.targets, l.head = l.targets[:0], 0
	}
	return 0, 0, false
}

// ahead returns what is to come at the highest level, as far as it is known.
func (q *queue) ahead() []int32 {
	l := &q.levels[q.top]
	return l.targets[l.head:]
}
