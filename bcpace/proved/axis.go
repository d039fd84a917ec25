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
	block       int     // the nodes of a block, see told
	first, last []int   // the first node of a segment, and the last one
}

// cell is what lies between two nodes.
type cell struct {
	a, b     float64
	from, to int32
}

// cut makes the nodes of an axis that has none yet, for about so many cells.
func (ax *axis) cut(cells int, jumps []float64) {
	add := func(places ...float64) {
		s := int32(len(ax.middle))
		ax.middle = append(ax.middle, (places[0]+places[len(places)-1])/2)
		ax.first = append(ax.first, len(ax.node))
		for i, p := range places {
			n := int32(len(ax.node))
			left, right := n-1, n+1
			if i == 0 {
				left = -1
			} else {
				ax.cells = append(ax.cells, cell{places[i-1], p, n - 1, n})
				ax.widest = max(ax.widest, p-places[i-1])
			}
			if i == len(places)-1 {
				right = -1
			}
			ax.node, ax.segment, ax.left, ax.right = append(ax.node, p), append(ax.segment, s), append(ax.left, left), append(ax.right, right)
		}
		ax.last = append(ax.last, len(ax.node)-1)
	}
	if !ax.wraps {
		add(ax.low)
	}
	from := ax.low
	for _, to := range append(slices.Clone(jumps), ax.high) {
		n := max(1, int(math.Ceil((to-from)/(ax.high-ax.low)*float64(cells)-1e-9)))
		places := make([]float64, n+1)
		for k := range places {
			places[k] = from + (to-from)*float64(k)/float64(n)
		}
		places[n] = to
		add(places...)
		from = to
	}
	if !ax.wraps {
		add(ax.high)
	}
	ax.block = max(1, int(blockSigmas*ax.sigma/ax.widest))
}

// place returns that of a node, as the model knows it: on an axis that goes round its Max is no
// place of a state, but the next number below is.
func (ax *axis) place(node int) float64 {
	if p := ax.node[node]; !ax.wraps || p < ax.high {
		return p
	}
	return math.Nextafter(ax.high, ax.low)
}

// window returns the cells within [lo, hi], from the first to the one after the last; at least one. On
// an axis that goes round they are counted on beyond its cells.
func (ax *axis) window(lo, hi float64) (from, to int) {
	if ax.wraps {
		h := (ax.high - ax.low) / float64(len(ax.cells))
		return int(math.Floor((lo - ax.low) / h)), int(math.Floor((hi-ax.low)/h)) + 1
	}
	last := len(ax.cells) - 1
	from = min(sort.Search(len(ax.cells), func(i int) bool { return ax.cells[i].b >= lo }), last)
	to = max(from+1, sort.Search(len(ax.cells), func(i int) bool { return ax.cells[i].a > hi }))
	return from, to
}

// cellAt returns a cell of window.
func (ax *axis) cellAt(i int) cell {
	if !ax.wraps {
		return ax.cells[i]
	}
	n := len(ax.cells)
	round := math.Floor(float64(i) / float64(n))
	c := ax.cells[i-int(round)*n]
	length := ax.high - ax.low
	return cell{c.a + round*length, c.b + round*length, c.from, c.to}
}

// nodes returns the nodes of cells of window: the first, and the one after the last.
func (ax *axis) nodes(from, to int) (first, end int32) {
	n := len(ax.cells)
	if ax.wraps {
		round := int(math.Floor(float64(from) / float64(n)))
		from, to = from-round*n, to-round*n
		if to > n {
			return 0, int32(len(ax.node))
		}
	}
	return ax.cells[from].from, ax.cells[to-1].to + 1
}

// find returns the segments that have a place; two where a jump is.
func (ax *axis) find(place float64) (segments []int) {
	for s := range ax.first {
		if place >= ax.node[ax.first[s]] && place <= ax.node[ax.last[s]] {
			segments = append(segments, s)
		}
	}
	return segments
}

// between returns the nodes around a place of a segment, and the weight of the right one.
func (ax *axis) between(place float64, segment int) (left, right int, weight float64) {
	first, last := ax.first[segment], ax.last[segment]
	if first == last {
		return first, first, 0
	}
	i := first + sort.SearchFloat64s(ax.node[first:last+1], place) // the first node from place on
	i = min(max(i, first+1), last)
	a, b := ax.node[i-1], ax.node[i]
	return i - 1, i, min(max((place-a)/(b-a), 0), 1)
}

// reach is where the rest of a kernel may lie: from one block of nodes to another.
type reach struct{ first, last int32 }

// reached returns the nodes of the cells and ends within so much of a mean: the first one, and the one
// after the last.
func (ax *axis) reached(mean, within float64) (first, end int32) {
	first, end = ax.nodes(ax.window(mean-within, mean+within))
	if !ax.wraps { // an end has a node of its own
		if first == 1 {
			first = 0
		}
		if int(end) == len(ax.node)-1 {
			end++
		}
	}
	return first, end
}

// blockSigmas is about the length of a block, in standard deviations.
const blockSigmas = 1

// told has what arriving at a point is worth, at most, where the rests of the kernels of all axes may lie.
type told struct {
	g      *grid
	values [][]float64 // by point: by the numbers of the reaches on each axis
	stride []int
}

func newTold(g *grid, points int) *told {
	t := &told{g: g, values: make([][]float64, points), stride: make([]int, len(g.axes))}
	all := 1
	for i := len(g.axes) - 1; i >= 0; i-- {
		t.stride[i] = all
		all *= len(g.rows[i].reaches)
	}
	return t
}

// fill takes the values of a point at the nodes. On one axis after the other, the last one first,
// blocks and then reaches come in the place of nodes.
func (t *told) fill(point int, values []float64) {
	after := 1 // the numbers that follow a node of the axis, of the axes that are done
	for i := len(t.g.axes) - 1; i >= 0; i-- {
		x, list := t.g.axes[i], t.g.rows[i].reaches
		blocks := (len(x.node) + x.block - 1) / x.block
		before := len(values) / (len(x.node) * after)
		next := slices.Repeat([]float64{math.Inf(-1)}, before*len(list)*after)
		most := make([]float64, blocks*after)
		for p := range before {
			for k := range most {
				most[k] = math.Inf(-1)
			}
			for n := range x.node {
				block := most[n/x.block*after : (n/x.block+1)*after]
				for k, v := range values[(p*len(x.node)+n)*after : (p*len(x.node)+n+1)*after] {
					block[k] = max(block[k], v)
				}
			}
			for l, r := range list {
				to := next[(p*len(list)+l)*after : (p*len(list)+l+1)*after]
				for b := r.first; b <= r.last; b++ {
					for k, v := range most[int(b)*after : (int(b)+1)*after] {
						to[k] = max(to[k], v)
					}
				}
			}
		}
		values = next
		after *= len(list)
	}
	t.values[point] = values
}
