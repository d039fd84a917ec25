package proved

import (
	"math"
	"slices"
	"sort"
)

// axis is an axis of the state, cut into cells between nodes. The cells of a segment, between two
// jumps, have nodes of their own, and so has each end at which noise stops: what is paid, ended or
// told is the same everywhere in a segment.
type axis struct {
	number      int // in Spec.Axes
	name        string
	low, high   float64
	sigma, most float64 // the least standard deviation of the noise, as far as is known, and the largest one
	unit        float64 // the Scale of the axis
	wraps       bool
	node        []float64
	segment     []int32 // of a node
	left, right []int32 // the nodes beside one in the same segment; −1 where there is none
	cells       []cell  // from low to high
	middle      []float64
	widest      float64 // the largest cell
	block       int     // the nodes of a block, see reach.go
	first, last []int   // the first node of a segment, and the last one
}

// cell is what lies between two nodes.
type cell struct {
	a, b     float64
	from, to int32
}

// cut makes the nodes of an axis that has none yet, for about so many cells.
func (x *axis) cut(cells int, jumps []float64) {
	add := func(places ...float64) {
		s := int32(len(x.middle))
		x.middle = append(x.middle, (places[0]+places[len(places)-1])/2)
		x.first = append(x.first, len(x.node))
		for i, p := range places {
			n := int32(len(x.node))
			left, right := n-1, n+1
			if i == 0 {
				left = -1
			} else {
				x.cells = append(x.cells, cell{places[i-1], p, n - 1, n})
				x.widest = max(x.widest, p-places[i-1])
			}
			if i == len(places)-1 {
				right = -1
			}
			x.node, x.segment, x.left, x.right = append(x.node, p), append(x.segment, s), append(x.left, left), append(x.right, right)
		}
		x.last = append(x.last, len(x.node)-1)
	}
	if !x.wraps {
		add(x.low)
	}
	from := x.low
	for _, to := range append(slices.Clone(jumps), x.high) {
		n := max(1, int(math.Ceil((to-from)/(x.high-x.low)*float64(cells)-1e-9)))
		places := make([]float64, n+1)
		for k := range places {
			places[k] = from + (to-from)*float64(k)/float64(n)
		}
		places[n] = to
		add(places...)
		from = to
	}
	if !x.wraps {
		add(x.high)
	}
	x.block = max(1, int(blockSigmas*x.sigma/x.widest))
}

// place returns that of a node, as the model knows it: on an axis that goes round its Max is no
// place of a state, but the next number below is.
func (x *axis) place(node int) float64 {
	if p := x.node[node]; !x.wraps || p < x.high {
		return p
	}
	return math.Nextafter(x.high, x.low)
}

// window returns the cells within [lo, hi], from the first to the one after the last; at least one. On
// an axis that goes round they are counted on beyond its cells.
func (x *axis) window(lo, hi float64) (from, to int) {
	if x.wraps {
		h := (x.high - x.low) / float64(len(x.cells))
		return int(math.Floor((lo - x.low) / h)), int(math.Floor((hi-x.low)/h)) + 1
	}
	last := len(x.cells) - 1
	from = min(sort.Search(len(x.cells), func(i int) bool { return x.cells[i].b >= lo }), last)
	to = max(from+1, sort.Search(len(x.cells), func(i int) bool { return x.cells[i].a > hi }))
	return from, to
}

// cellAt returns a cell of window.
func (x *axis) cellAt(i int) cell {
	if !x.wraps {
		return x.cells[i]
	}
	n := len(x.cells)
	round := math.Floor(float64(i) / float64(n))
	c := x.cells[i-int(round)*n]
	length := x.high - x.low
	return cell{c.a + round*length, c.b + round*length, c.from, c.to}
}

// nodes returns the nodes of cells of window: the first, and the one after the last.
func (x *axis) nodes(from, to int) (first, end int32) {
	n := len(x.cells)
	if x.wraps {
		round := int(math.Floor(float64(from) / float64(n)))
		from, to = from-round*n, to-round*n
		if to > n {
			return 0, int32(len(x.node))
		}
	}
	return x.cells[from].from, x.cells[to-1].to + 1
}

// find returns the segments that have a place; two where a jump is.
func (x *axis) find(place float64) (segments []int) {
	for s := range x.first {
		if place >= x.node[x.first[s]] && place <= x.node[x.last[s]] {
			segments = append(segments, s)
		}
	}
	return segments
}

// between returns the nodes around a place of a segment, and the weight of the right one.
func (x *axis) between(place float64, segment int) (left, right int, weight float64) {
	first, last := x.first[segment], x.last[segment]
	if first == last {
		return first, first, 0
	}
	i := first + sort.SearchFloat64s(x.node[first:last+1], place) // the first node from place on
	i = min(max(i, first+1), last)
	a, b := x.node[i-1], x.node[i]
	return i - 1, i, min(max((place-a)/(b-a), 0), 1)
}

// reach is where the rest of a kernel may lie: from one block of nodes to another.
type reach struct{ first, last int32 }

// reached returns the nodes of the cells and ends within so much of a mean: the first one, and the one
// after the last.
func (x *axis) reached(mean, within float64) (first, end int32) {
	first, end = x.nodes(x.window(mean-within, mean+within))
	if !x.wraps { // an end has a node of its own
		if first == 1 {
			first = 0
		}
		if int(end) == len(x.node)-1 {
			end++
		}
	}
	return first, end
}

// reachOf returns the reach of the places within so much of a mean.
func (x *axis) reachOf(mean, within float64) reach {
	first, end := x.reached(mean, within)
	return reach{first / int32(x.block), (end - 1) / int32(x.block)}
}

// blockSigmas is about the length of a block, in standard deviations.
const blockSigmas = 1
