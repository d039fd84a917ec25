package bcpace

import "math"

// queue orders targets by how urgent their backup is: by powers of two, and
// within one in the order in which they came. A target that has become more
// urgent is there twice; the entry at the lower level is then void.
type queue struct {
	level  []int8 // by target: the level it waits at, 0 for none
	levels [64]fifo
	top    int // no level above it has entries
}

// fifo is a list that is filled at the end and emptied from the head.
type fifo struct {
	targets []int32
	head    int
}

// push puts a target in, whose urgency is above 1.
func (q *queue) push(t int32, urgency float64) {
	level := int8(min(max(1+math.Ilogb(urgency), 1), len(q.levels)-1))
	if level <= q.level[t] {
		return
	}
	q.level[t] = level
	q.levels[level].targets = append(q.levels[level].targets, t)
	q.top = max(q.top, int(level))
}

// pop takes the most urgent target out.
func (q *queue) pop() (t int32, ok bool) {
	for ; q.top > 0; q.top-- {
		l := &q.levels[q.top]
		for l.head < len(l.targets) {
			t := l.targets[l.head]
			l.head++
			if int(q.level[t]) == q.top {
				q.level[t] = 0
				return t, true
			}
		}
		l.targets, l.head = l.targets[:0], 0
	}
	return 0, false
}

// empty says that no target waits. (Void entries count as waiting.)
func (q *queue) empty() bool { return q.top == 0 }
