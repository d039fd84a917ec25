package pomdpfile

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"sort"

	"bayescpace/bcpace/pomdp"
)

// star in a pattern stands for every value of its level.
const star = -1

// table is a function of a tuple of values, kept as a tree with a level for each
// of them: what is said of all values of a level at once is kept once, beside
// the values that differ. Subtrees may be shared; one that is shared is copied
// before it is changed.
type table struct {
	size   []int // number of values by level
	root   int32
	slab   [][]node // nodes by number, in blocks
	count  int
	flat   map[[2]uint64]int32 // by level and the bits of a value: shared subtrees of that alone
	order  map[int32][]int32   // by node whose cells came out of order: value → cell+1
	widest int                 // the most values of a level
	budget *budget
}

// node is a node of a table. On the last level its cells hold values, above it
// subtrees.
type node struct {
	rest   int32   // subtree of all values without a cell
	line   int32   // on the last level, where the file last wrote here
	fill   float64 // on the last level, what all values without a cell have
	cell   []cell  // ascending, unless the node has an order
	shared bool
}

type cell struct {
	at    int32
	ref   int32
	value float64
}

const blockBits = 10

func newTable(size []int, b *budget) *table {
	t := &table{size: size, flat: map[[2]uint64]int32{}, order: map[int32][]int32{}, widest: slices.Max(size), budget: b}
	t.root = t.constant(0, 0)
	return t
}

func (t *table) node(ref int32) *node { return &t.slab[ref>>blockBits][ref&(1<<blockBits-1)] }

func (t *table) alloc(n node) int32 {
	t.budget.spend(bytesPerNode)
	if t.count>>blockBits == len(t.slab) {
		t.slab = append(t.slab, make([]node, 0, 1<<blockBits))
	}
	block := &t.slab[t.count>>blockBits]
	*block = append(*block, n)
	t.count++
	return int32(t.count - 1)
}

// constant returns a shared subtree that has one value for everything.
func (t *table) constant(level int, v float64) int32 {
	key := [2]uint64{uint64(level), math.Float64bits(v)}
	if ref, ok := t.flat[key]; ok {
		return ref
	}
	n := node{fill: v, shared: true}
	if level < len(t.size)-1 {
		n.rest = t.constant(level+1, v)
	}
	ref := t.alloc(n)
	const most = 1 << 12
	if len(t.flat) < most {
		t.flat[key] = ref
	}
	return ref
}

// own returns a node that may be changed in place of ref.
func (t *table) own(ref int32, last bool) int32 {
	n := t.node(ref)
	if !n.shared {
		return ref
	}
	c := *n
	c.shared = false
	t.budget.spend(len(c.cell) * bytesPerCell)
	t.budget.work(len(c.cell))
	c.cell = slices.Clone(c.cell)
	if !last {
		t.node(c.rest).shared = true
		for i := range c.cell {
			t.node(c.cell[i].ref).shared = true
		}
	}
	copied := t.alloc(c)
	if o := t.order[ref]; o != nil {
		t.budget.spend(len(o) * 4)
		t.order[copied] = slices.Clone(o)
	}
	return copied
}

// set gives v to all tuples that a pattern of values and stars covers.
func (t *table) set(pattern []int32, v float64, line int) {
	tail := len(pattern)
	for tail > 0 && pattern[tail-1] == star {
		tail--
	}
	t.root = t.put(t.root, 0, tail, pattern, v, line)
}

// put is set below a node; from level tail on there are only stars.
func (t *table) put(ref int32, level, tail int, pattern []int32, v float64, line int) int32 {
	t.budget.work(1)
	if level >= tail {
		return t.constant(level, v)
	}
	last := level == len(t.size)-1
	k := pattern[level]
	ref = t.own(ref, last)
	n := t.node(ref)
	switch {
	case last:
		n.line = int32(line)
		i, ok := t.find(ref, n, k)
		if ok {
			n.cell[i].value = v
		} else if v != n.fill {
			t.insert(ref, n, i, cell{at: k, value: v})
		}
	case k == star:
		// the slab does not move nodes, so n stays valid
		n.rest = t.put(n.rest, level+1, tail, pattern, v, line)
		for i := range n.cell {
			n.cell[i].ref = t.put(n.cell[i].ref, level+1, tail, pattern, v, line)
		}
	default:
		i, ok := t.find(ref, n, k)
		if ok {
			n.cell[i].ref = t.put(n.cell[i].ref, level+1, tail, pattern, v, line)
			break
		}
		t.node(n.rest).shared = true
		t.insert(ref, n, i, cell{at: k, ref: t.put(n.rest, level+1, tail, pattern, v, line)})
	}
	return ref
}

// fill reads a value for each tuple that a pattern covers: the free levels take all their values, the last of them counting fastest. read
// returns the next value and its line, and false where there is none; fill then reports false too.
func (t *table) fill(pattern []int32, free []int, line int, read func() (v float64, line int, ok bool)) bool {
	t.set(pattern, 0, line)
	slow, fast, rows := free[:len(free)-1], free[len(free)-1], 1
	for _, l := range slow {
		rows = times(rows, t.size[l])
	}
	for row := range rows {
		for _, l := range slices.Backward(slow) {
			pattern[l] = int32(row % t.size[l])
			row /= t.size[l]
		}
		begun := 0 // the line of the first number of a row that is not 0
		for k := range int32(t.size[fast]) {
			v, line, ok := read()
			if !ok {
				return false
			}
			if v != 0 {
				begun, pattern[fast] = cmp.Or(begun, line), k
				t.set(pattern, v, begun)
			}
		}
	}
	return true
}

// find returns where the cell of a value is, or where it belongs.
func (t *table) find(ref int32, n *node, k int32) (int, bool) {
	c := n.cell
	end := len(c) - 1
	if end < 0 {
		return 0, false
	}
	if len(t.order) > 0 {
		if o := t.order[ref]; o != nil {
			return int(o[k]) - 1, o[k] > 0
		}
	}
	if at := c[end].at; at <= k {
		if at == k {
			return end, true
		}
		return end + 1, false
	}
	if first := c[0].at; int(c[end].at-first) == end { // no gaps
		return int(max(k-first, 0)), k >= first
	}
	i := sort.Search(end, func(i int) bool { return c[i].at >= k })
	return i, c[i].at == k
}

// insert adds a cell where find said. A node whose cells come in disorder gets
// an index once it has enough of them to pay for it, so that the time stays
// near linear.
func (t *table) insert(ref int32, n *node, i int, c cell) {
	const few, ratio = 64, 64
	t.budget.spend(bytesPerCell)
	o := t.order[ref]
	if o == nil && i < len(n.cell) && len(n.cell) > few && len(n.cell) > t.widest/ratio {
		t.budget.spend(4 * t.widest)
		o = make([]int32, t.widest)
		for j, x := range n.cell {
			o[x.at] = int32(j + 1)
		}
		t.order[ref] = o
	}
	if o != nil {
		n.cell = append(n.cell, c)
		o[c.at] = int32(len(n.cell))
		return
	}
	n.cell = slices.Insert(n.cell, i, c)
}

// sort sorts the cells of every node. It must be called after the last change and before
// the first reading.
func (t *table) sort() {
	for ref := range t.order {
		slices.SortFunc(t.node(ref).cell, func(a, b cell) int { return int(a.at - b.at) })
	}
	t.order = nil
}

// child returns the subtree of a value.
func (t *table) child(ref, k int32) int32 {
	n := t.node(ref)
	if i, ok := t.find(ref, n, k); ok {
		return n.cell[i].ref
	}
	return n.rest
}

// value returns the value at a place of a last-level node.
func (t *table) value(ref, k int32) float64 {
	n := t.node(ref)
	if i, ok := t.find(ref, n, k); ok {
		return n.cell[i].value
	}
	return n.fill
}

// entries appends the non-zero values of a last-level node of size values.
func (t *table) entries(dst []pomdp.Entry, ref int32) []pomdp.Entry {
	n := t.node(ref)
	if n.fill == 0 {
		for _, c := range n.cell {
			if c.value != 0 {
				dst = append(dst, pomdp.Entry{At: c.at, Value: c.value})
			}
		}
		return dst
	}
	i := 0
	for k := range int32(t.size[len(t.size)-1]) {
		v := n.fill
		if i < len(n.cell) && n.cell[i].at == k {
			v = n.cell[i].value
			i++
		}
		if v != 0 {
			dst = append(dst, pomdp.Entry{At: k, Value: v})
		}
	}
	return dst
}

// nonzero returns how many values below a node are not zero.
func (t *table) nonzero(ref int32, level int, known map[int32]int) int {
	n := t.node(ref)
	if count, ok := known[ref]; ok {
		return count
	}
	t.budget.work(1 + len(n.cell))
	last, others, count := level == len(t.size)-1, t.size[level]-len(n.cell), 0
	for _, c := range n.cell {
		switch {
		case !last:
			count = sum(count, t.nonzero(c.ref, level+1, known))
		case c.value != 0:
			count++
		}
	}
	switch {
	case last && n.fill != 0:
		count = sum(count, others)
	case !last && others > 0:
		count = sum(count, times(others, t.nonzero(n.rest, level+1, known)))
	}
	if n.shared {
		known[ref] = count
	}
	return count
}

// manyEntries stands for any number of entries that is as large: all are beyond
// any limit.
const manyEntries = 1 << 56

func sum(a, b int) int { return min(a+b, manyEntries) }

func times(a, b int) int {
	if a > 0 && b > manyEntries/a {
		return manyEntries
	}
	return a * b
}

// single returns the one value of a subtree, if it has one throughout.
func (t *table) single(ref int32, level int) (float64, bool) {
	for ; ; level++ {
		n := t.node(ref)
		if len(n.cell) > 0 {
			return 0, false
		}
		if level == len(t.size)-1 {
			return n.fill, true
		}
		ref = n.rest
	}
}

// digest returns what identifies a subtree: those that are built alike have the same. known has it of shared ones.
func (t *table) digest(ref int32, level int, known map[int32]string) string {
	if d, ok := known[ref]; ok {
		return d
	}
	n, last := t.node(ref), level == len(t.size)-1
	t.budget.work(1 + len(n.cell))
	below := func(v float64, ref int32) []byte {
		if last {
			return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v+0)) // −0 is 0
		}
		return []byte(t.digest(ref, level+1, known))
	}
	all := below(n.fill, n.rest)
	for _, c := range n.cell {
		all = append(binary.LittleEndian.AppendUint32(all, uint32(c.at)), below(c.value, c.ref)...)
	}
	sum := sha256.Sum256(all)
	if n.shared {
		known[ref] = string(sum[:])
	}
	return string(sum[:])
}
